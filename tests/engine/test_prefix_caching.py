"""What is found in the cache, what is kept, what is thrown out, and how it is counted."""

from __future__ import annotations

from typing import Any

import pytest
from ladder_engine.tracing.events import (
    Arrived,
    BlocksAllocated,
    BlocksCached,
    BlocksEvicted,
    BlocksShared,
    Preempted,
    RunEnded,
    Scheduled,
)
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.summary import summarize_state
from msgspec.structs import replace

from tests.engine.bench import Bench, check_answer


def cached_bench(**limits: Any) -> Bench:
    return Bench(**({"prefix_caching": True, "block_size": 4} | limits))


def computed(bench: Bench, seq_id: int) -> int:
    return sum(event.num_tokens for event in bench.of(Scheduled) if event.seq_id == seq_id)


@pytest.mark.parametrize(
    ("size", "found"), [(3, 0), (4, 0), (5, 4), (7, 4), (8, 4), (9, 8), (12, 8), (13, 12)]
)
def test_a_prompt_asked_again_finds_all_full_blocks_but_never_its_last_token(size: int, found: int) -> None:
    """nano-vllm #144, vllm #11186: a prompt of whole blocks, all cached, left nothing to compute."""
    bench = cached_bench()
    first = bench.add(size, 3, shared=size)
    bench.run()
    again = bench.add(size, 3, shared=size)
    bench.run()
    bench.check_fold()
    assert [len(event.block_ids) * 4 for event in bench.of(BlocksShared)] == ([found] if found else [])
    assert computed(bench, again.seq_id) == computed(bench, first.seq_id) - found
    assert bench.state.sequences[again.seq_id].num_cached_tokens == found
    check_answer(again)


def test_nothing_is_shared_unless_asked_for() -> None:
    bench = cached_bench(prefix_caching=False)
    for _ in range(2):
        bench.add(12, 3, shared=12)
        bench.run()
    assert not bench.of(BlocksShared) + bench.of(BlocksCached) + bench.of(BlocksEvicted)


def test_an_answer_is_a_prefix_too() -> None:
    """A chat's next turn begins with its last one."""
    bench = cached_bench()
    first = bench.add(6, 8)
    bench.run()
    turn = "".join(chr(ord("a") + token) for token in first.token_ids) + "cab"
    second = bench.engine.add("second", turn, 3, first.sampling)
    bench.run()
    bench.check_fold()
    assert bench.state.sequences[second.seq_id].num_cached_tokens == 12  # of 14 tokens, 13 were computed
    check_answer(second)


def test_those_who_run_together_own_a_block_together() -> None:
    bench = cached_bench(max_num_batched_tokens=64)
    bench.add(9, 6, shared=8)
    bench.step()
    bench.add(10, 6, shared=8)
    bench.add(11, 6, shared=8)
    bench.step()
    bench.check_blocks()
    bench.check_fold()
    shared = bench.live[0].block_table[:2]
    assert all(seq.block_table[:2] == shared for seq in bench.live)
    assert [bench.engine.scheduler.pool.ref_counts[block] for block in shared] == [3, 3]
    assert [bench.state.owners(block) for block in shared] == [(0, 1, 2)] * 2
    bench.engine.abort(0)
    bench.check_fold()
    assert [bench.state.owners(block) for block in shared] == [(1, 2)] * 2
    bench.run()
    for seq in bench.live:
        check_answer(seq)


def test_a_shared_block_costs_the_pool_nothing() -> None:
    """Two of three blocks are shared, so a pool of five holds two requests of three blocks."""
    bench = cached_bench(num_blocks=5, max_num_batched_tokens=64)
    bench.add(9, 3, shared=8)
    bench.step()
    late = bench.add(10, 2, shared=8)
    bench.step()
    assert late.num_answer_tokens == 1


def test_a_cached_block_that_nobody_owns_is_room_that_is_counted_once() -> None:
    """It is free and it is part of the prefix: counting it twice would admit more than fits."""
    bench = cached_bench(num_blocks=4, max_num_batched_tokens=64)
    bench.add(9, 1, shared=9)
    bench.run()
    bench.add(5, 8)  # takes the two empty blocks, and will need a third
    bench.step()
    late = bench.add(13, 2, shared=8)  # two blocks cached, two more needed, none left
    bench.step()
    assert (late.wait_reason, late.block_table) == ("no_free_blocks", [])
    bench.run()
    check_answer(late)


def test_different_salts_never_share() -> None:
    bench = cached_bench()
    for salt in ("", "red", "blue", "red"):
        bench.add(9, 2, shared=9, salt=salt)
        bench.run()
    assert [event.seq_id for event in bench.of(BlocksShared)] == [3]


def test_the_longest_unused_prefix_is_evicted_first_and_its_end_before_its_beginning() -> None:
    bench = cached_bench(num_blocks=6)
    for family in (0, 1):
        bench.add(9, 1, shared=9, family=family)  # two full blocks each
        bench.run()
    bench.add(9, 1, shared=9, family=0)  # family 0 is used again
    bench.run()
    bench.add(13, 3)  # needs four blocks, two are empty
    bench.run()
    kept = {block for event in bench.of(BlocksCached)[:1] for block in event.block_ids}
    (evicted,) = bench.of(BlocksEvicted)
    of_family_1 = bench.of(BlocksCached)[1].block_ids
    assert evicted.block_ids == tuple(reversed(of_family_1))
    assert not kept & set(evicted.block_ids)


