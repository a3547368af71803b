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
    page.head.chosen.connect(page.tell_scenario)
    page.head.varied.connect(page.tell_what_is_shown)
    page.head.run_wanted.connect(page.run)
    page.head.compare_wanted.connect(page.compare)
    page.head.stop_wanted.connect(page.stop)
    page.head.engine_wanted.connect(page.choosing.ask)
    page.head.explain_wanted.connect(page.explain)
    page.head.ticket_wanted.connect(page.go)
    page.transport.toggled.connect(page.toggle)
    page.transport.stepped.connect(page.step_by)
    page.transport.sped.connect(page.change_speed)
    page.transport.sought.connect(page.seek)
    page.transport.plots_wanted.connect(page.watch.turn_plots)
    page.watch.turned.connect(page.transport.plots.setChecked)
    page.transport.lens_wanted.connect(page.turn_lens)
    page.watch.lens_turned.connect(page.transport.lens.setChecked)
    page.watch.sought.connect(page.seek)
    for view in page.compare_panels.views:
        view.timeline.sought.connect(page.seek)
    for panels in (page.watch, page.compare_panels):
        panels.selected.connect(page.select)
        panels.described.connect(page.readout.setText)
    page.watch.touch.abort_wanted.connect(page.abort_selected)
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
