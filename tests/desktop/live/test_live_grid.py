from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ladder_desktop.live.block_grid import BlockGrid
from ladder_desktop.live.block_words import block_words, hash_chain, owner_names
from ladder_desktop.live.canvas import blend
from ladder_desktop.live.figures import pool_figures
from ladder_desktop.live.player import Player
from ladder_desktop.theme import Theme, load_theme
from ladder_engine.tracing.events import BlocksAllocated, Finished, Preempted, RunStarted
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import FREE, RunState
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from tests.traces import busy_trace, shared_trace


@pytest.fixture(scope="module")
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def grid(qtbot: QtBot, theme: Theme) -> BlockGrid:
    widget = BlockGrid(theme)
    qtbot.addWidget(widget)
    widget.resize(520, 300)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def at_step(number: int) -> RunState:
    player = Player()
    player.feed(busy_trace())
    player.seek(number)
    return player.state


def step_of(kind: type) -> int:
    return next(event.step for event in busy_trace() if isinstance(event, kind) and event.step > 3)


def taken_in(block_id: int, by: int) -> int:
    """The last step, up to this one, in which a block was allocated."""
    return max(e.step for e in busy_trace()
               if isinstance(e, BlocksAllocated) and block_id in e.block_ids and e.step <= by)  # fmt: skip


def pool_of(count: int) -> RunState:
    started = busy_trace()[0]
    assert isinstance(started, RunStarted)
    return RunState(config=replace(started, num_blocks=count), block_owner=[FREE] * count)


def colour_at(grid: BlockGrid, x: float, y: float) -> str:
    return grid.grab().toImage().pixelColor(round(x), round(y)).name()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(count=st.integers(1, 900), width=st.integers(200, 1400), height=st.integers(120, 900))
def test_every_block_has_a_place_of_its_own_inside_the_widget(
    grid: BlockGrid, count: int, width: int, height: int
) -> None:
    grid.show_state(pool_of(count))
    grid.resize(QSize(width, height))
    grid._arrange()
    for block_id in range(count):
        rect = grid.cell_rect(block_id)
        assert grid.block_at(rect.center()) == block_id
        assert grid.block_at(rect.topLeft()) == block_id
        assert rect.left() >= 0
        assert rect.right() <= width
    last = grid.cell_rect(count - 1)
    assert last.bottom() <= height or count > (width // 2) * (height // 2) // 4
    assert grid.block_at(QPointF(last.right() + grid._cell.width(), last.center().y())) is None
    assert grid.block_at(QPointF(-1, 1)) is None


def test_a_cell_is_filled_as_high_as_its_tokens(grid: BlockGrid, theme: Theme) -> None:
    state = at_step(5)
    grid.show_state(state)
    size = state.config.block_size if state.config else 0
    filled = state.tokens_in_blocks()
    assert {0 < tokens < size for tokens in filled} == {True, False}
    picture = grid.grab().toImage()
    for block_id, owner in enumerate(state.block_owner):
        rect = grid.cell_rect(block_id)
        column = [
            picture.pixelColor(round(rect.right() - 4), round(rect.top()) + y).name()
            for y in range(int(rect.height()))
        ]
        full = theme.owner(owner).name() if owner != FREE else theme.colour("kv_free").name()
        share = column.count(full) / len(column)
        expected = filled[block_id] / size if owner != FREE else 1.0
        assert share == pytest.approx(expected, abs=0.12), f"block {block_id}"


def test_free_cells_are_empty_and_owned_ones_are_not(grid: BlockGrid, theme: Theme) -> None:
    grid.show_state(pool_of(20))
    rect = grid.cell_rect(7)
    assert colour_at(grid, rect.center().x(), rect.center().y()) == theme.colour("kv_free").name()


def test_a_new_block_is_outlined(grid: BlockGrid, theme: Theme) -> None:
    state = at_step(step_of(BlocksAllocated))
    grid.show_state(state)
    new = dict(state.steps[-1].allocated)
    for block_id in range(len(state.block_owner)):
        rect = grid.cell_rect(block_id)
        outlined = colour_at(grid, rect.left(), rect.center().y()) == theme.colour("text").name()
        assert outlined == (block_id in new)


def test_blocks_lost_to_preemption_are_crossed_out(grid: BlockGrid, theme: Theme) -> None:
    state = at_step(step_of(Preempted))
    grid.show_state(state)
    step = state.steps[-1]
    lost = [
        block for block, seq_id in step.freed if seq_id in step.preempted and state.block_owner[block] == FREE
    ]
    assert lost
    for block_id in lost:
        centre = grid.cell_rect(block_id).center()
        assert colour_at(grid, centre.x(), centre.y()) == theme.colour("preempted").name()


def test_blocks_of_a_finished_request_are_hatched_in_its_colour(grid: BlockGrid, theme: Theme) -> None:
    state = at_step(step_of(Finished))
    grid.show_state(state)
    step = state.steps[-1]
    freed = [(block, seq_id) for block, seq_id in step.freed if state.block_owner[block] == FREE]
    assert freed
    picture = grid.grab().toImage()
    for block_id, seq_id in freed:
        rect = grid.cell_rect(block_id).toRect().adjusted(1, 1, -2, -2)
        inks = {picture.pixelColor(rect.left() + x, rect.center().y()).name() for x in range(rect.width())}
        assert inks == {theme.owner(seq_id).name(), theme.colour("kv_free").name()}


def test_selecting_an_owner_pales_the_others(grid: BlockGrid, theme: Theme) -> None:
    state = at_step(6)
    grid.show_state(state)
    mine, other = state.running[0], state.running[1]
    grid.select(mine)
    for seq_id, colour in (
        (mine, theme.owner(mine)),
        (other, blend(theme.owner(other), theme.colour("surface"), 0.28)),
    ):
        rect = grid.cell_rect(state.sequences[seq_id].block_table[0])
        assert colour_at(grid, rect.right() - 4, rect.bottom() - 4) == QColor(colour).name()


def test_a_click_selects_the_owner_and_a_second_one_lights_all(grid: BlockGrid, qtbot: QtBot) -> None:
    state = at_step(6)
    grid.show_state(state)
    owner = state.running[1]
    heard: list[object] = []
    grid.selected.connect(heard.append)
    point = grid.cell_rect(state.sequences[owner].block_table[0]).center().toPoint()
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=point)
    grid.select(owner)
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=point)
    assert heard == [owner, None]


