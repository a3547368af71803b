"""Makes the pages: which there are, in which order, and what each is given. Their modules load when they are first shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from ladder_content.model import Card, Study
from PySide6.QtWidgets import QWidget

from ladder_desktop.home_page import HomePage
from ladder_desktop.models_dir import models_dir
from ladder_desktop.pages import Entry
from ladder_desktop.rail import Mark
from ladder_desktop.study import StudyError

if TYPE_CHECKING:
    from ladder_engine.lab.scenario import Scenario

    from ladder_desktop.app import Application
    from ladder_desktop.review.drill_page import DrillPage
    from ladder_desktop.settings.settings_page import Panel

NUMBERED = 10  # pages with Alt and a digit
WITH_LETTERS = {"interview": "Alt+I", "stats": "Alt+S", "cards": "Alt+C", "settings": "Ctrl+,"}


class PageMaker:
    """The pages of one application, in its present theme."""

    def __init__(self, application: Application) -> None:
        self._app = application

    def entries(self) -> list[Entry]:
        """Return every page of the window, in the order of the rail."""
        studies = [
            (
                f"study:{study.id}",
                f"{study.number}. {study.title}",
                partial(self._lesson, study),
                Mark(study.title, str(study.number), first=place == 0, share=0.0),
            )
            for place, study in enumerate(self._app.pack.studies)
        ]
        pages: list[tuple[str, str, Callable[[], QWidget], Mark]] = [
            ("home", "Today", self._home, Mark("Today", "To")),
            *studies,
            ("drill", "Drill", self._drill, Mark("Drill", "Dr", first=True)),
            ("tickets", "Tickets", self._tickets, Mark("Tickets", "Ti")),
            ("interview", "Mock interview", self._interview, Mark("Mock interview", "Int")),
            ("stats", "Statistics", self._stats, Mark("Statistics", "Sta")),
            ("cards", "Cards", self._cards, Mark("Cards", "Ca")),
            ("live", "Live lab", self._live, Mark("Live lab", "Lab")),
            ("settings", "Settings", self._settings, Mark("Settings", "Set", first=True)),
        ]
        numbered = [page[0] for page in pages if page[0] not in WITH_LETTERS][:NUMBERED]
        keys = {key: f"Alt+{number % 10}" for number, key in enumerate(numbered, start=1)}
        keys |= WITH_LETTERS
        return [Entry(*page, keys=(keys[page[0]],) if page[0] in keys else ()) for page in pages]

    def _home(self) -> QWidget:
        page = HomePage(self._app.desk, self._app.pack, welcome=not self._app.preferences.introduced)
        page.go.connect(self._app.go)
        page.introduced.connect(self._app.note_introduced)
        return page

    def _lesson(self, study: Study) -> QWidget:
        from ladder_desktop.lessons.lesson_page import LessonPage

        page = LessonPage(
            self._app.pack,
            study,
            self._app.theme,
            memory=self._app.preferences,
            voice=self._app.preferences,
            own=self._app.pack_in_own_words,
        )
        page.go.connect(self._app.go)
        return page

    def _drill(self) -> QWidget:
        from ladder_desktop.review.drill_page import DrillPage

        page = DrillPage(self._app.desk, self._app.pack, self._app.theme, typing=self._app.preferences)
        page.go.connect(self._app.go)
        page.answered.connect(self._app.refresh_counts)
        return page

    def _tickets(self) -> QWidget:
        from ladder_desktop.review.ticket_page import TicketPage

        page = TicketPage(self._app.desk, self._app.pack, self._app.theme, variants=self._variants)
        page.go.connect(self._app.go)
        page.answered.connect(self._app.refresh_counts)
        return page

    def _interview(self) -> QWidget:
        from ladder_desktop.interview.interview_page import InterviewPage

        page = InterviewPage(self._app.desk, self._app.pack, self._app.theme, voice=self._app.preferences)
        page.go.connect(self._app.go)
        page.answered.connect(self._app.refresh_counts)
        return page

    def _live(self) -> QWidget:
        from ladder_engine.serving.client import EngineClient

        from ladder_desktop.live.live_page import LivePage
        from ladder_desktop.live.live_run import Watched

        client = partial(EngineClient, models_dir=models_dir(self._app.data_dir))
        kept = self._app.window.kept("live")
        page = LivePage(
            self._scenarios,
            self._app.theme,
            client,
            self._app.pack,
            self._keep,
            self._app.preferences,
            models_dir(self._app.data_dir),
            run=kept.run if isinstance(kept, Watched) else None,
        )
        page.failed.connect(self._app.say_fault)
        page.go.connect(self._app.go)
        return page

    def _keep(self, study_id: str, card: Card) -> str:
        """Keep a card of the lab; returns a sentence on what became of it."""
        try:
            self._app.keep_card(study_id, card)
        except StudyError as error:
            return str(error)
        return "Kept: the drill asks it again. Undo there takes it back."

    @cached_property
    def _scenarios(self) -> tuple[Scenario, ...]:
        from ladder_engine.lab.scenario import bundled_scenarios

        return bundled_scenarios()

    def _variants(self, scenario_id: str) -> Sequence[str]:
        """Return the names of a scenario's variants; ("",) if it has none, () if there is no such scenario."""
        return next((one.variant_names for one in self._scenarios if one.id == scenario_id), ())

    def _stats(self) -> QWidget:
        from ladder_desktop.stats.stats_page import StatsPage

        page = StatsPage(self._app.desk, self._app.pack, self._app.theme)
        page.go.connect(self._app.go)
        return page

    def _cards(self) -> QWidget:
        from ladder_desktop.review.card_list_page import CardListPage

        page = CardListPage(self._app.desk, self._app.pack, self._app.theme)
        page.go.connect(self._app.go)
        page.answered.connect(self._app.refresh_counts)
        page.crammed.connect(self._cram)
        return page

    def _cram(self, item_ids: list[str], query: str) -> None:
        """Go through cards that were chosen in the list."""
        self._app.window.show_page("drill")
        cast("DrillPage", self._app.window.page("drill")).start_session(item_ids, query)

    def _settings(self) -> QWidget:
        from ladder_desktop.settings.settings_page import Panel, SettingsPage

        return SettingsPage(self._panels(Panel))

    def _panels(self, panel: type[Panel]) -> list[Panel]:
        return [
            panel("appearance", "Appearance", self._appearance),
            panel("study", "Study", self._study),
            panel("voice", "Voice", self._voice),
            panel("keys", "Keys", self._keys),
            panel("data", "Your data", self._data),
        ]

    def _appearance(self) -> QWidget:
        from ladder_desktop.settings.appearance import AppearancePanel

        return AppearancePanel(self._app.preferences, self._app.themes)

    def _study(self) -> QWidget:
        from ladder_desktop.review.study_settings import StudySettingsPanel

        panel = StudySettingsPanel(self._app.desk, self._app.theme, self._app.preferences)
        panel.changed.connect(self._app.refresh_counts)
        return panel

    def _voice(self) -> QWidget:
        from ladder_desktop.lessons.voice_settings import VoicePanel

        return VoicePanel(self._app.preferences)

    def _keys(self) -> QWidget:
        from ladder_desktop.settings.keys_panel import KeysPanel

        self._app.window.build_all()
        return KeysPanel(self._app.registry)

    def _data(self) -> QWidget:
        from ladder_desktop.settings.data_panel import DataPanel

        return DataPanel(self._app.data_dir, self._app.restore)
