"""The frame of each view in the live panel: its name, its measured figures, its legend."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.live.legend import Legend
from ladder_desktop.live.words import steady_font


def panel(
    name: str, figures: QLabel, view: QWidget, legend: Legend | None = None, narrow: bool = False
) -> QWidget:
    """Return a view under its name and its figures, with its legend beside them, or beneath it if the panel is narrow."""
    frame, label, head = QWidget(), QLabel(f"<b>{name}</b>"), QHBoxLayout()
    figures.setFont(steady_font(figures.font()))
    figures.setMinimumWidth(1)
    head.setSpacing(10)
    head.addWidget(label)
    head.addWidget(figures, 1)
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(6, 4, 6, 4)
    layout.setSpacing(4)
    layout.addLayout(head)
    layout.addWidget(view, 1)
    if legend is not None:
        (layout if narrow else head).addWidget(legend)
    return frame
