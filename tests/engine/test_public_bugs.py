"""Faults that larger engines have had with block tables, prefix caching, scheduling, preemption and forks.

Each test has the public number in its name, and what went wrong there in its text. Others stand where their mechanism is
tested: test_block_hash.py, test_prefix_caching.py, test_composition.py, offsets beyond 2^31 (vllm #47671, sglang #20389) in
tests/kernels, and tokens in test_public_bugs_tokens.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_engine.block_pool import BlockPool
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import Admitted, BlocksShared, Preempted, Refused, Scheduled

from tests.engine.bench import Bench, check_answer, check_search


def family(seq: Sequence) -> list[Sequence]:
    return [seq, *seq.forks]


@settings(max_examples=25, deadline=None)
@given(
    wishes=st.lists(
        st.sampled_from([{"n": 3, "temperature": 1.0}, {"beam_width": 3}, {}]), min_size=1, max_size=4
    ),
    size=st.integers(1, 9),
    abort=st.integers(0, 12),
)
def test_vllm_1584_and_1556_a_block_is_counted_once_for_each_owner_and_freed_once(
    wishes: list[dict[str, Any]], size: int, abort: int
) -> None:
    """A fork counted a block once for each entry of the table, and freeing it gave "Double free!"."""
    bench = Bench(block_size=3)
    seqs = [bench.add(size, 7, wish=wish) for wish in wishes]
    for step, _ in enumerate(bench.steps()):
        bench.check_blocks()
        for seq in bench.live:
            assert len(set(seq.block_table)) == len(seq.block_table)
        if step == 2:
            bench.engine.abort(abort)
            bench.check_blocks()
    assert bench.engine.scheduler.pool.num_free == 64
    assert not any(bench.engine.scheduler.pool.ref_counts)
    for seq in (one for root in seqs for one in family(root) if not one.search):
        if seq.finish_reason != "aborted":
            check_answer(seq)


def test_vllm_1584_a_block_that_is_free_cannot_be_freed() -> None:
    pool = BlockPool(2)
    pool.allocate(1)
    pool.free([0])
    with pytest.raises(ValueError, match="block 0 is freed twice"):
        pool.free([0])


def test_nano_vllm_212_a_chunk_reads_only_what_has_been_computed() -> None:
    """seqlen_k was that of the whole prompt, so a chunk read KV that was not there yet.

    Every slot that was never written holds 255 here, a token that no text has: reading one changes the answer.
    """
    for budget in (1, 2, 3, 5, 7):
        bench = Bench(max_num_batched_tokens=budget, block_size=4)
        seq = bench.add(19, 4)
        bench.run()
        check_answer(seq)


@pytest.mark.parametrize("prefix_caching", [False, True])
def test_vllm_35541_and_39734_what_is_within_max_model_len_and_larger_than_the_pool_is_refused(
    prefix_caching: bool,
) -> None:
    """It waited for blocks that there are not, and everybody behind it waited too."""
    bench = Bench(num_blocks=4, block_size=2, max_model_len=40, prefix_caching=prefix_caching)
    huge, exact = bench.add(9, 1), bench.add(8, 1)
    behind = bench.add(2, 2)
    assert bench.run() == 3
    assert [event.seq_id for event in bench.of(Refused)] == [huge.seq_id]
    check_answer(exact)
    check_answer(behind)


def test_vllm_35541_a_pool_that_is_full_to_the_last_block_is_no_deadlock() -> None:
    """A request that needs every block there is waits for the others, and then has them all."""
    bench = Bench(num_blocks=4, block_size=2)
    small, all_of_it = bench.add(3, 3), bench.add(4, 5)
    bench.run()
    check_answer(small)
    check_answer(all_of_it)


@pytest.mark.parametrize("preemption", [{}, {"preemption": "swap", "num_host_blocks": 3}])
@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.tuples(st.integers(1, 8), st.integers(1, 9)), min_size=2, max_size=6))
def test_vllm_45388_and_vllm_ascend_16315_preemption_never_thrashes(
    preemption: dict[str, Any], sizes: list[tuple[int, int]]
) -> None:
    """Blocks given up were not usable at once, and two requests preempted each other for ever.

    Each step gives the most urgent sequence at least one token and never takes one away, so the steps are bounded by
    the tokens of all requests.
    """
    bench = Bench(num_blocks=8, block_size=2, **preemption)
    seqs = [bench.add(*size) for size in sizes]
    assert bench.run() <= sum(prompt + answer for prompt, answer in sizes)
    for seq in seqs:
        check_answer(seq)


def test_vllm_49675_who_cannot_be_scheduled_holds_no_blocks() -> None:
    """A request at the head of the queue kept blocks that it had been granted, and could not use them."""
    bench = Bench(num_blocks=6, block_size=2)
    bench.add(8, 4)
    waits = bench.add(6, 2)
    for _ in bench.steps():
        assert waits in bench.engine.scheduler.running or not waits.block_table


def test_nano_vllm_207_211_233_a_preempted_request_that_finds_its_own_blocks_again_computes_only_the_rest() -> (
    None
):
    """The tokens were counted before the lookup: an index out of range, or KV computed twice."""
    bench = Bench(num_blocks=9, block_size=2, prefix_caching=True)
    seqs = [bench.add(5, 8), bench.add(5, 8)]
    bench.run()
    again = [
        event for event in bench.of(BlocksShared) if event.seq_id in {e.seq_id for e in bench.of(Preempted)}
    ]
    assert again
    for event in again:
        work = next(e for e in bench.of(Scheduled) if e.seq_id == event.seq_id and e.step == event.step)
        assert work.start == 2 * len(event.block_ids)
        assert work.num_tokens >= 1
    for seq in seqs:
        check_answer(seq)


def test_nano_vllm_144_after_a_preemption_a_sequence_that_has_answered_reads_again_and_does_not_decode() -> (
    None
):
    """Workers took "has answered" for "decodes", and computed one token of a text whose KV was gone."""
    bench = Bench(num_blocks=4, block_size=2)
    seqs = [bench.add(3, 5), bench.add(3, 3)]
    bench.run()
    (preempted,) = bench.of(Preempted)
    back = [event for event in bench.of(Admitted) if event.seq_id == preempted.seq_id][1]
    work = next(e for e in bench.of(Scheduled) if (e.seq_id, e.step) == (back.seq_id, back.step))
    assert (work.kind, work.start, work.num_tokens) == ("prefill", 0, 5)
    for seq in seqs:
        check_answer(seq)


@pytest.mark.parametrize("steps", range(7))
def test_sglang_38319_and_vllm_34587_abort_in_the_middle_of_a_prompt_leaves_a_cache_that_is_right(
    steps: int,
) -> None:
    """Blocks that could still be found were given away: the next request with the prefix read somebody else's KV."""
    bench = Bench(num_blocks=12, block_size=2, max_num_batched_tokens=4, prefix_caching=True)
    first = bench.add(14, 4, shared=12)
    for _ in range(steps):
        bench.step()
    bench.engine.abort(first.seq_id)
    others = [bench.add(14, 4, shared=12), bench.add(9, 6), bench.add(14, 3, shared=12)]
    for _ in bench.steps():
        bench.check_blocks()
        bench.check_fold()
    for seq in others:
        check_answer(seq)


def test_sglang_18744_abort_between_two_steps_gives_blocks_to_others_at_once_and_the_answer_is_theirs() -> (
    None
):
    """A request was freed while its forward was still in flight, and wrote into blocks that others had by then."""
    bench = Bench(num_blocks=4, block_size=2)
    gone = bench.add(4, 4)
    bench.step()
    bench.engine.abort(gone.seq_id)
    taker = bench.add(5, 4)
    bench.step()
    assert set(taker.block_table) <= {0, 1, 2, 3}
    bench.run()
    check_answer(taker)


@pytest.mark.parametrize("preemption", [{}, {"preemption": "swap", "num_host_blocks": 40}])
def test_vllm_3347_a_beam_search_that_is_preempted_again_and_again_finds_the_same(
    preemption: dict[str, Any],
) -> None:
    bench = Bench(num_blocks=18, block_size=2, **preemption)
    talker = bench.add(7, 16)
    roots = [bench.add(4, 9, wish={"beam_width": 3, "n": 2}) for _ in range(2)]
    for _ in bench.steps():
        bench.check_blocks()
    assert bench.of(Preempted)
    check_answer(talker)
    for root in roots:
        check_search(root)
