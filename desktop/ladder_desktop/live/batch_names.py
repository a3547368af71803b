"""The left edge of the batch timeline: whose row it is. Names seldom change, so they are a picture, and made anew only then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder_engine.tracing.state import SequenceState
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QImage, QPainter

from ladder_desktop.live.batch_strip import Rows
from ladder_desktop.theme import Theme

SWATCH, NUMBER, NAME = 8, 20, 46  # where each of them begins, in logical pixels


@dataclass(frozen=True)
class BatchNames:
    """Where the rows stand: below `top`, each `row` high, and what is said of the budget from `foot` on."""

    theme: Theme
    font: QFont
    size: QSize
    ratio: float
    top: int
    row: int
    foot: int

    def paint(self, rows: Rows, known: Sequence[SequenceState]) -> QImage:
        """Paint the names of the rows in sight, as far as their requests are known."""
        image = QImage(self.size * self.ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(self.ratio)
        image.fill(self.theme.colour("surface"))
        painter = QPainter(image)
        painter.setFont(self.font)
        for at, sequence in enumerate(known):
            self._paint_name(painter, self.top + at * self.row, sequence, at == rows.selected)
        painter.setPen(self.theme.colour("muted"))
        beneath = QRect(SWATCH, self.foot, self.size.width() - 18, self.size.height() - self.foot)
        painter.drawText(beneath, Qt.AlignmentFlag.AlignTop, f"budget {rows.budget}")
        painter.drawText(beneath, Qt.AlignmentFlag.AlignBottom, "tokens a step")
        painter.end()
        return image

    def _paint_name(self, painter: QPainter, top: int, sequence: SequenceState, selected: bool) -> None:
        theme, wide = self.theme, self.size.width()
        if selected:
            painter.fillRect(0, top, wide, self.row, theme.colour("selection"))
        painter.fillRect(SWATCH, top + 4, 10, self.row - 8, theme.owner(sequence.seq_id))
        painter.setPen(theme.colour("muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRect(NUMBER, top, 20, self.row), right, str(sequence.seq_id + 1))
        painter.setPen(theme.colour("text"))
        name = painter.fontMetrics().elidedText(sequence.name, Qt.TextElideMode.ElideRight, wide - NAME - 8)
        painter.drawText(QRect(NAME, top, wide - NAME - 6, self.row), Qt.AlignmentFlag.AlignVCenter, name)
