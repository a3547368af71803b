"""The small card that opens beside a fact's number: what is claimed, who says so, since when, and how it was derived."""

from __future__ import annotations

from html import escape

from ladder_content.model import Fact, Pack
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.theme import Theme

WIDTH = 400
TALLEST = 340


class FactCard(QFrame):
    """A card over its parent. Not modal: reading goes on beside it, Esc or Close puts it away and gives focus back."""

    link_activated = Signal(str, QPoint)

    def __init__(self, pack: Pack, markdown: Markdown, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("factCard")
        self.setAccessibleName("Fact")
        self._page = parent
        self._pack = pack
        self._markdown = markdown
        self._came_from: QWidget | None = None
        self._heading = QLabel()
        self._heading.setProperty("role", "heading")
        close = QPushButton("Close")
        close.setAccessibleName("Close the fact")
        close.setToolTip("Esc")
        close.clicked.connect(self.dismiss)
        self._text = Reader(theme, "Fact: statement, source and date", points=10.5, margin=0)
        self._text.link_activated.connect(self.link_activated)
        head = QHBoxLayout()
        head.addWidget(self._heading, 1)
        head.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 12, 14)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._text)
        self.hide()

    @property
    def text(self) -> str:
        """What the card says, as plain text."""
        return f"{self._heading.text()}\n{self._text.toPlainText()}"

    def show_fact(self, fact_id: str, below: QPoint) -> None:
        """Show a fact under a global point, or above it where there is no room; an unknown id shows nothing."""
        try:
            fact = self._pack.fact(fact_id)
        except KeyError:
            return
        if not self.isVisible():
            self._came_from = self.window().focusWidget()
        self._heading.setText(f"Fact {fact.id}")
        self._text.show_html(self._html(fact))
        self._place(self._page.mapFromGlobal(below))
        self.show()
        self.raise_()
        self._text.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Put the card away and return to the text it came from."""
        if self.isVisible():
            self.hide()
            if self._came_from is not None:
                self._came_from.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _place(self, below: QPoint) -> None:
        page = self._page
        width = min(WIDTH, page.width() - 24)
        self._text.document().setTextWidth(width - 40)
        wanted = round(self._text.document().size().height()) + 76
        height = min(wanted, TALLEST, page.height() - 24)
        x = max(12, min(below.x() - 24, page.width() - width - 12))
        y = below.y() + 8 if below.y() + 8 + height <= page.height() - 12 else below.y() - height - 30
        self.setGeometry(x, max(12, y), width, height)

    def _html(self, fact: Fact) -> str:
        parts = [self._markdown.html(fact.statement)]
        if fact.formula:
            parts.append(
                f'<p class="label">FORMULA</p><p><code>{escape(fact.formula)}</code>{_result(fact)}</p>'
            )
        parts.append(f'<p class="label">SOURCE</p><p class="muted">{self._markdown.inline(fact.source)}</p>')
        parts.append(f'<p class="muted">As of {escape(fact.as_of)}</p>')
        return "".join(parts)


def _result(fact: Fact) -> str:
    if fact.value is None:
        return ""
    return f" = {fact.value:,.6g} {escape(fact.unit or '')}".rstrip()
