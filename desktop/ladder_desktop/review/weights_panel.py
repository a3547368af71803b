"""The weights of FSRS: the numbers, the way back to the usual ones, and fitting them to a person's own answers."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from ladder_desktop.beside import Beside
from ladder_desktop.review.announce import announce
from ladder_desktop.review.steps_text import read_weights, written_weights
from ladder_desktop.settings.row import setting_row
from ladder_desktop.study import Algorithm, Desk
from ladder_desktop.study.optimiser import HOW_TO_INSTALL, Outcome, is_installed, optimise


class WeightsPanel(QWidget):
    """Emits `edited` when the field changes; nothing is stored here."""

    edited = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.field = QPlainTextEdit()
        self.field.setObjectName("field")
        self.field.setAccessibleName("Weights")
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(76)
        self.field.textChanged.connect(self.edited)
        self.fit = QPushButton("Fit to my answers")
        self.fit.setAccessibleName(self.fit.text())
        self.fit.setEnabled(is_installed())
        self.fit.setToolTip("" if is_installed() else HOW_TO_INSTALL)
        self.fit.setAccessibleDescription(self.fit.toolTip())
        self.fit.clicked.connect(self.start_fit)
        self.defaults = QPushButton("Default weights")
        self.defaults.setAccessibleName(self.defaults.text())
        self.defaults.clicked.connect(self._put_defaults)
        self.said = QLabel(self.fit.toolTip())
        self.said.setWordWrap(True)
        self.fitting = Beside(self)
        self.fitting.finished.connect(self._fitted)
        self.fitting.failed.connect(self._fit_failed)
        self._build()

    def weights(self) -> tuple[float, ...]:
        """Return what the field says; StudyError if these are no weights."""
        return read_weights(self.field.toPlainText())

    def show_weights(self, weights: tuple[float, ...]) -> None:
        """Fill the field."""
        self.field.setPlainText(written_weights(weights))

    def start_fit(self) -> None:
        """Fit weights to the log, beside the window."""
        self.fit.setEnabled(False)
        self.said.setText("Fitting…")
        self.fitting.start(self._desk.apart(_fit))

    def shutdown(self) -> None:
        """Leave no thread behind."""
        self.fitting.stop()

    def _fitted(self, outcome: Outcome) -> None:
        self.fit.setEnabled(True)
        self.said.setText(outcome.sentence)
        announce(self, outcome.sentence)
        if outcome.parameters is not None:
            self.show_weights(outcome.parameters)
            self.said.setText(f"{outcome.sentence} They stand in the field; Save takes them over.")

    def _fit_failed(self, error: BaseException) -> None:
        self.fit.setEnabled(True)
        self.said.setText(f"The weights could not be fitted ({error}); they stay as they are.")

    def _put_defaults(self) -> None:
        self.show_weights(Algorithm().parameters)

    def _build(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        rows.addWidget(
            setting_row(
                "Weights",
                "The 21 numbers of FSRS-6. Fitting judges new ones on answers they have not seen.",
            )
        )
        rows.addWidget(self.field)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.fit)
        buttons.addWidget(self.defaults)
        buttons.addStretch(1)
        rows.addLayout(buttons)
        rows.addWidget(self.said)


def _fit(desk: Desk) -> Outcome:
    return optimise(desk.planner.histories(), desk.settings.algorithm)
