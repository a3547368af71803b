"""The actions of the live panel: their ids, words and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from ladder_desktop.actions import make_action

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


def live_actions(page: LivePage) -> list[QAction]:
    """Make the page's actions."""

    def action(verb: str, name: str, key: str, slot: Callable[[], None]) -> QAction:
        return make_action(page, f"live.{verb}", name, slot, [key])

    transport = page.transport
    return [
        action("run", "Run or stop the scenario", "Ctrl+R", page.head.press),
        action("compare", "Compare two variants", "Ctrl+Shift+R", page.head.press_compare),
        action("play", "Play or pause", "Space", page.toggle),
        action("back", "One step back", ",", transport.back.click),
        action("forward", "One step on", ".", transport.forward.click),
        action("slower", "Slower", "[", transport.slower.click),
        action("faster", "Faster", "]", transport.faster.click),
        action("follow", "Follow the playhead", "F", page.faces.follow),
        action("clock", "Compare by steps or by seconds", "K", page.turn_clock),
        action("plots", "Plots of the run, or its blocks and batch", "G", page.faces.turn_plots),
        action("blocks-as-table", "Blocks or plots as a table or as a picture", "T", page.faces.turn_table),
        action("batch-as-table", "Batch as a table or as a picture", "Shift+T", page.faces.turn_batch),
        action("engine", "Choose model and kernels…", "M", page.choosing.ask),
        action("slots", "Look into the block under the cursor", "Z", page.watch.turn_slots),
        action("lens", "Open or close the kernel lens", "L", page.faces.turn_lens),
        action("other-run", "Of two runs, look at the other", "O", page.faces.look_at_other),
        action("classify", "Classify what you saw", "C", page.diagnosis.ask),
        action("mark", "Mark the step, or take its mark away", "X", page.watch.marks.turn),
        action("next-mark", "Go to the next marked step", "N", page.watch.marks.on),
        action("previous-mark", "Go to the marked step before", "Shift+N", page.watch.marks.back),
        action("prompt", "Write a prompt of your own", "P", page.watch.write_prompt),
        action("abort", "Abort the selected request", "Del", page.touching.abort_selected),
        action("explain", "Open the lesson that explains it", "E", page.starter.explain),
        action("ticket", "Back to the ticket that it shows", "B", page.head.press_ticket),
        action("story", "Show or hide the story", "S", page.head.story_button.toggle),
        action("save", "Save or export the run…", "Ctrl+S", page.keeping.ask_save),
        action("open", "Open a recording…", "Ctrl+Shift+O", page.keeping.ask_open),
        action("traffic", "Replay real traffic…", "Ctrl+Shift+T", page.keeping.ask_traffic),
        action("clear", "Clear the selection", "Esc", page.clear_selection),
    ]
