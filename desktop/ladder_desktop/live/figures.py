"""The figures at the playhead, each measured in this run, in fixed places with steady digits."""

from __future__ import annotations

from ladder_engine.state import RunState
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.live.words import seconds, steady_font

FIGURES = (
    ("tokens said a second", "over the last second of the run"),
    ("step time", "the step at the playhead"),
    ("KV blocks in use", "owned by a sequence"),
    ("running", "in the batch"),
    ("waiting", "in the queue"),
    ("preemptions", "so far"),
)


class Figures(QWidget):
    """A row of big numbers with small names."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._values: list[QLabel] = []
        for name, hint in FIGURES:
            value, label = QLabel("–"), QLabel(name)
            value.setProperty("role", "heading")
            value.setFont(steady_font(value.font()))
            label.setProperty("role", "muted")
            label.setToolTip(hint)
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(value)
            column.addWidget(label)
            layout.addLayout(column, 1)
            self._values.append(value)

    def show_state(self, state: RunState) -> None:
        """Draw the figures of this state."""
        for label, text in zip(self._values, measured(state), strict=True):
            label.setText(text)


def measured(state: RunState) -> tuple[str, ...]:
    """Return the texts of FIGURES in order."""
    if state.config is None or not state.steps:
        return ("–",) * len(FIGURES)
    step, total = state.steps[-1], len(state.block_owner)
    used = total - state.num_free_blocks
    rate = tokens_per_second(state)
    return (
        "–" if rate is None else f"{rate:.0f}",
        seconds(step.schedule_s + step.execute_s + step.commit_s),
        f"{used}/{total}  {100 * used // total} %",
        str(len(state.running)),
        str(len(state.waiting)),
        str(sum(sequence.preemptions for sequence in state.sequences.values())),
    )


def tokens_per_second(state: RunState, window: float = 1.0) -> float | None:
    """Return the tokens said a second in the last `window` seconds of engine time; None before there are two steps."""
    end = state.steps[-1].time
    said, begin = 0, end
    for step in reversed(state.steps):
        begin = step.time
        if end - begin >= window:
            break
        said += step.num_sampled
    else:
        said -= state.steps[0].num_sampled  # the first step's own time is not known from its end
    return said / (end - begin) if end > begin else None
