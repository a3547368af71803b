"""The Maps tab: what a click, a key, a step and the table show."""

from __future__ import annotations

import pytest
from ladder_content.mermaid import mermaid
from ladder_desktop.lessons.map_items import Box
from ladder_desktop.lessons.maps import MapsView
from ladder_desktop.lessons.markdown import Markdown
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QPushButton


@pytest.fixture
def view(qtbot, pack, study, theme):
    view = MapsView(study, Markdown(theme, {fact.id for fact in pack.facts}), theme)
    qtbot.addWidget(view)
    view.resize(1080, 700)
    view.show()
    view.setFocus()
    qtbot.waitUntil(view.canvas.hasFocus)
    return view


def button(view, action) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.accessibleName() == action.text())


def boxes(view) -> dict[str, Box]:
    return {item.place: item for item in view.canvas.scene().items() if isinstance(item, Box)}


def press(qtbot, view, key, times: int = 1, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    for _ in range(times):
        qtbot.keyClick(view.window().focusWidget(), key, modifier)


def test_nothing_is_drawn_before_the_tab_is_seen(qtbot, study, theme):
    view = MapsView(study, Markdown(theme, ()), theme)
    qtbot.addWidget(view)
    assert view.canvas.scene().items() == []


def test_every_box_and_arrow_is_drawn_and_the_whole_map_is_seen(view, study):
    chart = study.maps[0]
    places = {item.place for item in view.canvas.scene().items()}
    assert places == {node.id for node in chart.nodes} | set(range(len(chart.edges)))
    seen = view.canvas.mapToScene(view.canvas.viewport().rect()).boundingRect()
    assert seen.adjusted(-2, -2, 2, 2).contains(view.canvas.sceneRect())  # a view ends at whole pixels
    assert chart.summary in view.pane.toPlainText()


def test_a_click_on_a_box_tells_why_it_exists_and_where_it_leads(qtbot, view, study):
    node = study.maps[0].nodes[2]
    where = view.canvas.mapFromScene(boxes(view)[node.id].boundingRect().center())
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=where)
    told = view.pane.toPlainText()
    assert view.canvas.place == node.id
    assert "exists because something was scarce" in told
    assert "Continuous batching: free blocks" in told
    assert "KV cache: slots by block" in told


def test_a_click_on_an_arrow_tells_protocol_direction_effect_and_consequence(qtbot, view, study):
    edge = study.maps[0].edges[2]
    label = next(i for i in view.canvas.scene().items() if i.place == 2 and i.zValue() == 1)
    where = view.canvas.mapFromScene(label.boundingRect().center())
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=where)
    told = view.pane.toPlainText()
    for text in (edge.label, edge.protocol, edge.direction, edge.effect, edge.consequence):
        assert text in told


def test_a_drag_chooses_nothing_and_a_click_beside_everything_lets_go(qtbot, view, study):
    canvas = view.canvas
    canvas.choose("core")
    middle = canvas.mapFromScene(boxes(view)["cache"].boundingRect().center())
    qtbot.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle + QPoint(60, 0))
    assert canvas.place == "core"
    qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert canvas.place is None


def test_tab_walks_every_place_and_then_leaves_the_map(qtbot, view, study):
    chart, seen = study.maps[0], []
    for _ in range(len(chart.nodes) + len(chart.edges)):
        press(qtbot, view, Qt.Key.Key_Tab)
        seen.append(view.canvas.place)
        assert view.canvas.hasFocus()
    assert set(seen) == {node.id for node in chart.nodes} | set(range(len(chart.edges)))
    press(qtbot, view, Qt.Key.Key_Tab)
    assert not view.canvas.hasFocus()


def test_arrow_keys_walk_from_box_to_arrow_to_box(qtbot, view):
    press(qtbot, view, Qt.Key.Key_Right)
    assert view.canvas.place == "core"
    press(qtbot, view, Qt.Key.Key_Right)
    assert view.canvas.place == 0
    assert "PROTOCOL" in view.pane.toPlainText()
    press(qtbot, view, Qt.Key.Key_Right)
    assert view.canvas.place == "cache"
    press(qtbot, view, Qt.Key.Key_Left, times=2)
    assert view.canvas.place == "core"
    press(qtbot, view, Qt.Key.Key_Escape)
    assert view.canvas.place is None


def test_what_is_chosen_is_told_to_assistive_technology(qtbot, view):
    press(qtbot, view, Qt.Key.Key_Home)
    assert view.canvas.accessibleDescription().startswith("Box Autoregressive core. ")
    press(qtbot, view, Qt.Key.Key_Right)
    assert "from Autoregressive core to KV cache: keys and values" in view.canvas.accessibleDescription()


