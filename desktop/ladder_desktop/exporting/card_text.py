"""Cards of every kind as a front and a back for programs that know only these two."""

from __future__ import annotations

from collections.abc import Sequence

from ladder_content import cloze
from ladder_content.model import Card, Option

from ladder_desktop.review.numbers_typed import written

from .markup import escape, to_html, to_inline_html
from .stable import stable_id


def question(card: Card, blank: str = "[...]") -> str:
    """Return the question as Markdown, the hidden parts of a cloze card as blanks."""
    if card.kind != "cloze":
        return card.question
    return "".join(blank if part.hidden else part.text for part in cloze.parts(card.question))


def front(card: Card) -> str:
    """Return the question as HTML, with the unit that is asked for or the options to choose from."""
    asked = to_html(question(card, r"\[...\]"))  # a plain bracket could become a link
    if card.expected is not None and card.expected.unit:
        asked += f"<p>In {escape(card.expected.unit)}.</p>"
    return asked + options(card.options)


def back(card: Card) -> str:
    """Return the answer as HTML: the question filled, the result, or the right option before the reasoning."""
    parts = [to_html(card.answer)]
    if card.kind == "cloze":
        parts.insert(0, to_html(cloze.filled(card.question)))
    if card.expected is not None:
        result = f"{written(card.expected.value)} {card.expected.unit}".strip()
        within = f" (within {written(card.expected.tolerance * 100)} %)" if card.expected.tolerance else ""
        parts.insert(0, f"<p><strong>{escape(result)}</strong>{within}</p>")
    return verdicts(card.options) + "".join(parts)


def options(choices: Sequence[Option]) -> str:
    """Return options as a list, or nothing if there are none. Authors tend to write the right one first."""
    shuffled = sorted(choices, key=lambda option: stable_id("option", option.text))
    items = "".join(f"<li>{to_inline_html(option.text)}</li>" for option in shuffled)
    return f"<ul>{items}</ul>" if items else ""


def verdicts(choices: Sequence[Option]) -> str:
    """Return the right option and why, then the others and why they tempt and fail."""
    if not choices:
        return ""
    right = next(option for option in choices if option.correct)
    tempting = "".join(
        f"<li>{to_inline_html(option.text)}<br>{to_inline_html(option.why)}</li>"
        for option in choices
        if not option.correct
    )
    return (
        f"<p><strong>{to_inline_html(right.text)}</strong><br>{to_inline_html(right.why)}</p>"
        f"<p>Tempting, and wrong here:</p><ul>{tempting}</ul>"
    )
