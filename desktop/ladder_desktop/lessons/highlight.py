"""Code in a lesson as HTML with inline colours, all of them the theme's. Called by markdown.py for each code block."""

from __future__ import annotations

from pygments import highlight as _highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.style import Style
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token
from pygments.util import ClassNotFound

from ladder_desktop.theme import Theme


def highlight(code: str, language: str, theme: Theme) -> str:
    """Return `code` as HTML spans with inline colours; an unknown language is shown as plain text."""
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False, ensurenl=False)
    formatter = HtmlFormatter(style=code_style(theme), noclasses=True, nowrap=True)
    return str(_highlight(code, lexer, formatter))


def code_style(theme: Theme) -> type[Style]:
    """Return the Pygments style of code in this theme, for code blocks and for the editor."""
    colours = {
        Token: theme.hex("text"),
        Comment: f"italic {theme.hex('muted')}",
        Keyword: f"bold {theme.hex('accent')}",
        Name.Builtin: theme.hex("scheduler"),
        Name.Function: theme.hex("scheduler"),
        Name.Class: theme.hex("scheduler"),
        Number: theme.hex("warn"),
        Operator: theme.hex("muted"),
        String: theme.hex("good"),
    }
    return type("LessonStyle", (Style,), {"background_color": theme.hex("sunken"), "styles": colours})
