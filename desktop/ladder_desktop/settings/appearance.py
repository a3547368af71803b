"""How the window looks: theme, size of the text, motion."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.contrast import faults
from ladder_desktop.preferences import MOTIONS, ZOOMS, Preferences
from ladder_desktop.settings.row import setting_row
from ladder_desktop.theme import ThemeError
from ladder_desktop.theme_file import BUNDLED, Themes

MOTION_NAMES = dict(zip(MOTIONS, ("As the system", "Full", "Reduced"), strict=True))


class AppearancePanel(QWidget):
    """Three choices over the preferences; the window follows at once."""

    def __init__(self, preferences: Preferences, themes: Themes) -> None:
        super().__init__()
        self._preferences = preferences
        self._themes = themes
        self.theme = _chooser(
            [("system", "As the system"), *((key, themes.title(key)) for key in themes.keys())],  # noqa: SIM118
            preferences.theme,
        )
        self.zoom = _chooser([(str(zoom), f"{zoom} %") for zoom in ZOOMS], str(preferences.zoom))
        self.motion = _chooser(list(MOTION_NAMES.items()), preferences.motion)
        self.theme.activated.connect(self._choose_theme)
        self.zoom.activated.connect(self._choose_zoom)
        self.motion.activated.connect(self._choose_motion)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setProperty("role", "muted")
        own = (
            f'Your own: put a file such as dusk.toml into {themes.folder}, with base = "dark" and the colours it changes.'
            if themes.folder
            else ""
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(
            setting_row(
                "Theme",
                "Two are for people with another colour vision; signs differ in shape as well in all of them. "
                + own,
                self.theme,
            )
        )
        layout.addWidget(self.note)
        layout.addWidget(setting_row("Size of text", "Also Ctrl and +, − or 0, anywhere.", self.zoom))
        layout.addWidget(
            setting_row("Motion", "Reduced: nothing glides or blinks, steps come at once.", self.motion)
        )
        layout.addStretch(1)
        preferences.changed.connect(self._follow)
        self._tell()

    def _choose_theme(self) -> None:
        self._preferences.theme = str(self.theme.currentData())

    def _choose_zoom(self) -> None:
        self._preferences.zoom = int(self.zoom.currentData())

    def _choose_motion(self) -> None:
        self._preferences.motion = str(self.motion.currentData())

    def _follow(self, _name: str) -> None:
        for chooser, value in (
            (self.theme, self._preferences.theme),
            (self.zoom, str(self._preferences.zoom)),
            (self.motion, self._preferences.motion),
        ):
            chooser.setCurrentIndex(chooser.findData(value))
        self._tell()

    def _tell(self) -> None:
        """Say what is wrong with a person's own theme, if anything is."""
        key, said = self._preferences.theme, ""
        if key != "system" and key not in BUNDLED:
            try:
                weak = list(faults(self._themes.load(key)))
                said = f"Hard to read in this theme: {'; '.join(weak[:3])}." if weak else ""
            except ThemeError as error:
                said = str(error)
        self.note.setText(said)
        self.note.setVisible(bool(said))


def _chooser(choices: Sequence[tuple[str, str]], chosen: str) -> Chooser:
    chooser = Chooser()
    chooser.setMinimumWidth(220)
    for key, title in choices:
        chooser.addItem(title, key)
    chooser.setCurrentIndex(max(0, chooser.findData(chosen)))
    chooser.view().setAccessibleName("Choices")
    return chooser
