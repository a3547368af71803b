"""A cloze question on screen: its hidden parts as blanks, or filled in and marked."""

from __future__ import annotations

import re
from collections.abc import Callable

from ladder_content import cloze
from ladder_content.model import Card

from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.theme import Theme

BLANK = "[…]"
_FIRST_MARK = 0xE000  # private characters stand for the hidden parts while the Markdown is rendered
_MARKS = re.compile("[\ue000-\uf8ff]")


def blanked(card: Card) -> str:
    """Return the question as Markdown that gives nothing away: for lists, and to be read aloud."""
    if card.kind != "cloze":
        return card.question
    return "".join(BLANK if part.hidden else part.text for part in cloze.parts(card.question))


def blanks(card: Card, markdown: Markdown, theme: Theme) -> str:
    """Return the question as HTML with blanks, all of one width so that none tells the length of its word."""
    style = f"background-color:{theme.hex('selection')}; color:{theme.hex('muted')};"
    return _render(card, markdown, lambda _: f'<span style="{style}">{"&nbsp;" * 4}…{"&nbsp;" * 4}</span>')


def filled(card: Card, markdown: Markdown, theme: Theme) -> str:
    """Return the question as HTML with its hidden parts filled in and marked."""
    style = f"background-color:{theme.hex('selection')}; color:{theme.hex('text')};"

    def draw(hidden: str) -> str:
        html = markdown.inline(hidden).replace(
            "<code>", f'<code style="{style}">'
        )  # code has a ground of its own
        return f'<span style="{style}">{html}</span>'

    return _render(card, markdown, draw)


def _render(card: Card, markdown: Markdown, draw: Callable[[str], str]) -> str:
    if card.kind != "cloze":
        return markdown.inline(card.question)
    hidden: list[str] = []
    text = ""
    for part in cloze.parts(_MARKS.sub("", card.question)):
        text += chr(_FIRST_MARK + len(hidden)) if part.hidden else part.text
        hidden += [part.text] if part.hidden else []
    html = markdown.inline(text)
    marks = {chr(_FIRST_MARK + place): part for place, part in enumerate(hidden)}
    return _MARKS.sub(lambda mark: draw(marks[mark[0]]) if mark[0] in marks else "", html)
