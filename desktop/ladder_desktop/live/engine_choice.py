"""What the next runs of the lab compute with: the model, and the kernels. What each costs is said before it is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ladder_engine.lab.scenario import Scenario
from ladder_engine.weights.model_store import ModelStore
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.live.choice import KERNELS, Choice, model_words

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


class Choosing(QObject):
    """Knows what the next runs of the lab compute with, and lets a person choose."""

    def __init__(self, page: LivePage, models_dir: Path | None) -> None:
        super().__init__(page)
        self._page, self._models_dir = page, models_dir
        self.choice = Choice()

    def ask(self) -> None:
        """Open the dialog for the scenario that is picked."""
        scenario = self._page.head.scenario
        if scenario is not None:
            dialog = EngineChoice(self.choice, scenario, self._models_dir, self._page)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.chosen.connect(self.choose)
            dialog.open()

    def choose(self, choice: Choice) -> None:
        """The next runs compute with this."""
        self.choice = choice
        self._page.head.show_engine("" if choice == Choice() else f"The next run: {choice.words}.")


class EngineChoice(QDialog):
    """Emits `chosen` with a Choice when it is accepted."""

    chosen = Signal(object)

    def __init__(
        self, choice: Choice, scenario: Scenario, models_dir: Path | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._scenario, self._models_dir = scenario, models_dir
        self.models, self.kernels = Chooser(), Chooser()
        self.model_cost, self.kernel_cost = QLabel(), QLabel()
        self.models.addItem(f"The scenario's own: {scenario.model}", "")
        for row in ModelStore(models_dir or Path("no-models")).rows():
            self.models.addItem(row.name, row.name)
        for mode, (name, _) in KERNELS.items():
            self.kernels.addItem(name, mode)
        self.models.setCurrentIndex(max(0, self.models.findData(choice.model)))
        self.kernels.setCurrentIndex(self.kernels.findData(choice.kernels))
        self.setWindowTitle("Model and kernels of the next run")
        self._lay_out()
        self.models.currentIndexChanged.connect(self._tell)
        self.kernels.currentIndexChanged.connect(self._tell)
        self._tell()

    @property
    def choice(self) -> Choice:
        """What is chosen now."""
        return Choice(self.models.currentData(), self.kernels.currentData())

    def _tell(self) -> None:
        self.model_cost.setText(model_words(self.choice, self._scenario, self._models_dir))
        self.kernel_cost.setText(KERNELS[self.choice.kernels][1])

    def _accept(self) -> None:
        self.chosen.emit(self.choice)
        self.accept()

    def _lay_out(self) -> None:
        for chooser, name in ((self.models, "Model"), (self.kernels, "Kernels")):
            chooser.setAccessibleName(name)
            chooser.view().setAccessibleName(f"{name} to choose from")
        for label in (self.model_cost, self.kernel_cost):
            label.setWordWrap(True)
            label.setProperty("role", "muted")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setMinimumWidth(460)
            label.setMinimumHeight(
                3 * label.fontMetrics().lineSpacing()
            )  # nothing jumps from choice to choice
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        form = QFormLayout()
        form.addRow("Model", self.models)
        form.addRow("", self.model_cost)
        form.addRow("Kernels", self.kernels)
        form.addRow("", self.kernel_cost)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        note = QLabel(
            "Add a model with `runtime-ladder models add PATH`. What a scenario was written to show was checked with its "
            "own model."
        )
        note.setWordWrap(True)
        note.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addLayout(form)
        layout.addWidget(note)
        layout.addWidget(buttons)
