"""`make shots`: every page in two themes and two sizes of text, as pictures for somebody to look at.

The profile has six weeks of answers in it, and the live lab runs the real engine. It is no test: it says nothing about
what it sees.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from random import Random
from typing import Any

from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Pack
from ladder_desktop.app import Application
from ladder_desktop.preferences import Preferences
from ladder_desktop.start import make_qt
from ladder_desktop.study import Desk, Rating, items_of, kin_of
from ladder_desktop.theme import apply
from ladder_desktop.theme_file import Themes, wanted_theme
from PySide6.QtCore import QDeadlineTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QScrollArea, QWidget

LOOKS = (("light", 100), ("dark", 100), ("light", 150), ("dark", 150))
DAYS, A_DAY = 40, 14
SETTLE_MS, PATIENCE_MS = 150, 120_000


class Past:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC) - timedelta(days=DAYS)

    def now(self) -> datetime:
        """Return the time it is set to."""
        return self.at

    def zone(self) -> tzinfo:
        """Return UTC."""
        return UTC


def study_for_weeks(folder: Path, pack: Pack) -> None:
    """Give a profile a history."""
    clock, random = Past(), Random(1)
    with Desk.open(folder, clock) as desk:
        desk.register(items_of(pack), kin_of(pack))
        for _ in range(DAYS):
            for _ in range(random.randint(A_DAY // 2, A_DAY)):
                if (item := desk.next_item()) is not None:
                    rating = random.choices(list(Rating), (2, 2, 8, 2))[0]
                    desk.answer(item.item_id, rating, timedelta(seconds=random.randint(5, 50)))
                clock.at += timedelta(minutes=1)
            clock.at += timedelta(days=1) - timedelta(minutes=A_DAY)


class Shots:
    """One window in one look, and the pictures of its pages."""

    def __init__(self, application: Application, folder: Path) -> None:
        self.app, self.window, self.folder = application, application.window, folder
        self.number = 0

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """Picture the window, or what lies over it."""
        QTest.qWait(SETTLE_MS)
        self.number += 1
        (widget or self.window).grab().save(str(self.folder / f"{self.number:02}-{name}.png"))

    def page(self, key: str) -> Any:
        """Show a page and return it."""
        self.window.show_page(key)
        QTest.qWait(SETTLE_MS)
        return self.window.page(key)

    def all(self) -> None:
        """Picture everything."""
        for part in (
            self.home,
            self.lesson,
            self.drill,
            self.tickets,
            self.interview,
            self.progress,
            self.live,
        ):
            part()
        for key in ("appearance", "study", "voice", "keys", "data"):
            self.page("settings").show_panel(key)
            self.take(f"settings-{key}")
        self.over()

    def home(self) -> None:
        """Today, and the view of the very first start."""
        self.page("home")
        self.take("home")

    def lesson(self) -> None:
        """The four tabs of the first study."""
        study = self.app.pack.studies[0]
        page = self.page(f"study:{study.id}")
        page.show_gist()
        self.take("gist")
        page.show_section(study.sections[2].id)
        self.take("gist-further")
        for one in study.maps[:2]:
            page.show_map(one.id, one.nodes[2].id)
            self.take(f"map-{one.id}")
        page.show_card(study.cards[0].id)
        page.questions.toggle_answer()
        self.take("questions")
        page.show_sandbox()
        page.sandbox.run()
        wait(lambda: not page.sandbox.runner.running)
        self.take("sandbox")

    def drill(self) -> None:
        """One card of each kind, asked and answered."""
        page = self.page("drill")
        cards = [card for study in self.app.pack.studies for card in study.cards]
        for kind in ("qa", "numeric", "cloze", "lever"):
            page.show_card(next(card.id for card in cards if card.kind == kind))
            self.take(f"drill-{kind}")
            if kind == "numeric":
                page.card_view.attempt.field.line.setText("12")
            page.pick(0) if kind == "lever" else page.reveal()
            self.take(f"drill-{kind}-answer")
        page.tools.show_history()
        for dialog in dialogs():
            self.take("history", dialog)
        page.tools.edit_card()
        for dialog in dialogs():
            self.take("edit", dialog)
        page.cram(f"study:{self.app.pack.studies[0].id}")
        self.take("drill-session")
        page.leave_session()

    def tickets(self) -> None:
        """The list, and one on the board until its end."""
        page = self.page("tickets")
        self.take("tickets")
        page.list.open_current()
        page.pick(0)
        self.take("ticket-step")
        page.strike()
        page.show_reading()
        for _ in range(3):
            page.pick(1)
        self.take("ticket-end")
        page.show_next()

    def interview(self) -> None:
        """Set up, asked, answered, and what came of it."""
        page = self.page("interview")
        self.take("interview")
        page.begin()
        self.take("interview-first")
        for _ in range(4):
            if page.session is None:
                break
            if page.session.card is None:
                for _ in range(4):
                    page.pick(0)
            self.take(f"interview-{page.session.part}")
            page.go_on()
        page.end()
        self.take("interview-end")
        page.show_setup()

    def progress(self) -> None:
        """Statistics from top to bottom, and the list of cards."""
        page = self.page("stats")
        self.take("stats")
        for scroll in scrolls(page):
            for share in (0.33, 0.66, 1.0):
                scroll.setValue(round(scroll.maximum() * share))
                self.take(f"stats-{share:.0%}")
        page.show_tables(True)
        self.take("stats-tables")
        page.show_tables(False)
        self.page("cards")
        self.take("cards")

    def live(self) -> None:
        """One run watched in every view, and two compared."""
        page = self.page("live")
        self.take("live-empty")
        page.run()
        wait(lambda: page.player.edge.ended is not None)
        page.seek(page.player.last * 2 // 5)
        page.select(0)
        self.take("live")
        page.faces.turn_table()
        page.faces.turn_batch()
        page.watch.write_prompt()
        self.take("live-touch")
        page.watch.turn_slots()
        self.take("live-tables")
        page.faces.turn_table()
        page.faces.turn_batch()
        self.take("live-slots")
        page.watch.turn_slots()
        page.faces.turn_plots()
        self.take("live-plots")
        page.faces.turn_plots()
        page.diagnosis.ask()
        wait(lambda: not page.diagnosis.dialog.runner.running)
        for dialog in dialogs():
            self.take("live-classify", dialog)
        page.faces.turn_lens()
        page.run()
        wait(lambda: page.player.edge.ended is not None)
        page.seek(page.player.last * 2 // 5)
        page.select(0)
        self.take("live-lens")
        page.faces.turn_lens()
        two = next(one for one in page.head.scenarios if len(one.variant_names) > 1)
        page.choose(f"{two.id}?compare")
        wait(lambda: not page.busy)
        page.seek(page.duet.last // 2)
        self.take("live-compare")

    def over(self) -> None:
        """What lies over a page: the palette, the keys, a narrow window."""
        self.page("home")
        self.app.palette.open()
        for dialog in dialogs():
            dialog.findChild(QLineEdit).setText("cache")
            self.take("palette", dialog)
        self.window.show_shortcuts()
        for dialog in dialogs():
            self.take("shortcuts", dialog)
        self.window.resize(760, 620)
        for key in ("home", f"study:{self.app.pack.studies[0].id}", "drill", "tickets", "stats", "live"):
            self.page(key)
            self.take(f"narrow-{key.partition(':')[0]}")


def dialogs() -> Iterator[QWidget]:
    """Yield what lies over the window, and close it."""
    QTest.qWait(SETTLE_MS)
    while (dialog := QApplication.activeModalWidget() or QApplication.activePopupWidget()) is not None:
        yield dialog
        dialog.close()
        QTest.qWait(SETTLE_MS)


def scrolls(page: QWidget) -> Iterator[Any]:
    """Yield the bar that scrolls a page, if there is one."""
    for area in page.findChildren(QScrollArea):
        if area.isVisible() and area.verticalScrollBar().maximum():
            yield area.verticalScrollBar()
            return


def wait(done: Callable[[], bool]) -> None:
    """Let the window work until something is so; TimeoutError if it never is."""
    deadline = QDeadlineTimer(PATIENCE_MS)
    while not done():
        if deadline.hasExpired():
            raise TimeoutError
        QTest.qWait(20)


def main(out: Path, looks: Sequence[tuple[str, int]] = LOOKS) -> None:
    qt, pack = make_qt(), load_pack(bundled_pack())
    for theme, zoom in looks:
        folder = out / f"{theme}-{zoom}"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            profile = Path(name)
            study_for_weeks(profile, pack)
            preferences = Preferences.open(profile)
            preferences.introduced, preferences.theme, preferences.zoom = True, theme, zoom
            preferences.motion = "reduced"
            look = wanted_theme(Themes(profile), preferences)
            apply(qt, look)
            application = Application(profile, pack, Desk.open(profile), look)
            application.window.resize(1280, 820)
            application.begin("home")
            QTest.qWait(SETTLE_MS)
            shots = Shots(application, folder)
            try:
                shots.all()
            finally:
                application.close()
        print(f"{shots.number} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
