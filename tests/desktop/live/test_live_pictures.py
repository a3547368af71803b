"""The pictures of the live panel paint only what has changed; that must be what painting all of it anew gives."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ladder_desktop.live.block_look import BlockLook, tokens
from ladder_desktop.live.block_picture import BlockPicture, Cells
from ladder_desktop.theme import load_theme
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import RunState
from msgspec.structs import replace
from PySide6.QtGui import QFont, QImage

from tests.traces import busy_trace, shared_trace, traces

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
        st.tuples(st.integers(0, len(STATES) - 1), st.sampled_from([None, 0, 1, 3])), min_size=2, max_size=12
    ),
)
def test_blocks_that_changed_are_painted_as_if_all_were(
    name: str, cells: Cells, walk: list[tuple[int, int | None]]
) -> None:
    picture = BlockPicture(THEMES[name], cells, QFont())
    for at, selection in walk:
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


@given(traces())
def test_the_tokens_in_all_blocks_at_once_are_those_in_each(events: list[AnyEvent]) -> None:
    for state in states_of(events):
        assert tokens(state).tolist() == state.tokens_in_blocks()


def test_the_tokens_in_shared_and_cached_blocks_are_those_in_each() -> None:
    for state in SHARED:
        assert tokens(state).tolist() == state.tokens_in_blocks()
