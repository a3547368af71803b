"""Where the parts of the live panel stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


def lay_out(page: LivePage) -> QScrollArea:
    """Put the parts of the page beneath each other; return what scrolls them where a window is too low."""
    page.source.setProperty("role", "muted")
    foot = QHBoxLayout()
    foot.addWidget(page.readout, 1)
    foot.addWidget(page.source)
    content, area = QWidget(), QScrollArea()
    column = QVBoxLayout(content)
    column.setContentsMargins(18, 12, 18, 8)
    column.setSpacing(8)
    for widget in (page.head, page.prediction, page.transport):
        column.addWidget(widget)
    column.addWidget(page.faces, 1)
    column.addLayout(foot)
    area.setObjectName("plain")
    area.setAccessibleName("Live lab")
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(area)
    return area
