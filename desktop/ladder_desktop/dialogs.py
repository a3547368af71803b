"""A fault or a notice in one sentence. Dialogs never block the event loop."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget


def show_fault(parent: QWidget | None, sentence: str) -> QMessageBox:
    """Say what went wrong and what to do, in one sentence. Returns the open box."""
    return _show(parent, QMessageBox.Icon.Warning, sentence)


def show_notice(parent: QWidget | None, sentence: str) -> QMessageBox:
    """Say that something was done. Returns the open box."""
    return _show(parent, QMessageBox.Icon.Information, sentence)


def _show(parent: QWidget | None, icon: QMessageBox.Icon, sentence: str) -> QMessageBox:
    box = QMessageBox(icon, "Runtime Ladder", sentence, QMessageBox.StandardButton.Ok, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # the sentence may quote a file made by somebody else
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


def give_room(dialog: QDialog, letters: int, lines: int) -> None:
    """Make a dialog so wide and high in its own letters, as far as the screen goes."""
    metrics = dialog.fontMetrics()
    wanted = QSize(letters * metrics.averageCharWidth(), lines * metrics.lineSpacing())
    dialog.resize(wanted.boundedTo(QGuiApplication.primaryScreen().availableSize() * 0.9))
