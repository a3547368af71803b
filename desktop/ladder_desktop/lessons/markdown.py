"""A pack's Markdown as HTML that Qt's rich text can draw and that cannot do harm.

Packs are made by strangers. Three walls stand between their text and the screen: the parser knows no raw HTML and
only four kinds of link, nh3 lets through only the tags and attributes named here, and the Reader that shows the
result loads nothing (reader.py).

A fact reference `[F1.09]` or `[F1.09, F1.10]` becomes small raised links `fact:F1.09`. It is recognised by the ids
the pack really has; anything else in brackets stays text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html import escape, unescape

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ladder_desktop.lessons.formula import formula_html
from ladder_desktop.theme import Theme

LINK_SCHEMES = {"http", "https", "fact", "map"}

_TAGS = {"p", "br", "hr", "h3", "h4", "h5", "ul", "ol", "li", "blockquote", "pre", "code", "span"}
_TAGS |= {
    "a",
    "b",
    "em",
    "i",
    "s",
    "strong",
    "sub",
    "sup",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
_ATTRIBUTES: dict[str, set[str]] = {
    "*": set(),
    "a": {"href", "class"},
    "code": {"class"},
    "ol": {"start"},
    "p": {"class"},
    "span": {"style", "class"},
    "table": {"width", "cellspacing", "cellpadding", "class"},
    "td": {"align", "class", "width", "bgcolor"},
    "th": {"align", "class"},
}
_STYLE_PROPERTIES = {"color", "font-style", "font-weight"}

_MATH = re.compile(r'<code class="math(-block)?">([^<]*)</code>')
_PICTURE = re.compile(r'<img [^>]*?alt="([^"]*)"[^>]*>')
_BLOCK_END = re.compile(r"</(?:p|li|h[1-6]|td|th|tr|pre|table)>|<br/?>")
_FACTS = re.compile(r"\[([^\[\]()\n]{1,200})\]")
_BRACKETED = re.compile(r"\[[^\]]*\]")
_NUMBER = re.compile(r"^[~≈<>≤≥±+−-]?\s?\d[\d.,–\s]*\s?\S{0,8}$")


class Markdown:
    """Renders the Markdown of one pack in one theme."""

    def __init__(self, theme: Theme, fact_ids: Collection[str]) -> None:
        self._facts = frozenset(fact_ids)
        self._theme = theme
        self._parser = _Parser("commonmark", {"html": False}, renderer_cls=lambda _: _Renderer(theme))
        self._parser.enable(["table", "strikethrough"])
        dollarmath_plugin(self._parser, allow_labels=False, allow_space=False, allow_digits=False)
        for kind in ("math_inline", "math_inline_double", "math_block"):  # the plugin has pictures of its own
            self._parser.add_render_rule(kind, getattr(_Renderer, kind))
        self._parser.inline.ruler.before("link", "fact", self._parse_fact)
        self._parser.core.ruler.push("lesson", _dress)

    def html(self, text: str) -> str:
        """Return the HTML of a text of several blocks, free of scripts, images and foreign links."""
        return self._draw(clean(self._parser.render(text)))

    def inline(self, text: str) -> str:
        """Return the HTML of a text of one line, without a paragraph around it."""
        return self._draw(clean(self._parser.renderInline(text)))

    def plain(self, text: str) -> str:
        """Return the words of a text of one line without any marks, for tables and accessible descriptions."""
        return plain_html(self.inline(text))

    def _draw(self, html: str) -> str:
        """Put the picture of each formula in its place."""
        return _MATH.sub(
            lambda found: formula_html(unescape(found[2]), self._theme, block=bool(found[1])), html
        )

    def facts(self, ids: Sequence[str]) -> str:
        """Return links to facts, for lists that stand outside the text."""
        return " · ".join(
            f'<a class="ref" href="fact:{escape(i)}">{escape(i)}</a>' for i in ids if i in self._facts
        )

    def link(self, title: str, url: str) -> str:
        """Return a link with this title, or the title alone if the address is not one that may be opened."""
        return f'<a href="{escape(url)}">{escape(title)}</a>' if _safe(url) else escape(title)

    def _parse_fact(self, state: StateInline, silent: bool) -> bool:
        match = _FACTS.match(state.src, state.pos)
        if match is None:
            return False
        ids = [part.strip() for part in match.group(1).split(",")]
        if not self._facts.issuperset(ids) or state.src[match.end() : match.end() + 1] == "(":
            return False
        if not silent:
            state.pending = state.pending.rstrip(" ")
            for fact_id in ids:
                _push_fact(state, fact_id)
        state.pos = match.end()
        return True


class _Renderer(RendererHTML):
    """Draws what Qt's rich text cannot draw by itself; a method for each kind of token, as the base class wants."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        super().__init__()

    def fence(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """A code block is a table of one cell, for its ground and its padding."""
        from ladder_desktop.lessons.highlight import highlight  # Pygments is slow to import and seldom needed

        token = tokens[idx]
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        code = highlight(token.content.rstrip("\n"), language, self._theme).rstrip("\n")
        return (
            '<table class="code" width="100%" cellspacing="0" cellpadding="12"><tbody><tr>'
            f'<td bgcolor="{self._theme.hex("sunken")}"><pre>{code}</pre></td></tr></tbody></table>'
        )

    def code_block(self, tokens: Sequence[Token], idx: int, *rest: object) -> str:
        """An indented block is code like any other."""
        return self.fence(tokens, idx, *rest)

    def blockquote_open(self, *_: object) -> str:
        """A quotation has a narrow coloured cell beside it, since Qt draws no border there."""
        return (
            '<table class="quote" width="100%" cellspacing="0" cellpadding="0"><tbody><tr>'
            f'<td class="bar" width="4" bgcolor="{self._theme.hex("accent")}"></td><td class="quoted">'
        )

    def blockquote_close(self, *_: object) -> str:
        """Close the table that stands for a quotation."""
        return "</td></tr></tbody></table>"

    def math_inline(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """A formula in a line; it is drawn behind the second wall."""
        return f'<code class="math">{escape(tokens[idx].content.strip())}</code>'

    def math_inline_double(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """A large formula in a line."""
        return f'<code class="math-block">{escape(tokens[idx].content.strip())}</code>'

    def math_block(self, tokens: Sequence[Token], idx: int, *rest: object) -> str:
        """A formula by itself."""
        return f"<p>{self.math_inline_double(tokens, idx, *rest)}</p>"

    def image(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """An image is never loaded: its description stands in its place."""
        return f'<span class="image">[image: {escape(tokens[idx].content)}]</span>'


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return _safe(url)


def _safe(url: str) -> bool:
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() in LINK_SCHEMES


def clean(html: str) -> str:
    """Return HTML with nothing in it but the tags, attributes and kinds of link that a lesson may have."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes=LINK_SCHEMES,
        filter_style_properties=_STYLE_PROPERTIES,
        link_rel=None,
    )


def plain_html(html: str) -> str:
    """Return the words of HTML, a line for each block."""
    lines = _BLOCK_END.sub(r"\n\g<0>", _PICTURE.sub(r"\1", html))
    return unescape(nh3.clean(lines, tags=set())).replace("\u00a0", " ").strip()


def _attribute(_tag: str, name: str, value: str) -> str | None:
    return value if name != "href" or _safe(value) else None


def _push_fact(state: StateInline, fact_id: str) -> None:
    link = state.push("link_open", "a", 1)
    link.attrs = {"href": f"fact:{fact_id}", "class": "fact"}
    state.push("text", "", 0).content = f"\u00a0{fact_id}"  # the reference stays on the line of its figure
    state.push("link_close", "a", -1)


def _dress(state: StateCore) -> None:
    """Give tables their frame and number columns their alignment; keep headings below the section's own."""
    for index, token in enumerate(state.tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(5, max(3, int(token.tag[1])))}"
        elif token.type == "table_open":
            token.attrs = {"class": "data", "width": "100%", "cellspacing": "0", "cellpadding": "0"}
            _align(state.tokens[index : _closing(state.tokens, index)])


def _closing(tokens: Sequence[Token], start: int) -> int:
    return next(i for i in range(start, len(tokens)) if tokens[i].type == "table_close")


def _align(table: Sequence[Token]) -> None:
    rows = list(_rows(table))
    body = [row for row in rows if row and row[0][0].type == "td_open"]
    for column in range(max((len(row) for row in rows), default=0)):
        numeric = bool(body) and all(_is_number(row[column][1].content) for row in body if column < len(row))
        for row in rows:
            if column < len(row):
                cell = row[column][0]
                given = str(cell.attrs.pop("style", "")).removeprefix("text-align:")
                cell.attrs["align"] = given or ("right" if numeric else "left")


def _rows(table: Sequence[Token]) -> Iterator[list[tuple[Token, Token]]]:
    row: list[tuple[Token, Token]] = []
    for index, token in enumerate(table):
        if token.type == "tr_open":
            row = []
        elif token.type in ("th_open", "td_open"):
            row.append((token, table[index + 1]))
        elif token.type == "tr_close":
            yield row


def _is_number(text: str) -> bool:
    return _NUMBER.match(_BRACKETED.sub("", text).strip()) is not None
