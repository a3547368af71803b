"""Packs are made by strangers: whatever they write, only text, known tags and four kinds of link come out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.lessons.markdown import Markdown, clean
from ladder_desktop.theme import load_theme

THEME = load_theme("light")
MARKDOWN = Markdown(THEME, {"F1.09", "F1.14"})
TAGS = {"p", "br", "hr", "h3", "h4", "h5", "ul", "ol", "li", "code", "pre", "span", "a", "b", "em", "i", "s"}
TAGS |= {"strong", "sub", "sup", "table", "thead", "tbody", "tr", "th", "td", "blockquote"}
PLAIN_ATTRIBUTES = {
    "class",
    "align",
    "width",
    "cellspacing",
    "cellpadding",
    "bgcolor",
    "start",
    "style",
    "href",
}

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<img src="file:///etc/passwd">',
    "![secret](file:///etc/passwd)",
    "![pixel](https://example.org/track.png)",
    "![x](data:image/png;base64,AAAA)",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](&#106;avascript:alert(1))",
    "[click](java\tscript:alert(1))",
    "[click](vbscript:x)",
    "[click](file:///etc/passwd)",
    "[click](//example.org/x)",
    "[click](/etc/passwd)",
    "[click](data:text/html,<script>alert(1)</script>)",
    '<a href="/etc/passwd">x</a>',
    '<a href="file.html" onclick="alert(1)">x</a>',
    "<javascript:alert(1)>",
    "<file:///etc/passwd>",
    "[click][ref]\n\n[ref]: javascript:alert(1)",
    '[click](https://example.org "title\\" onmouseover=alert(1)")',
    "<b><i><a href='javascript:1'>x</a></i></b>",
    "<table><tr><td background='file:///x'>x</td></tr></table>",
    "<style>* { background-image: url(file:///etc/passwd) }</style>",
    "<link rel=stylesheet href='file:///x.css'>",
    "<iframe src='https://example.org'></iframe>",
    "<svg><a xlink:href='javascript:1'>x</a></svg>",
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\ncode\n```',
    "    <script>indented</script>",
    "> <script>quoted</script>",
    "| <script>a</script> | ![x](file:///x) |\n|---|---|\n| [y](javascript:1) | <b>z</b> |",
    "[<script>](fact:F1.09)",
    "[F1.09<script>]",
    "- <details open ontoggle=alert(1)>",
]


class Found(HTMLParser):
    """What a browser would see: tags, attributes and addresses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.words = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data

    @property
    def links(self) -> list[str]:
        return [value for name, value in self.attributes if name == "href"]


def assert_harmless(html: str) -> None:
    found = Found(html)
    assert found.tags <= TAGS
    assert {name for name, _ in found.attributes} <= PLAIN_ATTRIBUTES
    for link in found.links:
        assert re.match(r"(https?|fact|map):", link, re.IGNORECASE), link
    for name, value in found.attributes:
        if name == "style":
            assert "url" not in value


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_out_harmless(text):
    assert_harmless(MARKDOWN.html(text))
    assert_harmless(MARKDOWN.inline(text))
    assert_harmless(MARKDOWN.link(text, text))


@given(
    st.lists(st.sampled_from([*HOSTILE, "[F1.09]", "\n", "\n\n", "> ", "* ", "`", "[", "](", ")", "|", "#"]))
)
def test_no_mixture_of_hostile_pieces_gets_through(pieces):
    assert_harmless(MARKDOWN.html("".join(pieces)))


@pytest.mark.parametrize("text", HOSTILE)
def test_the_second_wall_holds_alone(text):
    assert_harmless(clean(text))


@given(st.text())
def test_any_text_renders(text):
    assert_harmless(MARKDOWN.html(text))
    assert_harmless(MARKDOWN.inline(text))


def test_raw_html_is_shown_as_the_text_it_is():
    assert "<script>alert(1)</script>" in Found(MARKDOWN.html("Say <script>alert(1)</script>")).words


def test_a_known_fact_becomes_a_link_tied_to_its_figure():
    html = MARKDOWN.html("The ridge is 295 [F1.09], the prefill 284 ms [F1.14, F1.09].")
    assert Found(html).links == ["fact:F1.09", "fact:F1.14", "fact:F1.09"]
    assert "295<a" in html.replace("\u00a0", "")
    assert "[" not in Found(html).words


@pytest.mark.parametrize(
    "text", ["[F9.99]", "[F1.09, F9.99]", "[not a fact]", "[]", "`[F1.09]`", "\\[F1.09]"]
)
def test_anything_else_in_brackets_stays_text(text):
    assert Found(MARKDOWN.html(text)).links == []


def test_a_pack_cannot_turn_a_fact_reference_into_a_web_link():
    assert Found(MARKDOWN.html("[F1.09]\n\n[F1.09]: https://example.org")).links == ["fact:F1.09"]


def test_plain_is_words_alone():
    assert MARKDOWN.plain("**Bold** & `code` at 295 [F1.09]") == "Bold & code at 295 F1.09"


TABLE = """\
| Mechanism | Time | Note |
|---|---|:-:|
| paging | 284 ms [F1.14] | a |
| prefix | ~1.5 | b |
"""


def test_columns_of_numbers_are_aligned_right_and_given_alignment_is_kept():
    aligned = [value for name, value in Found(MARKDOWN.html(TABLE)).attributes if name == "align"]
    assert aligned == ["left", "right", "center"] * 3


def test_a_column_with_one_word_is_not_a_column_of_numbers():
    html = MARKDOWN.html(TABLE.replace("~1.5", "seconds"))
    assert [v for n, v in Found(html).attributes if n == "align"] == ["left", "left", "center"] * 3


def test_headings_stay_below_the_section_heading():
    assert Found(MARKDOWN.html("# One\n\n## Two\n\n#### Four")).tags == {"h3", "h4"}


@pytest.mark.parametrize("name", ["light", "dark"])
def test_code_takes_its_colours_from_the_theme_alone(name):
    theme = load_theme(name)
    html = Markdown(theme, ()).html('```python\ndef f(x: int) -> str:  # why\n    return "a" + str(1)\n```')
    used = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}", html)}
    assert len(used) > 3
    assert used <= {*theme.palette.values(), *theme.mechanism.values()}


def test_code_in_an_unknown_language_is_shown_as_it_is():
    assert "x <- 1" in Found(MARKDOWN.html("```klingon\nx <- 1\n```")).words
