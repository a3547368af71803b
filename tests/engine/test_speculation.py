"""Drafts: what is proposed, what is accepted, how it is counted, and that no answer changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_engine.ngram import LONGEST, SHORTEST, propose
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import (
    Admitted,
    BlocksAllocated,
    BlocksEvicted,
    Preempted,
    Sampled,
    Scheduled,
    Verified,
)
from ladder_engine.tracing.summary import summarize_state

from tests.engine.bench import Bench, answer, check_answer, half_right


@given(st.lists(st.integers(0, 2), max_size=30), st.integers(1, 5))
def test_a_draft_is_what_followed_the_longest_tail_the_last_time(tokens: list[int], most: int) -> None:
    expected: list[int] = []
    for size in range(SHORTEST, LONGEST + 1):
        places = [
            at for at in range(size, len(tokens)) if tokens[at - size : at] == tokens[len(tokens) - size :]
        ]
        if places and size <= len(tokens):
            expected = tokens[places[-1] : places[-1] + most]
    assert propose(tokens, most) == expected


def drafting(propose: Callable[[list[int], int], list[int]], **limits: Any) -> Bench:
    bench = Bench(**({"num_speculative_tokens": 4, "max_num_batched_tokens": 32} | limits))
    bench.engine.scheduler.drafting.propose = propose
    return bench


def right(token_ids: list[int], most: int) -> list[int]:
    return answer(token_ids, most, ignore_eos=True)


def wrong(token_ids: list[int], most: int) -> list[int]:
    return [(token + 1) % 23 for token in right(token_ids, most)]


def test_a_draft_that_is_right_says_all_its_tokens_and_one_more_in_one_step() -> None:
    bench = drafting(right)
    seq = bench.add(3, 11)
    steps = bench.run()
    check_answer(seq)
    assert steps == 3  # the prompt says 1, then 5 and 5
    assert [(e.num_tokens, e.num_draft_tokens) for e in bench.of(Scheduled)] == [(3, 0), (5, 4), (5, 4)]


def test_a_draft_that_is_wrong_costs_no_step() -> None:
    bench = drafting(wrong)
    seq = bench.add(3, 11)
    assert bench.run() == 11
    check_answer(seq)
    assert {event.num_accepted_tokens for event in bench.of(Verified)} == {0}


def test_nothing_counts_after_the_first_wrong_token() -> None:
    """vllm #2658: right tokens after a wrong one were counted as accepted."""

    def second_wrong(token_ids: list[int], most: int) -> list[int]:
        draft = right(token_ids, most)
        return [token if place != 1 else (token + 1) % 23 for place, token in enumerate(draft)]

    bench = drafting(second_wrong)
    seq = bench.add(3, 12)
    bench.run()
    bench.check_fold()
    check_answer(seq)
    full = [event for event in bench.of(Verified) if len(event.draft_token_ids) == 4]
    assert full
    assert {event.num_accepted_tokens for event in full} == {1}


def test_the_counters_have_vllms_meaning() -> None:
    bench = drafting(half_right)
    for _ in range(4):
        bench.add(4, 25)
    bench.run()
    bench.check_fold()
    summary = summarize_state(bench.state)
    verified = bench.of(Verified)
    assert summary.num_drafts == len(verified) > 20
    assert summary.num_draft_tokens == sum(len(event.draft_token_ids) for event in verified)
    assert summary.num_accepted_tokens == sum(event.num_accepted_tokens for event in verified) > 20
    assert sum(summary.accepted_per_pos) == summary.num_accepted_tokens
    assert list(summary.accepted_per_pos) == sorted(summary.accepted_per_pos, reverse=True)
    drafted = {(event.step, event.seq_id) for event in verified}
    said = sum((event.step, event.seq_id) in drafted for event in bench.of(Sampled))
    assert summary.num_accepted_tokens + summary.num_drafts - said == 0, (
        "accepted tokens, and one more a draft"
    )
    assert (
        f"{1 + summary.num_accepted_tokens / summary.num_drafts:.2f} tokens a verified step"
        in summary.lines()[-1]
    )


def test_an_end_token_inside_a_draft_ends_the_answer_there() -> None:
    bench = drafting(right, num_speculative_tokens=8)
    seqs = [bench.add(2, 60, ignore_eos=False) for _ in range(6)]
    bench.run()
    for seq in seqs:
        check_answer(seq)
    assert "stop" in {seq.finish_reason for seq in seqs}


