from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.live.batch_cells import (
    DECODE,
    FINISHED,
    NOTHING,
    PREEMPTED,
    PREFILL,
    WAITING,
    BatchWindow,
)
from ladder_desktop.live.batch_picture import BatchPicture
from ladder_desktop.live.player import Player
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.theme import Theme, load_theme
from ladder_engine.tracing.events import AnyEvent, Preempted, Scheduled
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import Step, Work
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
        timeline.sizes.names
        + (step - 1 - timeline.horizontalScrollBar().value()) * timeline.sizes.column
        + timeline.sizes.column // 2,
        timeline.sizes.ruler + seq_id * timeline.sizes.row + timeline.sizes.row // 2,
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
    scheduled = [
        [e for e in events if isinstance(e, Scheduled) and e.step == step.number] for step in state.steps
    ]
    assert cells.filled[0].tolist() == [sum(e.num_tokens for e in w if e.kind == "decode") for w in scheduled]
    assert cells.filled[3].tolist() == [
        sum(e.num_tokens for e in w if e.kind == "prefill") for w in scheduled
    ]


def test_a_window_of_rows_and_steps_is_cut_out_of_the_whole() -> None:
    state = fold(LittleScheduler([Request(f"r{i}", 4, 30, i * 12) for i in range(40)], max_num_seqs=3).run())
    window = BatchWindow()
    whole = window.cells(state.steps, 0, 40)
    part = window.cells(state.steps[100:150], 7, 5)
    for name in ("kinds", "tokens", "marks"):
        assert (getattr(part, name) == getattr(whole, name)[7:12, 100:150]).all()
    assert (part.filled == whole.filled[:, 100:150]).all()
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
            left, top = centre.x() - timeline.sizes.column // 2, centre.y() - timeline.sizes.row // 2
            ink = frozenset(
                (x, y)
                for x in range(timeline.sizes.column)
                for y in range(timeline.sizes.row)
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
    assert timeline.cell_at(QPoint(4, timeline.sizes.ruler + timeline.sizes.row + 2)) == (1, None)
    assert timeline.cell_at(QPoint(timeline.sizes.names + 1, 2)) == (None, 1)
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
    assert timeline.cell_at(QPoint(timeline.sizes.names + 4, timeline.sizes.ruler + 4)) == (None, None)


def drafting(*drafts: tuple[int, int]) -> list[Step]:
    """A step for each (drafted, accepted) of one request that decodes."""
    return [
        Step(number=at + 1, work=(Work(0, "decode", at, 1 + drafted, drafted, accepted),))
        for at, (drafted, accepted) in enumerate(drafts)
    ]


def test_what_was_accepted_of_a_draft_and_what_was_rejected_differ_in_colour_and_in_shape(
    theme: Theme,
) -> None:
    drafts = [(0, 0), (4, 4), (4, 2), (4, 0)]
    cells = BatchWindow().cells(drafting(*drafts), 0, 1)
    pixels = BatchPicture(theme, 8, 16, 20, 1).cells(cells, 16, None).pixels[0]
    inks = {role: theme.colour(role).rgb() for role in ("decode", "draft_accepted", "draft_rejected")}
    found = [
        {role: {tuple(at) for at in np.argwhere(pixels[:, column] == ink)} for role, ink in inks.items()}
        for column in range(len(drafts))
    ]
    assert [len(cell["draft_accepted"]) > 0 for cell in found] == [False, True, True, False]
    assert [len(cell["draft_rejected"]) > 0 for cell in found] == [False, False, True, True]
    assert len(found[1]["draft_accepted"]) > len(found[2]["draft_accepted"]), "as long as its share"
    assert all(y < 8 for y, _ in found[1]["draft_accepted"])
    assert all(y >= 8 for y, _ in found[3]["draft_rejected"])
    assert {x for _, x in found[3]["draft_rejected"]} < {x for _, x in found[1]["draft_accepted"]}, "thinner"
    assert all(cell["decode"] == found[0]["decode"] for cell in found), "the dot stands in all of them"


def test_the_bar_beneath_a_step_says_what_filled_the_budget(theme: Theme) -> None:
    step = Step(
        number=1,
        work=(Work(0, "decode", 9, 5, 4, 3), Work(1, "decode", 9, 1), Work(2, "prefill", 0, 6)),
    )
    cells = BatchWindow().cells([step], 0, 3)
    assert cells.filled[:, 0].tolist() == [2, 3, 1, 6]
    bar = BatchPicture(theme, 8, 16, 32, 1).budget(cells, 16).pixels[0, ::-1, 0, 0].tolist()
    roles = ["decode", "draft_accepted", "draft_rejected", "prefill", "kv_free"]
    expected = [
        theme.colour(role).rgb()
        for role, count in zip(roles, (4, 6, 2, 12, 8), strict=True)
        for _ in range(count)
    ]
    assert bar == expected
