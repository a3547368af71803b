"""The left edge of the batch timeline: whose row it is. Names seldom change, so they are a picture, and made anew only then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder_engine.tracing.state import SequenceState
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QImage, QPainter

from ladder_desktop.live.batch_measures import BatchMeasures
from ladder_desktop.live.batch_strip import Rows
from ladder_desktop.theme import Theme


@dataclass(frozen=True)
class BatchNames:
    """Rows of these sizes below the ruler, and what is said of the budget from `foot` on."""

    theme: Theme
    font: QFont
    size: QSize
    ratio: float
    sizes: BatchMeasures
    foot: int

    def paint(self, rows: Rows, known: Sequence[SequenceState]) -> QImage:
        """Paint the names of the rows in sight, as far as their requests are known."""
        image = QImage(self.size * self.ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(self.ratio)
        image.fill(self.theme.colour("surface"))
        painter = QPainter(image)
        painter.setFont(self.font)
        for at, sequence in enumerate(known):
            self._paint_name(painter, self.sizes.ruler + at * self.sizes.row, sequence, at == rows.selected)
        painter.setPen(self.theme.colour("muted"))
        beneath = QRect(
            self.sizes.gap, self.foot, self.size.width() - 2 * self.sizes.gap, self.size.height() - self.foot
        )
        painter.drawText(beneath, Qt.AlignmentFlag.AlignTop, f"budget {rows.budget}")
        painter.drawText(beneath, Qt.AlignmentFlag.AlignBottom, "tokens a step")
        painter.end()
        return image

    def _paint_name(self, painter: QPainter, top: int, sequence: SequenceState, selected: bool) -> None:
        theme, sizes, wide = self.theme, self.sizes, self.size.width()
        if selected:
            painter.fillRect(0, top, wide, sizes.row, theme.colour("selection"))
        painter.fillRect(
            sizes.gap, top + sizes.row // 4, sizes.gap + 2, sizes.row // 2, theme.owner(sequence.seq_id)
        )
        painter.setPen(theme.colour("muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRect(sizes.number, top, sizes.number, sizes.row), right, str(sequence.seq_id + 1))
        painter.setPen(theme.colour("text"))
        name = painter.fontMetrics().elidedText(
            sequence.name, Qt.TextElideMode.ElideRight, wide - sizes.name - sizes.gap
        )
        painter.drawText(
            QRect(sizes.name, top, wide - sizes.name - 6, sizes.row), Qt.AlignmentFlag.AlignVCenter, name
        )
