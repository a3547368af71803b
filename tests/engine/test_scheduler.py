"""The scheduler and the engine around it, with an executor whose KV cache is an array of token ids.

The next token is a checksum of what the executor finds through the block table. So a token written to the wrong slot,
a block shared by mistake, or KV that was never computed changes the answer, and the answer is known: the checksum of
the sequence's own tokens.
"""

from __future__ import annotations

import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.fold import RunState, fold
from ladder_engine.inputs import prepare
from ladder_engine.recorder import Recorder
from ladder_engine.sampling import SamplingParams
from ladder_engine.scheduler import Batch
from ladder_engine.sequence import Sequence
from ladder_engine.trace import (
    SCHEMA,
    Admitted,
    AnyEvent,
    Finished,
    Preempted,
    Refused,
    RunStarted,
    Sampled,
    Scheduled,
    StepTimed,
    Waits,
)

VOCABULARY, EOS = 23, 0


def next_token(tokens: list[int]) -> int:
    return zlib.crc32(bytes(tokens)) % VOCABULARY


def answer(prompt: list[int], max_tokens: int, ignore_eos: bool) -> list[int]:
    """What any right engine says."""
    tokens = list(prompt)
    for _ in range(max_tokens):
        tokens.append(next_token(tokens))
        if tokens[-1] == EOS and not ignore_eos:
            break
    return tokens[len(prompt) :]


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text: str) -> list[int]:
        return [ord(letter) - ord("a") for letter in text]

    def stream(self) -> Letters:
        return self

    def push(self, token_id: int, *, last: bool) -> str:
        return chr(ord("a") + token_id)


class ChecksumExecutor:
    def __init__(self, config: EngineConfig) -> None:
        self.block_size = config.block_size
        self.cache = np.full(config.num_blocks * config.block_size, 255, dtype=np.uint8)

    def execute(self, batch: Batch) -> list[int]:
        inputs = prepare(batch, self.block_size)
        self.cache[inputs.slot_mapping] = inputs.token_ids
        tokens = []
        for row in np.searchsorted(inputs.cu_seqlens_q, inputs.sample_rows, side="right") - 1:
            blocks = inputs.block_tables[row].astype(np.int64)[:, None] * self.block_size
            slots = (blocks + np.arange(self.block_size)).reshape(-1)[: inputs.context_lens[row]]
            tokens.append(next_token(self.cache[slots].tolist()))
        assert inputs.sample_positions.tolist() == inputs.context_lens[[w.samples for w in batch]].tolist()
        return tokens


