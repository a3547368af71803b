"""A card of any kind as the HTML of the Q&A tab: its question, and its answer with everything to grade it by."""

from __future__ import annotations

from html import escape
from zlib import crc32

from ladder_content.model import Card, Option

from ladder_desktop.lessons.cloze_html import blanks, filled
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.review.numbers_typed import written
from ladder_desktop.theme import Theme

DIFFICULTY = {1: "●○○ warm-up", 2: "●●○ standard", 3: "●●● senior"}


def question_html(card: Card, markdown: Markdown, theme: Theme, revealed: bool) -> str:
    """Return the question, its blanks filled once it is revealed, and the options to choose from until then."""
    tags = " · ".join([DIFFICULTY[card.difficulty], *map(escape, card.tags)])
    draw = filled if revealed else blanks
    options = (
        "" if revealed else "".join(f"<li>{markdown.inline(option.text)}</li>" for option in _shuffled(card))
    )
    return (
        f'<h2>{draw(card, markdown, theme)}</h2><p class="small">{tags}</p>'
        + (f'<ol type="A">{options}</ol>' if options else "")
        + (f"<p>In {escape(card.expected.unit)}.</p>" if card.expected and not revealed else "")
    )


def answer_html(card: Card, markdown: Markdown) -> str:
    """Return the result or the verdict on each option, the answer, the key points, the follow-up and the sources."""
    points = "".join(f"<li>{markdown.inline(point)}</li>" for point in card.key_points)
    facts = markdown.facts(card.facts)
    lab = f'<p><a href="live:{escape(card.lab)}">Watch it run →</a></p>' if card.lab else ""
    return (
        _result(card)
        + "".join(_option(option, markdown) for option in _shuffled(card))
        + markdown.html(card.answer)
        + lab
        + f"<h3>Key points</h3><ul>{points}</ul>"
        + f"<h3>Follow-up</h3>{markdown.html(card.follow_up)}"
        + (f'<p class="label">FACTS</p><p>{facts}</p>' if facts else "")
    )


def _shuffled(card: Card) -> list[Option]:
    """Return the options in an order that stays, and tells nothing: authors tend to write the right one first."""
    return sorted(card.options, key=lambda option: crc32(option.text.encode()))


def _result(card: Card) -> str:
    if card.expected is None:
        return ""
    return f"<h3>{escape(f'{written(card.expected.value)} {card.expected.unit}'.strip())}</h3>"


def _option(option: Option, markdown: Markdown) -> str:
    mark = "✓" if option.correct else "✗"
    return f"<p><b>{mark} {markdown.inline(option.text)}</b><br>{markdown.inline(option.why)}</p>"
