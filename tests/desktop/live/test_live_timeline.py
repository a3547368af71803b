from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.live import timeline as geometry
from ladder_desktop.live.batch_cells import (
    DECODE,
    FINISHED,
    NOTHING,
    PREEMPTED,
    PREFILL,
    WAITING,
    BatchWindow,
)
from ladder_desktop.live.player import Player
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.theme import Theme, load_theme
from ladder_engine.fold import fold
from ladder_engine.trace import AnyEvent, Preempted, Scheduled
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.traces import LittleScheduler, Request, busy_trace, traces


@pytest.fixture(scope="module")
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def timeline(qtbot: QtBot, theme: Theme) -> Timeline:
    player = Player()
    player.feed(busy_trace())
    player.seek(player.last)
    widget = Timeline(theme, player)
    qtbot.addWidget(widget)
    widget.resize(900, 320)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.refresh()
    return widget


def point_of(timeline: Timeline, seq_id: int, step: int) -> QPoint:
    return QPoint(
        geometry.NAMES
        + (step - 1 - timeline.horizontalScrollBar().value()) * geometry.COLUMN
        + geometry.COLUMN // 2,
        geometry.RULER + seq_id * geometry.ROW + geometry.ROW // 2,
    )


@given(traces(), st.data())
def test_the_cells_say_what_the_trace_says_however_it_comes(
    events: list[AnyEvent], data: st.DataObject
) -> None:
    state = fold(events)
    window = BatchWindow()
    cut = data.draw(st.integers(0, len(state.steps)))
    window.cells(state.steps[:cut], 0, len(state.sequences))
    cells = window.cells(state.steps, 0, len(state.sequences))

    assert cells.kinds.shape == (len(state.sequences), len(state.steps))
    work = {(e.seq_id, e.step): e for e in events if isinstance(e, Scheduled)}
    for seq_id in state.sequences:
        for step in state.steps:
            kind, tokens = cells.kinds[seq_id, step.number - 1], cells.tokens[seq_id, step.number - 1]
            event = work.get((seq_id, step.number))
            if event is not None:
                assert (kind, tokens) == (DECODE if event.kind == "decode" else PREFILL, event.num_tokens)
            else:
                assert kind == (WAITING if seq_id in step.waiting else NOTHING)
            marks = cells.marks[seq_id, step.number - 1]
            assert bool(marks & PREEMPTED) == (seq_id in step.preempted)
            assert bool(marks & FINISHED) == (seq_id in step.finished)
    assert (cells.prefill + cells.decode).tolist() == [step.num_tokens for step in state.steps]
    assert cells.decode.tolist() == [step.num_decode_tokens for step in state.steps]


def test_a_window_of_rows_and_steps_is_cut_out_of_the_whole() -> None:
    state = fold(LittleScheduler([Request(f"r{i}", 4, 30, i * 12) for i in range(40)], max_num_seqs=3).run())
    window = BatchWindow()
    whole = window.cells(state.steps, 0, 40)
    part = window.cells(state.steps[100:150], 7, 5)
    for name in ("kinds", "tokens", "marks"):
        assert (getattr(part, name) == getattr(whole, name)[7:12, 100:150]).all()
    assert (part.prefill == whole.prefill[100:150]).all()
    assert int((whole.kinds == DECODE).sum()) == sum(step.num_decode_tokens for step in state.steps)
    assert window.cells([], 0, 3).kinds.shape == (3, 0)


def test_prefill_and_decode_differ_in_colour_and_in_shape(timeline: Timeline, theme: Theme) -> None:
    picture = timeline.viewport().grab().toImage()
    seen: dict[int, set[frozenset[tuple[int, int]]]] = {PREFILL: set(), DECODE: set()}
    timeline.horizontalScrollBar().setValue(0)
    picture = timeline.viewport().grab().toImage()
    state = timeline.player.edge
    cells = BatchWindow().cells(state.steps[:90], 0, len(state.sequences))
    for kind, role in ((PREFILL, "prefill"), (DECODE, "decode")):
        for seq_id, column in zip(*(cells.kinds == kind).nonzero(), strict=True):
            centre = point_of(timeline, int(seq_id), int(column) + 1)
            left, top = centre.x() - geometry.COLUMN // 2, centre.y() - geometry.ROW // 2
            ink = frozenset(
                (x, y)
                for x in range(geometry.COLUMN)
                for y in range(geometry.ROW)
                if picture.pixelColor(left + x, top + y).name() == theme.colour(role).name()
            )
            assert ink
            seen[kind].add(ink)
    assert not seen[PREFILL] & seen[DECODE]
    assert len(seen[PREFILL]) > 1, "a prefill is as tall as its share of the budget"


