"""Random runs of the engine with every mechanism, in pools and budgets that are mostly too small.

After each step the blocks are conserved, the trace folds to the engine's own state, and the oldest has advanced; at the
end everybody has said what it would have said alone.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from ladder_engine.sequence import Sequence
from ladder_engine.trace import AnyEvent, BlocksShared, Preempted, Scheduled, StepTimed

from tests.engine.bench import Bench, check_answer, half_right

REQUESTS = st.fixed_dictionaries(
    {
        "num_prompt_tokens": st.integers(1, 5) | st.integers(0, 20),
        "max_tokens": st.integers(1, 14),
        "ignore_eos": st.booleans(),
        "shared": st.integers(0, 20),
        "family": st.integers(0, 1),
        "priority": st.integers(-1, 1),
        "client": st.sampled_from(["ada", "ben", "cleo"]),
        "salt": st.sampled_from(["", "", "", "tenant"]),
    }
)


class EngineMachine(RuleBasedStateMachine):
    """Arrivals, aborts and steps in any order, in pools and budgets that are mostly too small."""

    @initialize(
        num_blocks=st.integers(1, 14),
        block_size=st.integers(1, 4),
        max_num_seqs=st.integers(1, 8),
        budget=st.integers(1, 20),
        max_model_len=st.integers(8, 40),
        admission=st.sampled_from(["fcfs", "fcfs", "priority", "fair"]),
        speculation=st.sampled_from(
            [{}, {}]
            + [{"num_speculative_tokens": length} for length in (1, 3, 6)]
            + [{"num_speculative_tokens": length, "draft_model": "d"} for length in (1, 3, 6)]
        ),
        max_num_speculating=st.sampled_from([None, None, 2]),
        max_num_waiting=st.sampled_from([None, None, 3]),
        mode=st.sampled_from(
            [
                {},
                {"prefix_caching": True},
                {"batching": "static"},
                {"kv_layout": "slab"},
                {"prefix_caching": True, "batching": "static"},
            ]
        ),
    )
    def build(self, budget: int, mode: dict[str, Any], speculation: dict[str, Any], **limits: Any) -> None:
        if mode.get("kv_layout") == "slab":
            slab = -(-limits["max_model_len"] // limits["block_size"])
            limits["num_blocks"] = slab * (1 + limits["num_blocks"] % 3)
        self.bench = Bench(max_num_batched_tokens=budget, **limits, **mode, **speculation)
        self.bench.engine.scheduler.drafting.propose = half_right
        self.everyone: list[Sequence] = []
        self.aborted: set[int] = set()

    @rule(requests=st.lists(REQUESTS, min_size=1, max_size=4))
    def arrive(self, requests: list[dict[str, Any]]) -> None:
        config = self.bench.config
        for request in requests:
            full = len(self.bench.engine.scheduler.waiting) == config.max_num_waiting
            seq = self.bench.add(**request)
            size, max_tokens = request["num_prompt_tokens"], request["max_tokens"]
            self.everyone.append(seq)
            kv_slots = config.num_blocks * config.block_size
            fits = size > 0 and size + max_tokens <= min(config.max_model_len, kv_slots + 1)
            assert (seq in self.bench.live) == (fits and not full)
            if seq not in self.bench.live:
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
        oldest = next(iter(self.bench.engine.scheduler.running), None)
        ran = [seq.seq_id for seq in self.bench.engine.scheduler.running]
        told = oldest.num_tokens + oldest.num_computed_tokens if oldest else 0
        events = self.bench.step()
        scheduled = [event.seq_id for event in events if isinstance(event, Scheduled)]
        assert scheduled, "every step advances somebody"
        if oldest:
            assert oldest.num_tokens + oldest.num_computed_tokens > told, "who entered first always advances"
        preempted = [event.seq_id for event in events if isinstance(event, Preempted)]
        assert set(ran) <= {*scheduled, *preempted}, "who runs advances or gives up its blocks"
        assert len(scheduled) == len(set(scheduled))
        assert sum(event.num_tokens for event in events if isinstance(event, Scheduled)) <= (
            self.bench.config.max_num_batched_tokens
        )
        assert isinstance(events[-1], StepTimed)
        for seq in self.bench.engine.scheduler.running:
            assert seq.num_draft_computed_tokens <= seq.num_computed_tokens
        self.check_shared(events)
        self.bench.check_blocks()
        self.bench.check_fold()

    def check_shared(self, events: list[AnyEvent]) -> None:
        """What is shared holds the very tokens, and comes from a request with the same salt."""
        for event in events:
            if isinstance(event, BlocksShared):
                seq = self.everyone[event.seq_id]
                found = self.bench.kv(event.block_ids)
                assert found == seq.token_ids[: len(found)]
                assert len(found) < seq.num_tokens
                for block_id in event.block_ids:
                    assert self.everyone[self.bench.state.cached[block_id]].extra_keys == seq.extra_keys

    @invariant()
    def blocks_are_conserved(self) -> None:
        self.bench.check_blocks()

    @invariant()
    def a_slab_is_one_piece_from_the_first_token_on(self) -> None:
        config = self.bench.config
        if config.kv_layout == "slab":
            size = config.blocks_for(config.max_model_len)
            for seq in self.bench.engine.scheduler.running:
                first = seq.block_table[0]
                assert first % size == 0
                assert seq.block_table == list(range(first, first + size))
            assert not self.bench.of(Preempted)

    @invariant()
    def queues_are_in_order_of_arrival(self) -> None:
        order = [seq.seq_id for seq in self.bench.live]
        assert order == sorted(order) or self.bench.config.admission != "fcfs"

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
        scheduled: Counter[int] = Counter()
        for event in self.bench.of(Scheduled):
            scheduled[event.seq_id] += event.num_tokens
        for seq in self.everyone:
            if seq.seq_id not in self.aborted:
                check_answer(seq)
                told = self.bench.state.sequences[seq.seq_id]
                if not self.bench.config.prefix_caching and not self.bench.config.num_speculative_tokens:
                    assert told.num_recomputed_tokens == scheduled[seq.seq_id] - (seq.num_tokens - 1)


EngineMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
TestEngineMachine = EngineMachine.TestCase
