"""Carries what a person does in the touch panel to the engine, and says there what came of it."""

from __future__ import annotations

from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import QObject

from ladder_desktop.live.player import Player
from ladder_desktop.live.touch_panel import TouchPanel


class Touching(QObject):
    """`touched` says whether the run is any other than its scenario asks for."""

    def __init__(self, client: EngineClient, panel: TouchPanel, player: Player) -> None:
        super().__init__(panel)
        self._client, self._panel, self._player = client, panel, player
        self.touched = False
        self._prompts = 0
        self._selected: int | None = None  # that lives, in a run that goes on
        panel.added.connect(self.add)
        panel.configured.connect(self.configure)
        panel.abort_wanted.connect(self.abort_selected)

    def clear(self) -> None:
        """Another run begins."""
        self.touched = False
        self._prompts = 0

    @property
    def counts(self) -> tuple[bool, int]:
        """Whether the run was touched, and how many prompts were written to it."""
        return self.touched, self._prompts

    @counts.setter
    def counts(self, counts: tuple[bool, int]) -> None:
        self.touched, self._prompts = counts

    def add(self, prompt: str, max_tokens: int) -> None:
        """A prompt of one's own arrives before the engine's next step."""
        self._prompts += 1
        self.touched = True
        name = f"your prompt {self._prompts}"
        self._client.add(name, prompt, max_tokens)
        self._panel.say(f"“{name}” arrives before step {self._player.last + 1}.")

    def configure(self, field: str, value: object) -> None:
        """Change a setting before the engine's next step."""
        self.touched = True
        self._client.configure(**{field: value})
        self._panel.say(f"{field} is {value} from step {self._player.last + 1} on.")

    def abort(self, seq_id: int) -> None:
        """Abort a request before the engine's next step."""
        self.touched = True
        self._client.abort(seq_id)

    def abort_selected(self) -> None:
        """Abort the request that is selected, if there is one."""
        if self._selected is not None:
            self.abort(self._selected)

    def tell(self) -> None:
        """Say what the engine declined, if it did."""
        while (sentence := self._client.declined()) is not None:
            self._panel.say(sentence)

    def show(self, edge: RunState, running: bool, seq_id: int | None) -> None:
        """Show the settings that the engine has now, and what can be done."""
        sequence = None if seq_id is None else edge.sequences.get(seq_id)
        alive = sequence is not None and sequence.status not in ("finished", "refused")
        config = edge.config.engine if edge.config else None
        running = running and config is not None
        self._selected = seq_id if alive and running else None
        self._panel.show_engine(config, running, sequence.name if alive and sequence else None)
