"""The pictures of the live panel paint only what has changed; that must be what painting all of it anew gives."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ladder_desktop.live.batch_cells import BatchCells
from ladder_desktop.live.batch_strip import BatchStrip
from ladder_desktop.live.block_look import BlockLook, tokens
from ladder_desktop.live.block_picture import BlockPicture, Cells
from ladder_desktop.live.player import Player
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.theme import load_theme
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import RunState, Step
from msgspec.structs import replace
from PySide6.QtGui import QFont, QImage

from tests.traces import LittleScheduler, Request, busy_trace, shared_trace, traces

THEMES = {name: load_theme(name) for name in ("light", "dark")}
CELLS = [Cells(8, 4, 5, 1, 1.0), Cells(8, 33, 47, 3, 1.0), Cells(16, 60, 64, 4, 1.5)]


def states_of(events: list[AnyEvent]) -> list[RunState]:
    """The state after every event: within a step, too, blocks are shared, copied and evicted."""
    states, state = [], RunState()
    for event in events:
        state = fold([event], state)
        if state.block_owner:
            states.append(state)
    return states


BUSY, SHARED = states_of(busy_trace()), states_of(shared_trace())
MARKED = [
    replace(SHARED[-1], steps=[replace(SHARED[-1].steps[-1], **{what: blocks})])
    for what, blocks in {
        "swapped_out": (6,),
        "swapped_in": (2,),
        "copied": ((0, 3),),
        "evicted": (7,),
    }.items()
]
STATES = [*BUSY, *SHARED, *MARKED]


def pixels(image: QImage) -> bytes:
    return bytes(image.constBits())


@pytest.mark.usefixtures("qapp")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(THEMES)),
    st.sampled_from(CELLS),
    st.lists(
        st.tuples(
            st.integers(-3, 3) | st.integers(-len(STATES), len(STATES)),
            st.sampled_from([None, None, 0, 1, 3]),
        ),
        min_size=2,
        max_size=12,
    ),
)
def test_blocks_that_changed_are_painted_as_if_all_were(
    name: str, cells: Cells, walk: list[tuple[int, int | None]]
) -> None:
    picture = BlockPicture(THEMES[name], cells, QFont())
    at = 60
    for steps, selection in walk:
        at = (at + steps) % len(STATES)
        shown = pixels(picture.show(STATES[at], selection))
        assert shown == pixels(BlockPicture(THEMES[name], cells, QFont()).show(STATES[at], selection))


@pytest.mark.usefixtures("qapp")
def test_a_step_paints_the_blocks_that_it_changed_and_no_others() -> None:
    picture = BlockPicture(THEMES["light"], CELLS[1], QFont())
    before, after = (next(state for state in BUSY if len(state.steps) == steps) for steps in (8, 9))
    picture.show(before, None)
    picture._canvas.pixels[:] = 0xFF123456  # no colour of ours
    picture.show(after, None)
    look = BlockLook(THEMES["light"], None)
    differ = (look.traits(before) != look.traits(after)).any(axis=0)
    untouched = [
        (picture._canvas.pixels[block // 8, :, block % 8] == 0xFF123456).all() for block in range(len(differ))
    ]
    assert 0 < differ.sum() < len(differ)
    assert untouched == (~differ).tolist()


LONG = LittleScheduler(
    [Request(f"r{at}", 3 + at % 9, 6 + at % 20, 1 + 2 * at) for at in range(60)], num_blocks=40
).run()
MOVES = st.one_of(
    st.tuples(st.just("feed"), st.integers(1, 600)),
    st.tuples(st.just("seek"), st.integers(0, 150)),
    st.tuples(st.just("select"), st.sampled_from([None, 0, 2, 9, 40])),
    st.tuples(st.just("scroll"), st.integers(0, 150)),
    st.tuples(st.just("rows"), st.integers(0, 60)),
    st.tuples(st.just("follow"), st.none()),
    st.tuples(st.just("resize"), st.integers(300, 900)),
    st.tuples(st.just("again"), st.none()),
)


def move(timeline: Timeline, what: str, value: int | None, said: list[AnyEvent]) -> None:
    """Do one of MOVES; `said` is the trace as far as it was fed."""
    player, bar = timeline.player, timeline.horizontalScrollBar()
    assert isinstance(player, Player)
    match what:
        case "feed":
            more = LONG[len(said) : len(said) + (value or 0)]
            said += more
            player.feed(more)
            player.seek(player.last)
        case "seek":
            player.seek(value or 0)
        case "select":
            timeline.select(value)
        case "scroll":
            bar.triggerAction(bar.SliderAction.SliderMove)
            bar.setValue(value or 0)
        case "rows":
            timeline.verticalScrollBar().setValue(value or 0)
        case "follow":
            timeline.follow()
        case "resize":
            timeline.resize(value or 0, 100 + (value or 0) // 3)
        case "again":
            player.clear()
            timeline.clear()
            said.clear()
    timeline.refresh()


def anew(timeline: Timeline) -> Timeline:
    """Another timeline that shows the same, and has painted nothing yet."""
    fresh = Timeline(timeline.theme, timeline.player)
    fresh.resize(timeline.size())
    fresh.following = False
    fresh.select(timeline.selection)
    fresh.refresh()
    fresh.grab()  # lays the scroll bars out
    fresh.refresh()
    fresh.horizontalScrollBar().setValue(timeline.horizontalScrollBar().value())
    fresh.verticalScrollBar().setValue(timeline.verticalScrollBar().value())
    fresh._strip, fresh._names = BatchStrip(), None
    return fresh


@pytest.mark.usefixtures("qapp")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(THEMES)),
    st.sampled_from([100, 1200, len(LONG)]),
    st.lists(MOVES, min_size=3, max_size=14),
)
def test_a_timeline_to_which_columns_are_added_is_as_if_painted_anew(
    name: str, begin: int, moves: list[tuple[str, int | None]]
) -> None:
    timeline, said = Timeline(THEMES[name], Player()), list[AnyEvent]()
    timeline.resize(600, 300)
    timeline.grab()
    for what, value in [("feed", begin), *moves]:
        move(timeline, what, value, said)
        assert pixels(timeline.grab().toImage()) == pixels(anew(timeline).grab().toImage())


@pytest.mark.usefixtures("qapp")
def test_a_new_step_paints_one_column() -> None:
    player = Player()
    timeline, painted = Timeline(THEMES["light"], player), list[int]()
    cells = timeline._strip._window.cells

    def counted(steps: Sequence[Step], first_row: int, num_rows: int) -> BatchCells:
        painted.append(len(steps))
        return cells(steps, first_row, num_rows)

    timeline._strip._window.cells = counted  # type: ignore[method-assign]
    timeline.resize(600, 300)
    at = next(at for at, event in enumerate(LONG) if event.step == 40)
    player.feed(LONG[:at])
    player.seek(player.last)
    for event in LONG[at:]:
        player.feed([event])
        player.seek(player.last)
        timeline.refresh()
        timeline.grab()
        if player.last == 120:
            break
    assert painted[0] == 39
    assert painted[1:] == [1] * 81


@given(traces())
def test_the_tokens_in_all_blocks_at_once_are_those_in_each(events: list[AnyEvent]) -> None:
    for state in states_of(events):
        assert tokens(state).tolist() == state.tokens_in_blocks()


def test_the_tokens_in_shared_and_cached_blocks_are_those_in_each() -> None:
    for state in SHARED:
        assert tokens(state).tolist() == state.tokens_in_blocks()
