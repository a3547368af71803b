"""The scheduler and the engine around it, with an executor whose answers are known (bench.py)."""

from __future__ import annotations

import pytest
from ladder_engine.tracing.events import (
    Admitted,
    AnyEvent,
    Finished,
    Preempted,
    Refused,
    Sampled,
    Scheduled,
    Waits,
)

from tests.engine.bench import EOS, Bench, check_answer


def reasons(events: list[AnyEvent]) -> list[tuple[int, str]]:
    return [(event.seq_id, event.reason) for event in events if isinstance(event, Waits)]


def test_a_request_that_never_fits_is_refused_when_it_arrives_and_blocks_nobody() -> None:
    bench = Bench(num_blocks=4, block_size=2, max_model_len=20)
    too_long = bench.add(15, 6)
    too_big = bench.add(6, 4)
    empty = bench.add(0, 4)
    bench.add(1, 10**15)
    just = bench.add(6, 3)
    bench.run()
    refused = {event.seq_id: event.reason for event in bench.of(Refused)}
    assert "max_model_len is 20" in refused.pop(3)
    assert refused == {
        too_long.seq_id: "r0 needs 15 prompt tokens and up to 6 more, and max_model_len is 20.",
        too_big.seq_id: "r1 needs 5 blocks of 2 tokens (6 prompt tokens and up to 4 more), and the whole pool has 4.",
        empty.seq_id: "r2 has an empty prompt, and the first token needs something to follow.",
    }
    check_answer(just)


def test_decodes_go_on_while_a_long_prompt_is_read_and_the_prompt_is_read_while_they_decode() -> None:
    bench = Bench(max_num_batched_tokens=4)
    chats = [bench.add(2, 20), bench.add(2, 20)]
    bench.step()
    long = bench.add(30, 2)
    for _ in range(14):
        events = bench.step()
        scheduled = {event.seq_id: event for event in events if isinstance(event, Scheduled)}
        assert all(scheduled[chat.seq_id].kind == "decode" for chat in chats)
        assert scheduled[long.seq_id].num_tokens == 2
    assert long.num_computed_tokens == 28


def test_decodes_cannot_starve_an_arrival_that_has_room() -> None:
    bench = Bench(max_num_batched_tokens=4, max_num_seqs=4)
    for _ in range(3):
        bench.add(1, 30)
    bench.step()
    late = bench.add(4, 2)
    for _ in range(4):
        bench.step()
    assert late.num_answer_tokens >= 1


def test_chunks_start_where_the_last_one_ended_and_only_the_last_one_samples() -> None:
    bench = Bench(max_num_batched_tokens=3, block_size=4)
    seq = bench.add(8, 2)
    bench.run()
    chunks = [(event.start, event.num_tokens, event.kind) for event in bench.of(Scheduled)]
    assert chunks == [(0, 3, "prefill"), (3, 3, "prefill"), (6, 2, "prefill"), (8, 1, "decode")]
    assert [event.step for event in bench.of(Sampled)] == [3, 4]
    check_answer(seq)


def test_the_youngest_is_preempted_and_computes_everything_again() -> None:
    bench = Bench(num_blocks=4, block_size=2)
    old, young = bench.add(3, 5), bench.add(3, 3)
    bench.run()
    preempted = bench.of(Preempted)
    assert [(event.seq_id, event.num_computed_tokens) for event in preempted] == [(young.seq_id, 4)]
    again = [event for event in bench.of(Scheduled) if event.seq_id == young.seq_id and event.start == 0]
    assert [(event.num_tokens, event.kind) for event in again] == [(3, "prefill"), (5, "prefill")]
    assert [event.seq_id for event in bench.of(Admitted)] == [old.seq_id, young.seq_id, young.seq_id]
    check_answer(old)
    check_answer(young)


def test_each_reason_to_wait_is_told_once_until_it_changes() -> None:
    bench = Bench(num_blocks=6, block_size=2, max_num_seqs=2, max_num_batched_tokens=4)
    bench.add(6, 4)
    bench.add(2, 3)
    bench.add(2, 3)
    events = bench.step()
    assert reasons(events) == [(1, "token_budget"), (2, "behind_earlier")]
    events = bench.step()
    assert [event.seq_id for event in events if isinstance(event, Admitted)] == [1]
    assert reasons(events) == [(2, "max_num_seqs")]
    assert reasons(bench.step()) == []


def test_a_waiting_request_says_that_blocks_are_missing() -> None:
    bench = Bench(num_blocks=4, block_size=2)
    bench.add(5, 3)
    bench.add(4, 2)
    assert reasons(bench.step()) == [(1, "no_free_blocks")]


def test_a_sequence_enters_only_when_all_its_known_tokens_fit() -> None:
    """Else it would take blocks for its first chunks, and lose them to the older ones before its last."""
    bench = Bench(num_blocks=8, block_size=2, max_num_batched_tokens=5)
    old = bench.add(5, 8)
    for _ in range(4):
        bench.step()
    assert len(old.block_table) == 4
    late = bench.add(10, 2)
    bench.step()
    assert (late.wait_reason, late.block_table) == ("no_free_blocks", [])
    bench.run()
    assert not bench.of(Preempted)


def test_victims_are_taken_from_the_young_end_until_the_oldest_has_what_it_needs() -> None:
    bench = Bench(num_blocks=8, block_size=1, max_num_batched_tokens=20)
    for _ in range(4):
        bench.add(2, 5)
    bench.step()
    events = bench.step()
    assert [event.seq_id for event in events if isinstance(event, Preempted)] == [3, 2]
    assert [event.seq_id for event in events if isinstance(event, Scheduled)] == [0, 1]
    assert [seq.seq_id for seq in bench.engine.scheduler.waiting] == [2, 3]


@pytest.mark.parametrize("steps", range(6))
def test_abort_frees_everything_at_any_moment(steps: int) -> None:
    bench = Bench(num_blocks=5, block_size=2, max_num_batched_tokens=4)
    seqs = [bench.add(5, 6), bench.add(4, 6), bench.add(3, 6)]
    for _ in range(steps):
        bench.step()
    for seq in seqs:
        bench.engine.abort(seq.seq_id)
        bench.check_blocks()
        bench.check_fold()
    assert not bench.engine.has_work
    assert bench.engine.scheduler.pool.num_free == 5
    aborted = {event.seq_id for event in bench.of(Finished) if event.reason == "aborted"}
    assert aborted == {seq.seq_id for seq in seqs}


def test_an_end_token_ends_the_answer_unless_it_is_ignored() -> None:
    bench = Bench(num_blocks=64)
    asked = [bench.add(2, 60, ignore_eos=ignore) for ignore in (False, True) for _ in range(8)]
    bench.run()
    for seq in asked:
        check_answer(seq)
    assert {seq.finish_reason for seq in asked} == {"stop", "length"}
    assert any(EOS in seq.answer[:-1] for seq in asked if not seq.end_token_ids)


def test_the_sink_may_abort() -> None:
    """Events are handed over when the step is done, so whoever listens may act on them."""
    bench = Bench()
    seq = bench.add(2, 30)
    bench.engine.recorder._sink = lambda events: bench.engine.abort(seq.seq_id)
    bench.step()
    assert not bench.engine.has_work
    assert bench.engine.scheduler.pool.num_free == 64