def test_the_text_beside_the_map_links_to_the_neighbours(qtbot, view):
    view.canvas.choose("core")
    followed = []
    view.link_activated.connect(lambda address, _: followed.append(address))
    view.pane.setFocus()
    press(qtbot, view, Qt.Key.Key_Tab, times=2)
    press(qtbot, view, Qt.Key.Key_Return)
    assert followed == ["map:ladder/cache"]


@pytest.mark.parametrize("way", ["key", "button", "action"])
def test_a_flow_is_stepped_through_forwards_and_back(qtbot, view, study, way):
    flow = study.maps[1]
    view.show_map(flow.id)
    view.canvas.setFocus()

    def go(action, key, button):
        if way == "key":
            press(qtbot, view, key)
        elif way == "button":
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        else:
            action.trigger()

    for node in flow.nodes:
        go(view.next_action, Qt.Key.Key_Period, button(view, view.next_action))
        assert view.canvas.place == node.id
    go(view.next_action, Qt.Key.Key_Period, button(view, view.next_action))
    assert view.canvas.place == flow.nodes[-1].id
    go(view.previous_action, Qt.Key.Key_Comma, button(view, view.previous_action))
    assert view.canvas.place == flow.nodes[-2].id
    assert view.bar._step.text() == f"Step {len(flow.nodes) - 1} of {len(flow.nodes)}"


def test_the_steps_to_come_step_back_and_return_when_let_go(view, study):
    view.show_map("wrong")
    view.step(1)
    view.step(1)
    assert {name for name, box in boxes(view).items() if not box.faded} == {"s0", "s1"}
    view.canvas.choose(None)
    assert not any(box.faded for box in boxes(view).values())


def test_an_architecture_has_no_steps(view):
    assert not view.next_action.isEnabled()
    assert not button(view, view.next_action).isVisible()
    view.step(1)
    assert view.canvas.place is None


@pytest.mark.parametrize("index", [0, 1])
def test_the_table_twin_says_all_that_the_drawing_does(qtbot, view, study, index):
    chart = study.maps[index]
    view.show_map(chart.id)
    press(qtbot, view, Qt.Key.Key_T)
    assert view.table.isVisible()
    assert view.table.boxes.hasFocus()
    rows = [[view.table.boxes.item(r, c).text() for c in (0, 2)] for r in range(view.table.boxes.rowCount())]
    assert rows == [[n.label, n.why.replace("[F1.09]", "F1.09")] for n in chart.nodes]
    labels = {n.id: n.label for n in chart.nodes}
    arrows = view.table.arrows
    told = [[arrows.item(r, c).text() for c in range(arrows.columnCount())] for r in range(arrows.rowCount())]
    assert told == [
        [labels[e.source], labels[e.target], e.label, e.protocol, e.direction, e.effect, e.consequence]
        for e in chart.edges
    ]
    view.table_action.trigger()
    assert view.canvas.isVisible()


def test_zoom_by_keys_and_wheel_and_fit_again(qtbot, view):
    fitted = view.canvas.scale_factor
    press(qtbot, view, Qt.Key.Key_Plus)
    assert view.canvas.scale_factor > fitted
    press(qtbot, view, Qt.Key.Key_Minus, times=2)
    assert view.canvas.scale_factor < fitted
    wheel = QWheelEvent(
        QPointF(50, 50),
        QPointF(50, 50),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    before = view.canvas.scale_factor
    QApplication.sendEvent(view.canvas.viewport(), wheel)
    assert view.canvas.scale_factor > before
    press(qtbot, view, Qt.Key.Key_F)
    assert view.canvas.scale_factor == pytest.approx(fitted)


def test_a_large_map_is_never_shrunk_below_what_can_be_read(view):
    view.resize(300, 200)
    assert view.canvas.scale_factor >= 0.7


def test_the_chosen_place_is_brought_into_view(view):
    for _ in range(8):
        view.canvas.zoom_in()
    view.canvas.choose("split")
    seen = view.canvas.mapToScene(view.canvas.viewport().rect()).boundingRect()
    assert seen.contains(boxes(view)["split"].boundingRect().center())


def test_unknown_maps_and_nodes_change_nothing(view):
    view.show_map("nowhere", "nothing")
    view.show_map("ladder", "nothing")
    assert view.current.id == "ladder"
    assert view.canvas.place is None


def test_a_map_is_copied_as_mermaid_text(view, study):
    view.copy_action.trigger()
    assert QApplication.clipboard().text() == mermaid(study.maps[0])


def test_the_buttons_stand_beside_the_chooser_or_below_it(qtbot, view):
    view.show_map("wrong")

    def below() -> bool:
        chooser, on = (
            w.mapTo(view, w.rect().center()).y() for w in (view.chooser, button(view, view.next_action))
        )
        return on > chooser + 10

    assert not below()
    view.resize(420, 700)
    qtbot.waitUntil(below)
