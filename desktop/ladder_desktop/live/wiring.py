"""Who hears whom on the live panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QComboBox

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


def wire(page: LivePage) -> None:
    """Connect the parts of the page."""
    page.head.chosen.connect(page.starter.tell_scenario)
    page.head.varied.connect(page.starter.tell_what_is_shown)
    page.head.run_wanted.connect(page.run)
    page.head.compare_wanted.connect(page.starter.compare)
    page.head.stop_wanted.connect(page.starter.stop)
    page.head.engine_wanted.connect(page.choosing.ask)
    page.head.explain_wanted.connect(page.starter.explain)
    page.head.ticket_wanted.connect(page.go)
    page.transport.toggled.connect(page.toggle)
    page.transport.stepped.connect(page.step_by)
    page.transport.sped.connect(page.change_speed)
    page.transport.sought.connect(page.seek)
    page.transport.plots_wanted.connect(page.faces.turn_plots)
    page.faces.turned.connect(page.transport.plots.setChecked)
    page.transport.lens_wanted.connect(page.faces.turn_lens)
    page.faces.lens_turned.connect(page.transport.lens.setChecked)
    page.faces.lens_turned.connect(page.live.watch_kernels)
    page.faces.sought.connect(page.seek)
    page.faces.selected.connect(page.select)
    page.faces.described.connect(page.readout.setText)
    keeper = SpaceKeeper(page)
    for widget in (*page.findChildren(QAbstractButton), *page.findChildren(QComboBox)):
        widget.installEventFilter(keeper)


class SpaceKeeper(QObject):
    """A button or a picker that has the keyboard keeps its Space; elsewhere Space plays."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: see the class."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)
