"""Markdown of a pack as HTML that other programs may show.

A pack can come from a stranger, and a deck is opened in programs that run scripts, play sounds and fetch images.
So raw HTML is shown as text, links are `https` only, pictures are dropped, and Anki's own square-bracket commands
are made inert.
"""

from __future__ import annotations

import html
import re

import nh3
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])

_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"),
    *("strong", "em", "s", "code", "pre", "a", "table", "thead", "tbody", "tr", "th", "td"),
}

# [sound:...], [anki:...], [latex] and [$] are commands to Anki wherever they stand in a field.
_COMMAND = re.compile(r"\[(?=(?:sound:|anki:|/?latex|/?\$))", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def to_html(markdown: str) -> str:
    """Return block HTML for `markdown`, safe to show."""
    return _clean(_MARKDOWN.render(_printable(markdown)))


def to_inline_html(markdown: str) -> str:
    """Return HTML for one line of `markdown`, without a paragraph around it."""
    return _clean(_MARKDOWN.renderInline(_printable(markdown)))


def escape(text: str) -> str:
    """Return plain `text` as HTML."""
    return _inert(html.escape(_printable(text), quote=False))


def _clean(dirty: str) -> str:
    clean = nh3.clean(
        dirty,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}, "code": {"class"}},
        url_schemes={"https"},
        link_rel="noopener noreferrer",
    )
    return _inert(clean).strip()


def _inert(text: str) -> str:
    return _COMMAND.sub("&#91;", text)


def _printable(text: str) -> str:
    """Control characters mean nothing in a text, and 0x1f is what separates the fields of an Anki note."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))