class Bench:
    """An engine without a model, its events, and the state that they fold to."""

    def __init__(self, **limits: int) -> None:
        roomy = {"num_blocks": 64, "block_size": 2, "max_num_seqs": 8, "max_num_batched_tokens": 16,
                 "max_model_len": 64}  # fmt: skip
        self.config = EngineConfig(**(roomy | limits))
        self.events: list[AnyEvent] = []
        self.unfolded: list[AnyEvent] = []
        recorder = Recorder(self.take)
        recorder.add(RunStarted, schema=SCHEMA, scenario="s", model="m", kernels="k", device="d",
                     num_blocks=self.config.num_blocks, block_size=self.config.block_size,
                     max_num_seqs=self.config.max_num_seqs, max_model_len=self.config.max_model_len,
                     max_num_batched_tokens=self.config.max_num_batched_tokens, kv_bytes_per_token=1)  # fmt: skip
        self.engine = Engine(self.config, ChecksumExecutor(self.config), Letters(), (EOS,), recorder)  # type: ignore[arg-type]
        self.state = RunState()

    def take(self, events: list[AnyEvent]) -> None:
        self.events += events
        self.unfolded += events

    @property
    def live(self) -> list[Sequence]:
        return [*self.engine.scheduler.running, *self.engine.scheduler.waiting]

    def add(self, num_prompt_tokens: int, max_tokens: int, ignore_eos: bool = True) -> Sequence:
        index = self.engine._next_id
        prompt = "".join(
            chr(ord("a") + (index * 7 + place) % VOCABULARY) for place in range(num_prompt_tokens)
        )
        return self.engine.add(f"r{index}", prompt, max_tokens, SamplingParams(ignore_eos=ignore_eos))

    def step(self) -> list[AnyEvent]:
        before = len(self.events)
        self.engine.step()
        return self.events[before:]

    def run(self, most: int = 1000) -> int:
        for steps in range(most):
            if not self.engine.has_work:
                return steps
            self.step()
        raise AssertionError(f"not done after {most} steps")

    def of(self, kind: type) -> list[AnyEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    def check_blocks(self) -> None:
        pool = self.engine.scheduler.pool
        owned = Counter(block for seq in self.live for block in seq.block_table)
        assert pool.ref_counts == [owned[block] for block in range(self.config.num_blocks)]
        assert sorted([*pool.free_block_ids, *owned]) == list(range(self.config.num_blocks))

    def check_fold(self) -> None:
        """The trace alone gives the engine's own queues and block tables."""
        self.engine.recorder.flush()
        self.state = fold(self.unfolded, self.state)
        self.unfolded = []
        scheduler = self.engine.scheduler
        assert self.state.running == [seq.seq_id for seq in scheduler.running]
        assert self.state.waiting == [seq.seq_id for seq in scheduler.waiting]
        for seq in self.live:
            told = self.state.sequences[seq.seq_id]
            assert told.block_table == tuple(seq.block_table)
            assert (told.num_tokens, told.num_computed_tokens) == (seq.num_tokens, seq.num_computed_tokens)
            assert told.wait_reason == seq.wait_reason
            assert told.text == "".join(chr(ord("a") + token) for token in seq.answer)
        assert self.state.num_free_blocks == scheduler.pool.num_free


def check_answer(seq: Sequence) -> None:
    prompt = seq.token_ids[: seq.num_prompt_tokens]
    expected = answer(prompt, seq.max_tokens, not seq.eos_token_ids)
    assert seq.answer == expected
    assert seq.finish_reason == ("stop" if expected[-1] == EOS and seq.eos_token_ids else "length")


SIZES = st.integers(1, 5) | st.integers(0, 20)


class EngineMachine(RuleBasedStateMachine):
    """Arrivals, aborts and steps in any order, in pools and budgets that are mostly too small."""

    @initialize(
        num_blocks=st.integers(1, 14),
        block_size=st.integers(1, 4),
        max_num_seqs=st.integers(1, 8),
        budget=st.integers(1, 20),
        max_model_len=st.integers(8, 40),
    )
    def build(
        self, num_blocks: int, block_size: int, max_num_seqs: int, budget: int, max_model_len: int
    ) -> None:
        self.bench = Bench(num_blocks=num_blocks, block_size=block_size, max_num_seqs=max_num_seqs,
                           max_num_batched_tokens=budget, max_model_len=max_model_len)  # fmt: skip
        self.everyone: list[Sequence] = []
        self.aborted: set[int] = set()

    @rule(requests=st.lists(st.tuples(SIZES, st.integers(1, 14), st.booleans()), min_size=1, max_size=4))
    def arrive(self, requests: list[tuple[int, int, bool]]) -> None:
        config = self.bench.config
        for size, max_tokens, ignore_eos in requests:
            seq = self.bench.add(size, max_tokens, ignore_eos)
            self.everyone.append(seq)
            kv_slots = config.num_blocks * config.block_size
            fits = size > 0 and size + max_tokens <= min(config.max_model_len, kv_slots + 1)
            assert (seq in self.bench.live) == fits
            if not fits:
                self.aborted.add(seq.seq_id)

    @rule(seq_id=st.integers(-1, 30))
    def abort(self, seq_id: int) -> None:
        live = {seq.seq_id for seq in self.bench.live}
        self.bench.engine.abort(seq_id)
        assert {seq.seq_id for seq in self.bench.live} == live - {seq_id}
        self.aborted |= live & {seq_id}

    @precondition(lambda self: self.bench.engine.has_work)
    @rule(times=st.integers(1, 4))
    def step(self, times: int) -> None:
        for _ in range(times):
            if self.bench.engine.has_work:
                self.one_step()

    def one_step(self) -> None:
        oldest = self.bench.live[0]
        ran = [seq.seq_id for seq in self.bench.engine.scheduler.running]
        told = oldest.num_tokens + oldest.num_computed_tokens
        events = self.bench.step()
        assert oldest.num_tokens + oldest.num_computed_tokens > told, "the oldest always advances"
        scheduled = [event.seq_id for event in events if isinstance(event, Scheduled)]
        preempted = [event.seq_id for event in events if isinstance(event, Preempted)]
        assert set(ran) <= {*scheduled, *preempted}, "who runs advances or gives up its blocks"
        assert len(scheduled) == len(set(scheduled))
        assert sum(event.num_tokens for event in events if isinstance(event, Scheduled)) <= (
            self.bench.config.max_num_batched_tokens
        )
        assert isinstance(events[-1], StepTimed)
        self.bench.check_blocks()
        self.bench.check_fold()

    @invariant()
    def blocks_are_conserved(self) -> None:
        self.bench.check_blocks()

    @invariant()
    def queues_are_in_order_of_arrival(self) -> None:
        order = [seq.seq_id for seq in self.bench.live]
        assert order == sorted(order)

    @invariant()
    def only_the_running_own_blocks(self) -> None:
        scheduler = self.bench.engine.scheduler
        assert len(scheduler.running) <= self.bench.config.max_num_seqs
        assert all(seq.num_computed_tokens == 0 and not seq.block_table for seq in scheduler.waiting)

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        bound = sum(seq.num_prompt_tokens + seq.max_tokens for seq in self.everyone)
        self.bench.run(most=bound + 1)
        assert self.bench.engine.scheduler.pool.num_free == self.bench.config.num_blocks
        self.bench.check_fold()
        for seq in self.everyone:
            if seq.seq_id not in self.aborted:
                check_answer(seq)


EngineMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
TestEngineMachine = EngineMachine.TestCase


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
    assert any(EOS in seq.answer[:-1] for seq in asked if not seq.eos_token_ids)


def test_the_sink_may_abort() -> None:
    """Events are handed over when the step is done, so whoever listens may act on them."""
    bench = Bench()
    seq = bench.add(2, 30)
    bench.engine.recorder._sink = lambda events: bench.engine.abort(seq.seq_id)
    bench.step()
    assert not bench.engine.has_work
    assert bench.engine.scheduler.pool.num_free == 64
