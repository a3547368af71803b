"""Markdown of a stranger as HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.exporting.markup import escape, to_html, to_inline_html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a **b** *c* `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("295 FLOP/B [F1.09]", "<p>295 FLOP/B [F1.09]</p>"),
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        ("![alt](https://a.example/b.png)", "<p></p>"),
        ("[a](http://a.example)", '<p><a rel="noopener noreferrer">a</a></p>'),
        ("[sound:a.mp3]", "<p>&#91;sound:a.mp3]</p>"),
        ("[SOUND:a.mp3] [Latex]", "<p>&#91;SOUND:a.mp3] &#91;Latex]</p>"),
        ("a\x1fb\x00", "<p>ab</p>"),
    ],
)
def test_markdown_becomes_plain_html(markdown: str, html: str) -> None:
    assert to_html(markdown) == html


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


PIECES = st.sampled_from(
    [
        "<script>",
        "</code>",
        "<img src=x onerror=y>",
        "[a](javascript:x)",
        "[a]: https://b",
        "![",
        "](",
        "](https://a)",
        "`",
        "```\n",
        "**",
        "&lt;",
        "&#x3c;script&#x3e;",
        "<!--",
        "\n\n",
        "> ",
        "[sound:",
        "[latex]",
        "a",
        "\x1f",
        '"',
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_text_yields_anything_active(markdown: str) -> None:
    for html in (to_html(markdown), to_inline_html(markdown), escape(markdown)):
        tags = Tags()
        tags.feed(html)
        for tag, attributes in tags.found:
            assert tag not in ("script", "img", "iframe", "svg", "style")
            assert not [name for name in attributes if name.startswith("on")]
            assert (attributes.get("href") or "https:").startswith("https:")
        assert "[sound:" not in html
        assert "[latex]" not in html
        assert "\x1f" not in html