def test_a_preemption_is_crossed_out_in_its_own_colour(timeline: Timeline, theme: Theme) -> None:
    event = next(event for event in busy_trace() if isinstance(event, Preempted))
    timeline.horizontalScrollBar().setValue(0)
    centre = point_of(timeline, event.seq_id, event.step)
    picture = timeline.viewport().grab().toImage()
    around = {picture.pixelColor(centre.x() + x, centre.y() + y).name() for x in (-1, 0) for y in (-1, 0)}
    assert theme.colour("preempted").name() in around


def test_a_point_finds_its_request_and_its_step(timeline: Timeline) -> None:
    timeline.horizontalScrollBar().setValue(0)
    assert timeline.cell_at(point_of(timeline, 3, 7)) == (3, 7)
    assert timeline.cell_at(QPoint(4, geometry.RULER + geometry.ROW + 2)) == (1, None)
    assert timeline.cell_at(QPoint(geometry.NAMES + 1, 2)) == (None, 1)
    assert timeline.cell_at(point_of(timeline, 80, 7)) == (None, 7)


def test_a_row_selects_and_the_ruler_seeks(timeline: Timeline, qtbot: QtBot) -> None:
    timeline.horizontalScrollBar().setValue(0)
    selected: list[object] = []
    sought: list[int] = []
    timeline.selected.connect(selected.append)
    timeline.sought.connect(sought.append)
    qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=point_of(timeline, 2, 5))
    timeline.select(2)
    qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=point_of(timeline, 2, 5))
    ruler = QPoint(point_of(timeline, 0, 9).x(), 4)
    qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=ruler)
    assert (selected, sought) == ([2, None], [9])


def test_the_cell_under_the_mouse_is_described(timeline: Timeline, qtbot: QtBot) -> None:
    timeline.horizontalScrollBar().setValue(0)
    said: list[str] = []
    timeline.described.connect(said.append)
    first = timeline.player.edge.steps[0].work[0]
    qtbot.mouseMove(timeline.viewport(), point_of(timeline, first.seq_id, 1))
    assert said[-1] == f"Step 1, chat-0: prefill of {first.num_tokens} tokens from position 0"
    qtbot.mouseMove(timeline.viewport(), QPoint(point_of(timeline, 0, 1).x(), 4))
    assert said[-1].startswith(
        f"Step 1: {timeline.player.edge.steps[0].num_tokens} tokens prefilled, 0 decoded, "
    )


def test_keys_move_the_selection_and_the_playhead(timeline: Timeline, qtbot: QtBot) -> None:
    selected: list[object] = []
    sought: list[int] = []
    timeline.selected.connect(selected.append)
    timeline.selected.connect(timeline.select)
    timeline.sought.connect(sought.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(timeline, key)
    last = timeline.player.last
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home):
        qtbot.keyClick(timeline, key)
    assert selected == [0, 1, 0, 0]
    assert sought == [last - 1, last + 1, 0]


def test_the_playhead_is_followed_until_a_person_scrolls(timeline: Timeline) -> None:
    timeline.resize(400, 320)
    bar = timeline.horizontalScrollBar()
    timeline.player.seek(timeline.player.last)
    timeline.refresh()
    assert bar.value() > 0
    timeline.player.seek(0)
    timeline.refresh()
    assert bar.value() == 0

    bar.triggerAction(bar.SliderAction.SliderToMaximum)
    timeline.refresh()
    assert bar.value() == bar.maximum()
    timeline.follow()
    assert bar.value() == 0


def test_clear_forgets_the_run(timeline: Timeline) -> None:
    timeline.player.clear()
    timeline.clear()
    timeline.refresh()
    assert timeline.num_steps == 0
    assert timeline.cell_at(QPoint(geometry.NAMES + 4, geometry.RULER + 4)) == (None, None)
