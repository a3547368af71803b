"""What holds for both pages: names for everything that takes the focus, and text of a stranger's pack does no harm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Metric, Pack
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.review_page import ReviewPage
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.study import Desk, Rating, items_of
from ladder_desktop.theme import Theme
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from .conftest import TravelClock


def nameless(page: QWidget) -> list[QWidget]:
    return [
        widget
        for widget in (page, *page.findChildren(QWidget))
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not widget.accessibleName()
    ]


def test_everything_on_the_drill_that_takes_the_focus_has_a_name(drill: DrillPage) -> None:
    assert not nameless(drill)
    drill.reveal()
    assert not nameless(drill)
    for _ in range(3):
        drill.reveal()
        drill.rate(Rating.EASY)
    assert drill.item is None
    assert not nameless(drill)


def test_everything_on_the_tickets_that_takes_the_focus_has_a_name(tickets: TicketPage) -> None:
    assert not nameless(tickets)
    tickets.list.open_current()
    for _ in range(4):
        assert not nameless(tickets)
        tickets.pick(0)
    assert not nameless(tickets)


def test_rating_buttons_say_the_interval(drill: DrillPage) -> None:
    drill.reveal()
    for rating, button in drill.rating_bar.buttons.items():
        assert button.accessibleName() == f"{rating.name.capitalize()}, next in {button.interval}"


def hostile(secret: Path) -> str:
    return (
        f'<img src="{secret.as_uri()}"> ![x]({secret.as_uri()}) <script>alert(1)</script> '
        f"[go](javascript:alert(1)) [read]({secret.as_uri()}) <a href='{secret.as_uri()}'>b</a> & \\0 "
        "<style>* {{ color: red }}</style> &lt;b&gt; %s {0} \u202e"
    )


def everywhere(value: object, text: str) -> object:
    """Put a text into every field of a pack that is shown; ids, names of steps and numbers stay."""
    if isinstance(value, msgspec.Struct):
        kept = {"id", "name", "number", "difficulty", "correct", "facts", "kind"}
        if isinstance(value, Metric):
            kept = set()
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return type(value)(**{k: v if k in kept else everywhere(v, text) for k, v in fields.items()})
    if isinstance(value, tuple):
        return tuple(everywhere(each, text) for each in value)
    return text if isinstance(value, str) else value


@pytest.fixture
def hostile_pack(pack: Pack, tmp_path: Path) -> Pack:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not for you")
    changed = everywhere(pack, hostile(secret))
    assert isinstance(changed, Pack)
    return msgspec.structs.replace(changed, id="demo", facts=pack.facts)


def rich_texts(page: QWidget) -> list[str]:
    return [
        label.text().split("</style>", 1)[-1]
        for label in page.findChildren(QLabel)
        if label.textFormat() == Qt.TextFormat.RichText
    ]


def plain_by_format(page: QWidget) -> list[QLabel]:
    """Labels that guess whether their text is rich: none may show a pack's text."""
    guessing = [label for label in page.findChildren(QLabel) if label.textFormat() == Qt.TextFormat.AutoText]
    return [label for label in guessing if "alert" in label.text()]


@pytest.mark.parametrize("kind", [DrillPage, TicketPage])
def test_hostile_text_is_harmless(
    kind: Callable[[Desk, Pack, Theme, TravelClock], ReviewPage],
    hostile_pack: Pack,
    desk: Desk,
    theme: Theme,
    clock: TravelClock,
    on_screen: Callable[[QWidget], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    desk.register(items_of(hostile_pack))
    page = kind(desk, hostile_pack, theme, clock)
    on_screen(page)
    if isinstance(page, DrillPage):
        page.reveal()
    elif isinstance(page, TicketPage):
        page.list.open_current()
        for _ in range(4):
            page.pick(1)
    page.grab()
    texts = rich_texts(page)
    assert any("alert(1)" in text for text in texts)
    for text in texts:
        for forbidden in ("<img", "<script", "<style", 'href="javascript', 'href="file'):
            assert forbidden not in text.lower()
    assert not plain_by_format(page)
    page.rate(Rating.GOOD)
    assert len(desk.history.reviews()) == 1
    assert not opened
    page.deactivate()


def clipped(page: QWidget) -> list[str]:
    """Labels on screen that are too small for their text."""
    return [
        f"{label.text()[-60:]} {label.size()} {label.heightForWidth(label.width())}"
        for label in page.findChildren(QLabel)
        if label.isVisible() and label.wordWrap() and label.height() < label.heightForWidth(label.width())
    ]


def assert_nothing_clipped(page: QWidget) -> None:
    for turn in range(10):  # nested layouts settle over a few turns of the event loop
        QApplication.processEvents()
        if turn and not clipped(page):
            return
    assert not clipped(page)


@pytest.fixture(params=[(1064, 740), (800, 600)])
def small_page(request: pytest.FixtureRequest, qtbot: QtBot) -> Callable[[ReviewPage], None]:
    def show(page: ReviewPage) -> None:
        qtbot.addWidget(page)
        page.resize(*request.param)
        page.show()
        page.activate()
        assert page.width() <= 1064  # what the window has beside its rail at 1280

    return show


@pytest.fixture
def bundled(tmp_path: Path, clock: TravelClock) -> Iterator[tuple[Desk, Pack]]:
    pack = load_pack(bundled_pack())
    with Desk.open(tmp_path / "bundled", clock, new_per_day=1000) as desk:
        desk.register(items_of(pack))
        yield desk, pack


def test_every_bundled_card_can_be_read_and_rated(
    bundled: tuple[Desk, Pack], theme: Theme, clock: TravelClock, small_page: Callable[[ReviewPage], None]
) -> None:
    desk, pack = bundled
    page = DrillPage(desk, pack, theme, clock)
    small_page(page)
    cards = sum(len(study.cards) for study in pack.studies)
    for _ in range(cards):
        page.reveal()
        assert_nothing_clipped(page)
        page.rate(Rating.EASY)
    assert len({review.item_id for review in desk.history.reviews()}) == cards
    assert page.item is None
    page.deactivate()


def test_every_bundled_ticket_can_be_read_and_answered(
    bundled: tuple[Desk, Pack], theme: Theme, clock: TravelClock, small_page: Callable[[ReviewPage], None]
) -> None:
    desk, pack = bundled
    page = TicketPage(desk, pack, theme, clock)
    small_page(page)
    tickets = [ticket for study in pack.studies for ticket in study.tickets]
    for ticket in tickets:
        page.open_ticket(f"{pack.id}/{ticket.id}")
        for step in ticket.steps:
            assert page.board.current is not None
            assert len(page.board.current.buttons) == len(step.options)
            page.pick(0)
            assert_nothing_clipped(page)
        page.rate(Rating.EASY)
    assert len(desk.history.reviews()) == len(tickets)
    page.deactivate()


def is_in_view(widget: QWidget, viewport: QWidget) -> bool:
    bottom = widget.mapTo(viewport, widget.rect().bottomLeft()).y()
    return widget.isVisible() and 0 < bottom <= viewport.height()


def test_the_step_that_waits_is_scrolled_into_view(tickets: TicketPage, qtbot: QtBot) -> None:
    tickets.resize(1000, 520)
    tickets.list.open_current()
    for _ in range(3):
        tickets.pick(0)
        last = tickets.board.current
        assert last is not None
        qtbot.waitUntil(partial(is_in_view, last.buttons[-1], tickets.board.right.viewport()))
