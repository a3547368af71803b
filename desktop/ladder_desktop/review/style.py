"""The look that only the review pages have, on top of the application's style sheet. Every colour is the theme's."""

from __future__ import annotations

from ladder_desktop.theme import Theme

SHEET = """
QScrollArea#column, QScrollArea#column > QWidget > QWidget#page { background: transparent; }
QScrollArea#column { border: 1px solid transparent; border-radius: 8px; }
QScrollArea#column[ring="true"] { border-color: @accent; }

QLabel#question { font-size: 20pt; font-weight: 600; color: @text; }
QLabel#overline { font-size: 9.5pt; font-weight: 600; color: @faint; }
QLabel#caption { font-size: 10pt; color: @muted; }
QLabel#prose, QLabel#answer { font-size: 11.5pt; color: @text; }
QLabel#chosen { font-weight: 600; color: @text; }
QLabel#sources { font-size: 9.5pt; color: @faint; }
QLabel#prompt { font-size: 13pt; font-weight: 600; color: @text; }
QLabel#reading { font-size: 16pt; font-weight: 600; color: @text; }
QLabel#score { font-size: 22pt; font-weight: 600; color: @text; }
QLabel#mark { font-size: 30pt; color: @good; }
QLabel#verdict { font-weight: 600; color: @muted; }
QLabel#verdict[right="true"] { color: @good; font-weight: 600; }
QLabel#verdict[right="false"] { color: @bad; font-weight: 600; }

QLineEdit#typed { font-size: 14pt; padding: 6px 10px; border: 1px solid @line; }
QLineEdit#typed:focus { border: 1px solid @accent; }
QLabel#unit { font-size: 13pt; color: @muted; }
QPushButton#link { background: transparent; border: 1px solid transparent; border-radius: 4px; color: @accent;
    padding: 2px 4px; margin-left: -4px; }
QPushButton#link:hover { text-decoration: underline; }
QPushButton#link:focus { border: 1px solid @accent; }

QLabel#count { font-size: 10.5pt; color: @muted; }
QFrame#rule { background: @line; border: none; max-height: 1px; min-height: 1px; }
QFrame#upright { background: @line; border: none; max-width: 1px; min-width: 1px; }
QFrame#footer { background: @window; border: none; border-top: 1px solid @line; }
QFrame#aside { background: @sunken; border: none; border-left: 3px solid @accent; border-radius: 4px; }
QLabel#caption[marked="true"] { font-weight: 600; color: @accent; }
QFrame#tile[marked="true"] { border: 2px solid @accent; }
QFrame#tile { background: @sunken; border: none; border-radius: 8px; }
QFrame#factCard { background: @surface; border: 1px solid @accent; border-radius: 10px; }
QFrame#factCard QTextBrowser, QFrame#factCard QTextBrowser:focus { background: @surface; border: none; }
QFrame#notice { background: @surface; border: 1px solid @bad; border-radius: 8px;
    margin: 0 32px 4px 32px; }
QFrame#toast { background: @text; border: none; border-radius: 8px; }
QFrame#toast QLabel { color: @window; }
QFrame#toast QPushButton { background: transparent; color: @window; border: 1px solid transparent; font-weight: 600;
    padding: 4px 10px; text-decoration: underline; }
QFrame#toast QPushButton:focus { border: 1px solid @window; }

QListWidget#tickets { background: transparent; border: 2px solid transparent; border-radius: 8px; outline: none; }
QListWidget#tickets:focus { border-color: @accent; }
"""


def style_sheet(theme: Theme) -> str:
    """Return the sheet in the theme's colours, longest names first so that no name eats the start of another."""
    sheet = SHEET
    for name, value in sorted(theme.palette.items(), key=lambda item: -len(item[0])):
        sheet = sheet.replace(f"@{name}", value)
    return theme.scaled(sheet)