def test_a_prompt_that_is_aborted_half_read_leaves_only_what_was_computed() -> None:
    """vllm PR #34587, sglang #38319: blocks of an aborted prompt were given away while they could still be found."""
    bench = cached_bench(max_num_batched_tokens=6, num_blocks=8)
    half = bench.add(20, 2, shared=20)
    bench.step()
    bench.engine.abort(half.seq_id)
    bench.check_blocks()
    bench.check_fold()
    again = bench.add(20, 2, shared=20)
    bench.step()
    assert [len(event.block_ids) for event in bench.of(BlocksShared)] == [1]
    bench.add(20, 2, shared=0)  # turns the pool over
    bench.run()
    last = bench.add(20, 2, shared=20)
    bench.run()
    check_answer(again)
    check_answer(last)


def test_a_preempted_request_finds_what_is_left_of_its_own_blocks() -> None:
    """nano-vllm #207: what is scheduled must be counted after the lookup."""
    bench = cached_bench(num_blocks=6, block_size=2)
    old, young = bench.add(3, 6), bench.add(5, 4)
    bench.run()
    bench.check_fold()
    assert [event.seq_id for event in bench.of(Preempted)] == [young.seq_id]
    told = bench.state.sequences[young.seq_id]
    (shared,) = bench.of(BlocksShared)
    assert (told.num_cached_tokens, told.num_regained_tokens) == (0, 2 * len(shared.block_ids))
    lost = bench.of(Preempted)[0].num_computed_tokens
    assert told.num_recomputed_tokens == lost - told.num_regained_tokens > 0
    check_answer(old)
    check_answer(young)


def test_without_a_cache_everything_lost_is_computed_again() -> None:
    bench = Bench(num_blocks=6, block_size=2)
    bench.add(3, 6)
    young = bench.add(5, 4)
    bench.run()
    bench.check_fold()
    lost = bench.of(Preempted)[0].num_computed_tokens
    assert bench.state.sequences[young.seq_id].num_recomputed_tokens == lost


def test_two_who_compute_the_same_prefix_at_once_leave_one_copy_in_the_cache() -> None:
    """mini-sglang PR #142: the second copy is freed like any block, and nobody's table points at it."""
    bench = cached_bench(max_num_batched_tokens=64)
    twins = [bench.add(9, 4, shared=9), bench.add(9, 4, shared=9)]
    bench.run()
    bench.check_blocks()
    cached = [block for event in bench.of(BlocksCached) for block in event.block_ids]
    allocated = {event.seq_id: event.block_ids for event in bench.of(BlocksAllocated)}
    assert cached[:2] == list(allocated[0][:2])
    assert bench.engine.scheduler.pool.num_cached == len(cached)
    for twin in twins:
        check_answer(twin)


def test_the_counters_in_tokens() -> None:
    bench = cached_bench(num_blocks=7)
    for size in (9, 10, 11):
        bench.add(size, 2, shared=8)
        bench.run()
    bench.add(25, 2)
    bench.run()
    bench.engine.recorder.add(RunEnded)
    bench.check_fold()
    summary = summarize_state(bench.state)
    assert (summary.prompt_tokens, summary.cached_tokens, summary.recomputed_tokens) == (55, 16, 0)
    evicted = sum(len(event.block_ids) for event in bench.of(BlocksEvicted))
    assert summary.evicted_tokens == 4 * evicted > 0
    assert "16 of 55 prompt tokens found (29%)" in summary.lines()[-1]


def test_the_trace_names_each_cached_block_the_one_before_it_and_the_text_of_its_tokens() -> None:
    bench = cached_bench()
    seqs = {seq.seq_id: seq for seq in (bench.add(14, 7, shared=8), bench.add(13, 3, shared=8))}
    bench.run()
    bench.check_fold()
    state = bench.state
    by_name = {kept.name: kept for kept in state.cached.values()}
    assert len(by_name) == len(state.cached) > 5
    for kept in state.cached.values():
        assert len(kept.name) == 8
        if kept.position:
            assert by_name[kept.parent].position == kept.position - 1
        else:
            assert kept.parent == ""
        first = 4 * kept.position
        letters = [chr(ord("a") + token) for token in seqs[kept.seq_id].token_ids[first : first + 4]]
        assert state.sequences[kept.seq_id].token_texts(first, first + 4) == letters


def test_a_trace_that_does_not_tell_the_texts_of_tokens_has_empty_ones() -> None:
    bench = cached_bench()
    seq = bench.add(6, 3)
    bench.run()
    untold = [replace(event, lengths=()) if isinstance(event, Arrived) else event for event in bench.events]
    sequence = fold(untold).sequences[seq.seq_id]
    assert sequence.token_texts(4, 99) == [""] * 5