def test_the_block_under_the_cursor_is_described_in_words(grid: BlockGrid, qtbot: QtBot) -> None:
    state = at_step(6)
    grid.show_state(state)
    sequence = state.sequences[state.running[1]]
    said: list[str] = []
    grid.described.connect(said.append)
    qtbot.mouseMove(grid, grid.cell_rect(sequence.block_table[1]).center().toPoint())
    assert said[-1] == (
        f"Block {sequence.block_table[1]}: {sequence.name}, block_table[1] of {len(sequence.block_table)}, "
        f"{sequence.tokens_in_block(1, 4)} of 4 tokens, for {6 - taken_in(sequence.block_table[1], 6)} steps"
    )
    assert grid.accessibleDescription() == said[-1]
    grid.show_state(pool_of(20))
    assert said[-1] == f"Block {sequence.block_table[1]}: free"


def test_the_keyboard_walks_over_the_blocks_and_selects(grid: BlockGrid, qtbot: QtBot) -> None:
    state = at_step(6)
    grid.show_state(state)
    heard: list[object] = []
    grid.selected.connect(heard.append)
    for key in (
        Qt.Key.Key_Right,
        Qt.Key.Key_Right,
        Qt.Key.Key_Down,
        Qt.Key.Key_Up,
        Qt.Key.Key_Left,
        Qt.Key.Key_Up,
    ):
        qtbot.keyClick(grid, key)
    assert grid.cursor_block == 0
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    owner = state.block_owner[0]
    assert heard == [None if owner == FREE else owner]


def test_a_shared_block_has_its_own_colour_a_notch_and_stays_lit_for_each_owner(
    grid: BlockGrid, theme: Theme
) -> None:
    grid.show_state(fold(shared_trace()))
    shared = theme.colour("kv_shared")
    pale = blend(shared, theme.colour("surface"), 0.28)
    for selection, colour in ((None, shared), (0, shared), (2, shared), (1, pale)):
        grid.select(selection)
        for block_id in (0, 1):
            rect = grid.cell_rect(block_id)
            assert colour_at(grid, rect.right() - 4, rect.bottom() - 4) == QColor(colour).name()
            assert colour_at(grid, rect.right() - 2, rect.top() + 2) == theme.colour("text").name()
    own = grid.cell_rect(2)
    assert colour_at(grid, own.right() - 4, own.bottom() - 4) != QColor(pale).name()


