"""How a lesson looks: the style sheet of the text, and of the widgets around it, made from the theme's colours."""

from __future__ import annotations

from PySide6.QtGui import QColor

from ladder_desktop.theme import Theme

BODY_POINTS = 11.5


def blend(theme: Theme, role: str, over: str, share: float) -> QColor:
    """Return `share` of one colour of the theme laid over another: for tints and muted accents."""
    top, base = theme.colour(role), theme.colour(over)
    return QColor(
        *(round(t * share + b * (1 - share)) for t, b in zip(_rgb(top), _rgb(base), strict=True)),
    )


def text_sheet(theme: Theme, points: float = BODY_POINTS) -> str:
    """Return the CSS of the text, in the subset that Qt's rich text honours."""
    reference = blend(theme, "accent", "muted", 0.55).name()
    line, muted = theme.hex("line"), theme.hex("muted")
    return theme.scaled(f"""
    body {{ color: {theme.hex("text")}; }}
    p {{ line-height: 145%; margin-top: 0px; margin-bottom: 11px; }}
    li {{ line-height: 140%; margin-bottom: 5px; }}
    ul, ol {{ margin-top: 0px; margin-bottom: 12px; }}
    h2 {{ font-size: {points * 1.5:.1f}pt; font-weight: 600; margin-top: 30px; margin-bottom: 14px; }}
    h3 {{ font-size: {points * 1.15:.1f}pt; font-weight: 600; margin-top: 18px; margin-bottom: 6px; }}
    h4, h5 {{ font-size: {points:.1f}pt; font-weight: 600; margin-top: 14px; margin-bottom: 4px; }}
    a {{ color: {theme.hex("accent")}; text-decoration: none; }}
    a.fact {{ color: {reference}; vertical-align: super; }}
    a.ref {{ color: {reference}; }}
    img.math {{ vertical-align: middle; }}
    code {{ font-size: {points * 0.93:.1f}pt; background-color: {theme.hex("sunken")}; }}
    pre {{ font-size: {points * 0.9:.1f}pt; line-height: 130%; white-space: pre-wrap; margin: 0px; }}
    table.data td {{ font-size: {points * 0.93:.1f}pt; }}
    table.data {{ margin-top: 6px; margin-bottom: 18px; border-collapse: collapse; }}
    th {{ font-size: {points * 0.87:.1f}pt; font-weight: 600; color: {muted}; padding: 6px 10px;
          border-bottom: 2px solid {line}; vertical-align: bottom; }}
    td {{ line-height: 125%; padding: 7px 10px; border-bottom: 1px solid {line}; vertical-align: top; }}
    table.code, table.quote {{ margin-top: 4px; margin-bottom: 14px; }}
    table.code td, table.quote td, table.columns td {{ border: none; }}
    table.columns td {{ padding: 0px 24px 0px 0px; }}
    td.quoted {{ padding: 2px 14px; }}
    td.quoted p {{ margin-bottom: 3px; }}
    td.bar {{ padding: 0px; }}
    .muted, .image {{ color: {muted}; }}
    .small {{ color: {muted}; font-size: {points * 0.87:.1f}pt; }}
    .label {{ color: {muted}; font-size: {points * 0.82:.1f}pt; font-weight: 600; margin-bottom: 3px; }}
    """)


def widget_sheet(theme: Theme) -> str:
    """Return the style sheet of the lesson page's own widgets: lists, panes and a focus ring that can be seen."""
    accent, line, surface = theme.hex("accent"), theme.hex("line"), theme.hex("surface")
    return f"""
    QListWidget {{ background: transparent; border: 2px solid transparent; border-radius: 8px; outline: none;
                   padding: 4px; color: {theme.hex("text")}; }}
    QListWidget:focus {{ border-color: {accent}; }}
    QListWidget::item {{ padding: 7px 10px; border-radius: 6px; color: {theme.hex("muted")}; }}
    QListWidget::item:hover {{ background: {theme.hex("sunken")}; }}
    QListWidget::item:selected {{ background: {theme.hex("selection")}; color: {theme.hex("text")}; }}
    QTextBrowser {{ background: {surface}; border: 2px solid transparent; }}
    QTextBrowser:focus {{ border-color: {accent}; }}
    QGraphicsView {{ background: {surface}; border: 2px solid transparent; }}
    QGraphicsView:focus {{ border-color: {accent}; }}
    QTabWidget::tab-bar {{ left: 12px; }}
    QComboBox::drop-down {{ border: none; width: 22px; }}
    QTableView::item {{ padding: 7px 10px; }}
    QTableView::item:focus, QTableView::item:selected {{ background: {theme.hex("selection")}; color: {theme.hex("text")}; }}
    QTableWidget {{ border: 2px solid {line}; }}
    QTableWidget:focus {{ border-color: {accent}; }}
    QFrame#factCard {{ background: {surface}; border: 1px solid {accent}; border-radius: 10px; }}
    QFrame#findBar {{ background: {theme.hex("window")}; border-top: 1px solid {line}; }}
    QPushButton:checked {{ background: {theme.hex("selection")}; border-color: {accent}; }}
    QFrame#factCard QTextBrowser, QFrame#factCard QTextBrowser:focus {{ border: none; }}
    QSplitter::handle {{ background: {line}; }}
    QTableWidget#vectors {{ border-color: transparent; }}
    QTableWidget#vectors:focus {{ border-color: {accent}; }}
    QPlainTextEdit#code {{ background: {surface}; border: 2px solid transparent; padding: 8px 6px; }}
    QPlainTextEdit#output {{ background: {theme.hex("sunken")}; border: 2px solid transparent; padding: 4px 8px; }}
    QPlainTextEdit#code:focus, QPlainTextEdit#output:focus {{ border-color: {accent}; }}
    QLabel#sentence {{ color: {theme.hex("muted")}; }}
    QLabel#sentence[mood="good"] {{ color: {theme.hex("good")}; font-weight: 600; }}
    QLabel#sentence[mood="bad"] {{ color: {theme.hex("bad")}; font-weight: 600; }}
    """


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
