"""Which kinds of work share a step, how long a chunk is, and that neither kind waits for ever: bounds in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ladder_engine.composition import PATIENCE
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import AnyEvent, Sampled, Scheduled, Waits

from tests.engine.bench import Bench, check_answer


def kinds(events: list[AnyEvent]) -> set[str]:
    return {event.kind for event in events if isinstance(event, Scheduled)}


def test_a_mixed_step_computes_both_and_a_pure_one_either() -> None:
    for composition, mixes in {"mixed": True, "prefill_first": False, "decode_first": False}.items():
        bench = Bench(composition=composition, max_num_batched_tokens=6)
        seqs = [bench.add(3, 12) for _ in range(2)]
        bench.step()
        seqs.append(bench.add(20, 3))
        found = [kinds(events) for events in bench.steps()]
        assert ({"prefill", "decode"} in found) == mixes
        for seq in seqs:
            check_answer(seq)


def test_prefill_first_answers_a_newcomer_at_once_and_decode_first_makes_it_wait() -> None:
    first: dict[str, int] = {}
    for composition in ("prefill_first", "decode_first"):
        bench = Bench(composition=composition)
        bench.add(3, 12)
        bench.step()
        late = bench.add(6, 2)
        bench.run()
        first[composition] = next(event.step for event in bench.of(Sampled) if event.seq_id == late.seq_id)
    assert first == {"prefill_first": 2, "decode_first": 2 + PATIENCE}


def test_who_waits_for_the_turn_of_decodes_says_so() -> None:
    bench = Bench(composition="decode_first")
    bench.add(3, 12)
    bench.step()
    late = bench.add(3, 2)
    events = bench.step()
    assert [(event.seq_id, event.reason) for event in events if isinstance(event, Waits)] == [
        (late.seq_id, "decode_turn")
    ]


def test_a_stream_of_prompts_cannot_starve_a_decode() -> None:
    """sglang #32549: strict prefill-first gave 250 streams one decode batch in 24 seconds."""
    bench = Bench(
        composition="prefill_first",
        num_blocks=400,
        max_num_seqs=60,
        max_num_batched_tokens=8,
        max_model_len=99,
    )
    talker = bench.add(2, 12)
    bench.step()
    waited = 0
    while not talker.finish_reason:
        bench.add(8, 1)  # a whole step's budget of prompt before every step
        said = talker.num_answer_tokens
        bench.step()
        waited = waited + 1 if talker.num_answer_tokens == said else 0
        assert waited <= PATIENCE
    assert bench.engine.recorder.step == 1 + 1 + 11 * (PATIENCE + 1)
    check_answer(talker)


def test_a_stream_of_decodes_cannot_starve_a_prompt() -> None:
    """mlxcel #1011, the mirror: a prompt waited until every decode had drained."""
    bench = Bench(composition="decode_first", num_blocks=400, max_num_batched_tokens=8, max_model_len=99)
    for _ in range(3):
        bench.add(2, 60)
    bench.step()
    prompt = bench.add(30, 2)
    steps = 0
    while not prompt.num_answer_tokens:
        bench.step()
        steps += 1
    assert steps == 4 * (PATIENCE + 1), (
        "30 tokens are four chunks of 8, and each waits for PATIENCE decode steps"
    )


@pytest.mark.parametrize("composition", ["prefill_first", "decode_first"])
def test_when_the_first_kind_has_no_work_the_other_one_loses_no_step(composition: str) -> None:
    bench = Bench(composition=composition)
    seq = bench.add(4, 9)
    assert bench.run() == 9
    check_answer(seq)


def test_a_chunk_is_as_long_as_the_engine_and_the_request_allow() -> None:
    bench = Bench(max_num_batched_tokens=16, max_prefill_chunk=5)
    seqs = [bench.add(12, 1), bench.add(12, 1, max_prefill_chunk=2), bench.add(3, 1)]
    bench.step()
    assert [event.num_tokens for event in bench.of(Scheduled)] == [5, 2, 3]
    bench.run()
    chunks = [[e.num_tokens for e in bench.of(Scheduled) if e.seq_id == seq.seq_id] for seq in seqs]
    assert chunks == [[5, 5, 2], [2] * 6, [3]]
    for seq in seqs:
        check_answer(seq)


def test_a_request_may_ask_for_longer_chunks_than_the_engine_gives_others() -> None:
    bench = Bench(max_num_batched_tokens=16, max_prefill_chunk=4)
    bench.add(12, 1, max_prefill_chunk=12)
    bench.step()
    assert [event.num_tokens for event in bench.of(Scheduled)] == [12]


def test_prompts_in_chunks_do_not_let_anybody_in_whom_they_would_have_to_throw_out() -> None:
    """What is left of a prompt that is being read counts as taken."""
    bench = Bench(num_blocks=10, block_size=2, max_prefill_chunk=2)
    bench.add(14, 2)
    late = bench.add(8, 2)
    bench.step()
    assert late.wait_reason == "no_free_blocks"


@pytest.mark.parametrize("composition", ["prefill_first", "decode_first"])
@pytest.mark.parametrize("limits", [{}, {"num_blocks": 15, "block_size": 8}], ids=["roomy", "preempted"])
def test_the_composition_changes_no_token(
    machine: Callable[..., Any], composition: str, limits: dict[str, int]
) -> None:
    answers = []
    texts = [
        "What is the KV cache?",
        "a",
        "Static batching holds every slot until the longest answer ends. " * 3,
    ]
    for settings in ({}, {"composition": composition, "max_prefill_chunk": 7, **limits}):
        box = machine(**settings)
        seqs = [box.engine.add(text, text, 20, SamplingParams(ignore_eos=True)) for text in texts]
        box.run()
        answers.append([seq.answer for seq in seqs])
    assert answers[0] == answers[1]