def test_a_cached_block_is_a_smaller_cell_in_a_free_one(grid: BlockGrid, theme: Theme) -> None:
    grid.show_state(fold(shared_trace()))
    kept, free = grid.cell_rect(4), grid.cell_rect(6)
    assert colour_at(grid, kept.center().x(), kept.center().y()) == theme.colour("kv_cached").name()
    assert colour_at(grid, kept.left() + 3, kept.top() + 3) == theme.colour("kv_free").name()
    assert colour_at(grid, free.center().x(), free.center().y()) == theme.colour("kv_free").name()


def test_sharing_in_words() -> None:
    state = fold(shared_trace())
    assert block_words(state, 0) == (
        "Block 0: shared, ref_count 2: ada and ben; block_table[0] of each, for 1 step"
    )
    assert block_words(state, 4).startswith("Block 4: cached, nobody owns it; it keeps KV of eve")
    assert [owner_names(state, block_id) for block_id in (1, 2, 4, 6)] == [
        "ada and ben",
        "ada",
        "cached",
        "free",
    ]
    assert pool_figures(state) == "4 of 8 owned, 1 cached"


def test_another_pool_forgets_the_cursor(grid: BlockGrid) -> None:
    grid.show_state(at_step(6))
    grid.point(19)
    grid.show_state(pool_of(4))
    assert grid.cursor_block is None
    grid.show_state(RunState())
    assert not grid.grab().isNull()


def test_a_hidpi_grid_paints_device_pixels(grid: BlockGrid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "devicePixelRatioF", lambda: 2.0)
    grid.show_state(pool_of(64))
    grid._arrange()
    grid.grab()
    assert grid._picture is not None
    image = grid._picture.show(grid.state, None)
    assert image.width() > grid.width()
    assert image.deviceIndependentSize().width() <= grid.width()


def test_what_the_step_did_with_a_block_is_told_by_a_shape_of_its_own(grid: BlockGrid, theme: Theme) -> None:
    state = fold(shared_trace())
    plain = replace(state, steps=[replace(state.steps[-1], allocated=(), shared=(), freed=())])
    grid.show_state(plain)
    before = grid.grab().toImage()
    doings = {"swapped_out": (6,), "swapped_in": (2,), "copied": ((0, 3),), "evicted": (7,)}
    looks = {}
    for what, blocks in doings.items():
        grid.show_state(replace(plain, steps=[replace(plain.steps[-1], **{what: blocks})]))
        after = grid.grab().toImage()
        changed = {
            block_id: frozenset(
                (x - round(rect.left()), y - round(rect.top()), after.pixelColor(x, y).name())
                for x in range(round(rect.left()), round(rect.right()))
                for y in range(round(rect.top()), round(rect.bottom()))
                if after.pixel(x, y) != before.pixel(x, y)
            )
            for block_id in range(8)
            for rect in [grid.cell_rect(block_id)]
        }
        marked = [block_id for block_id, pixels in changed.items() if pixels]
        assert marked == [blocks[0][1] if what == "copied" else blocks[0]]
        looks[what] = changed[marked[0]]
    shapes = {what: frozenset((x, y) for x, y, _ in pixels) for what, pixels in looks.items()}
    assert len(set(shapes.values())) == len(doings), "told apart without colour"
    colours = {what: {name for _, _, name in pixels} for what, pixels in looks.items()}
    assert colours["swapped_out"] == {theme.colour("preempted").name()}
    assert theme.colour("kv_cached").name() in colours["evicted"]
    assert colours["swapped_in"] == colours["copied"] == {theme.colour("text").name()}


def test_a_cached_block_tells_the_chain_that_its_hash_covers() -> None:
    state = fold(shared_trace())
    named = {0: ("aaaa0000", ""), 1: ("bbbb1111", "aaaa0000"), 4: ("cccc2222", "dddd3333")}
    cached = {
        block: replace(kept, name=named[block][0], parent=named[block][1])
        for block, kept in state.cached.items()
    }
    told = replace(state, cached=cached)
    assert hash_chain(told, 1) == ["aaaa0000", "bbbb1111"]
    assert hash_chain(told, 4) == ["dddd3333", "cccc2222"]
    assert block_words(told, 1).endswith("for 1 step; hash bbbb1111 upon aaaa0000")
    assert block_words(told, 0).endswith("hash aaaa0000")
    assert hash_chain(state, 1) == []
    assert "hash" not in block_words(state, 1)
