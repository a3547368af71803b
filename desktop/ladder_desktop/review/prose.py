"""Text of a pack on a review page: Markdown in, a label that is as high as its text out.

The HTML comes from `lessons.markdown`, which lets nothing through that could run, load or open anything. Pointing at a
fact's number names the fact; following it is for the page, which hears of it through `PackText.links`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ladder_content.model import Card, Pack
from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCursor, QTextDocument
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip

from ladder_desktop.lessons.cloze_html import blanks, filled
from ladder_desktop.lessons.formula import draw_formulas
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.style import text_sheet
from ladder_desktop.theme import Theme

QUESTION_CODE = 18  # points of code in a question, which is set in 20: what is monospaced looks larger


class Links(QObject):
    """Where the labels of a page tell that a link was clicked: its address, and the global point under it."""

    followed = Signal(str, QPoint)


class PackText:
    """Turns the Markdown of one pack into HTML in one theme, and knows its facts."""

    def __init__(self, pack: Pack, theme: Theme) -> None:
        self.links = Links()
        self._facts = {fact.id: fact for fact in pack.facts}
        self.markdown = self._markdown = Markdown(theme, self._facts.keys())
        self._theme = theme
        self._style = f"<style>{text_sheet(theme)}</style>"
        size = theme.scaled(f"code {{ font-size: {QUESTION_CODE}pt; }}")
        self._question_style = f"<style>{text_sheet(theme)} {size}</style>"

    def html(self, text: str) -> str:
        """Return a text of several blocks as HTML."""
        return self._style + self._markdown.html(text)

    def inline(self, text: str) -> str:
        """Return a text of one line as HTML."""
        return self._style + self._markdown.inline(text)

    def question(self, card: Card, revealed: bool) -> str:
        """Return the question of a card as HTML; the blanks of a cloze card are filled once it is revealed."""
        draw = filled if revealed else blanks
        return self._question_style + draw(card, self._markdown, self._theme)

    def tip(self, link: str) -> str:
        """Return what a tooltip says about a link: the statement and source of a fact, or the bare address."""
        fact = self._facts.get(link.removeprefix("fact:"))
        if fact is None:
            return escape(link)
        return f"<p>{escape(fact.statement)}</p><p>{escape(fact.source)}, {escape(fact.as_of)}</p>"

    def sources(self, ids: Sequence[str]) -> str:
        """Return one line a fact: its number, its source and the date of it."""
        facts = [self._facts[fact_id] for fact_id in ids if fact_id in self._facts]
        return "\n".join(f"{fact.id}   {fact.source}, {fact.as_of}" for fact in facts)


class Prose(QLabel):
    """A label for one piece of a pack's Markdown."""

    def __init__(self, text: PackText, name: str = "prose") -> None:
        super().__init__()
        self._text = text
        self._document: QTextDocument | None = None
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.linkHovered.connect(self._point)
        self.linkActivated.connect(self._follow)

    def minimumSizeHint(self) -> QSize:
        """Ask for no height of its own: how high the text is depends on its width alone."""
        return QSize(60, 0)

    def setText(self, html: str) -> None:
        """Show it, with its formulas."""
        super().setText(html)
        document = self.findChild(QTextDocument)
        if document is not None and document is not self._document:
            self._document = document
            draw_formulas(document)
            super().setText(html)

    def set_blocks(self, markdown: str) -> None:
        """Show a text of several blocks."""
        self.setText(self._text.html(markdown))

    def set_question(self, card: Card, revealed: bool) -> None:
        """Show the question of a card."""
        self.setText(self._text.question(card, revealed))

    def set_line(self, markdown: str) -> None:
        """Show a text of one line."""
        self.setText(self._text.inline(markdown))

    def _follow(self, link: str) -> None:
        self._text.links.followed.emit(link, QCursor.pos())

    def _point(self, link: str) -> None:
        if link:
            QToolTip.showText(QCursor.pos(), self._text.tip(link), self)
        else:
            QToolTip.hideText()


class Sources(QLabel):
    """Where the figures of a text come from, one line a fact; hidden when there are none."""

    def __init__(self, text: PackText) -> None:
        super().__init__()
        self._text = text
        self.setObjectName("sources")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def show_facts(self, ids: Sequence[str]) -> None:
        """Name the sources of these facts."""
        self.setText(self._text.sources(ids))
        self.setVisible(bool(self.text()))