def test_drafts_take_no_block_from_anybody() -> None:
    """Wrong drafts change nothing: who is preempted and admitted when, and what is free after each step."""
    found = []
    for tokens in (0, 6):
        bench = drafting(wrong, num_speculative_tokens=tokens, num_blocks=8, block_size=2)
        seqs = [bench.add(2, 5) for _ in range(3)]
        bench.run()
        for seq in seqs:
            check_answer(seq)
        bench.check_fold()
        tables = [[(e.step, e.seq_id) for e in bench.of(kind)] for kind in (Preempted, Admitted)]
        found.append([*tables, [step.num_free_blocks for step in bench.state.steps]])
    assert found[0] == found[1]
    assert found[0][0]


def test_drafts_never_need_more_than_the_whole_answer_does() -> None:
    bench = drafting(right, num_blocks=4, block_size=2, num_speculative_tokens=8)
    seq = bench.add(3, 6)  # 3 + 6 - 1 tokens fill the pool
    bench.run()
    check_answer(seq)
    assert max(block for event in bench.of(BlocksAllocated) for block in event.block_ids) == 3


def test_drafts_evict_nothing_from_the_cache() -> None:
    bench = drafting(wrong, prefix_caching=True, num_blocks=6, block_size=2)
    bench.add(7, 1)
    bench.run()  # three blocks stay cached
    greedy = bench.add(3, 8)
    for _ in range(2):
        bench.step()
    assert bench.of(Verified)
    assert len(greedy.block_table) == 2
    assert not bench.of(BlocksEvicted)


def test_everybody_who_runs_has_its_token_before_anybody_drafts() -> None:
    bench = drafting(right, max_num_batched_tokens=5, num_speculative_tokens=8)
    for _ in range(3):
        bench.add(1, 12)
    bench.step()
    while len(bench.engine.scheduler.running) == 3:
        ran = {seq.seq_id for seq in bench.engine.scheduler.running}
        events = bench.step()
        assert ran <= {event.seq_id for event in events if isinstance(event, Scheduled)}
    assert bench.of(Verified)


def test_a_large_batch_drafts_nothing() -> None:
    bench = drafting(right, max_num_speculating=2)
    long, *others = [bench.add(2, length) for length in (30, 4, 4)]
    bench.run()
    crowded = {event.step for event in bench.of(Scheduled) if event.seq_id == others[1].seq_id}
    drafted = {event.step for event in bench.of(Verified)}
    assert drafted
    assert not drafted & crowded
    check_answer(long)


GREEDY = SamplingParams(ignore_eos=True)
REPEATS = "Static batching holds every slot. Static batching holds every slot. Static batching"


def loving(token: int) -> dict[int, float]:
    """A bias that makes a random model repeat itself."""
    return {token: 6.0, token + 1: 6.0}


WISHES = [
    {},
    {"logit_bias": loving(70)},
    {"logit_bias": loving(90), "temperature": 0.8, "seed": 5},
    {"temperature": 1.2, "top_p": 0.8, "top_k": 30, "seed": 6, "logit_bias": loving(40)},
    {"frequency_penalty": 2.0, "logit_bias": {70: 24.0}},
    {"logit_bias": loving(70), "logprobs": 2},
]


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_num_batched_tokens": 9, "block_size": 3},
        {"num_blocks": 24, "block_size": 8},
        {"prefix_caching": True},
    ],
    ids=["roomy", "chunked", "preempted", "cached"],
)
def test_the_real_model_says_the_same_greedy_and_sampled_in_fewer_steps(
    machine: Callable[..., Any], limits: dict[str, Any]
) -> None:
    answers, steps, logprobs = [], [], []
    for tokens in (0, 5):
        box = machine(**limits, num_speculative_tokens=tokens)
        seqs = [
            box.engine.add(f"r{i}", REPEATS, 30, SamplingParams(ignore_eos=True, **wish))
            for i, wish in enumerate(WISHES)
        ]
        box.run()
        answers.append([seq.answer for seq in seqs])
        steps.append(box.engine.recorder.step)
        said = [event for event in box.events if isinstance(event, Sampled)]
        logprobs.append([[token for token, _ in event.logprobs] for event in said if event.seq_id == 5])
        accepted = sum(e.num_accepted_tokens for e in box.events if isinstance(e, Verified))
    assert answers[0] == answers[1]
    assert logprobs[0] == logprobs[1]
    assert accepted > 20
    assert steps[1] <= steps[0]
