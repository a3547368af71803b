"""Random runs of the engine with every mechanism, in pools and budgets that are mostly too small.

After each step the blocks are conserved, the trace folds to the engine's own state, and whoever must advance has
advanced; at the end everybody has said what it would have said alone.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from ladder_engine.admission import HEAD_START
from ladder_engine.composition import PATIENCE
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import AnyEvent, BlocksShared, Preempted, Scheduled, StepTimed

from tests.engine.bench import Bench, check_answer, check_search, half_right

WISHES = st.sampled_from(
    [
        {},
        {},
        {},
        {"temperature": 1.0},
        {"temperature": 1.0, "n": 2},
        {"temperature": 1.0, "n": 3, "seed": 5},
        {"beam_width": 2},
        {"beam_width": 3, "n": 2, "length_penalty": 0.0},
    ]
)
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
        "max_prefill_chunk": st.sampled_from([None, None, 1, 4]),
        "wish": WISHES,
    }
)
SWAP = st.sampled_from(
    [{}, {}, {"preemption": "swap", "num_host_blocks": 3}, {"preemption": "swap", "num_host_blocks": 40}]
)
MODES = st.sampled_from(
    [
        {},
        {"prefix_caching": True},
        {"batching": "static"},
        {"kv_layout": "slab"},
        {"prefix_caching": True, "batching": "static"},
    ]
)


def root_id(seq: Sequence, everyone: list[Sequence]) -> int:
    return next(root.seq_id for root in everyone if seq is root or seq in root.forks)


class EngineMachine(RuleBasedStateMachine):
    """Arrivals, forks, aborts and steps in any order, in pools and budgets that are mostly too small."""

    @initialize(
        num_blocks=st.integers(1, 14) | st.integers(10, 30),
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
        composition=st.sampled_from(["mixed", "mixed", "prefill_first", "decode_first"]),
        max_prefill_chunk=st.sampled_from([None, None, 3]),
        max_num_speculating=st.sampled_from([None, None, 2]),
        max_num_waiting=st.sampled_from([None, None, 3]),
        swap=SWAP,
        mode=MODES,
    )
    def build(
        self,
        budget: int,
        mode: dict[str, Any],
        swap: dict[str, Any],
        speculation: dict[str, Any],
        **limits: Any,
    ) -> None:
        if mode.get("kv_layout") == "slab":
            slab = -(-limits["max_model_len"] // limits["block_size"])
            limits["num_blocks"] = slab * (1 + limits["num_blocks"] % 3)
        self.bench = Bench(max_num_batched_tokens=budget, **limits, **mode, **swap, **speculation)
        self.bench.engine.scheduler.drafting.propose = half_right
        self.everyone: list[Sequence] = []
        self.aborted: set[int] = set()
        self.idle: Counter[int] = Counter()

    @rule(requests=st.lists(REQUESTS, min_size=1, max_size=4))
    def arrive(self, requests: list[dict[str, Any]]) -> None:
        for request in requests:
            full = len(self.bench.engine.scheduler.waiting) == self.bench.config.max_num_waiting
            seq = self.bench.add(**request)
            self.everyone.append(seq)
            assert (seq in self.bench.live) == (self.fits(request) and not full)
            if seq not in self.bench.live:
                self.aborted.add(seq.seq_id)

    def fits(self, request: dict[str, Any]) -> bool:
        config, wish = self.bench.config, request["wish"]
        size, max_tokens = request["num_prompt_tokens"], request["max_tokens"]
        width = max(wish.get("n", 1), wish.get("beam_width", 1))
        blocks = -(-(size + max_tokens - 1) // config.block_size) * wish.get("beam_width", 1)
        return (
            0 < size <= config.max_model_len - max_tokens
            and blocks <= config.num_blocks
            and width <= min(config.max_num_seqs, config.max_num_batched_tokens)
            and (width == 1 or config.kv_layout == "paged")
        )

    @rule(seq_id=st.integers(-1, 30))
    def abort(self, seq_id: int) -> None:
        live = {seq.seq_id for seq in self.bench.live}
        gone = {one.seq_id for seq in self.bench.live if seq.seq_id == seq_id for one in seq.unit}
        self.bench.engine.abort(seq_id)
        assert {seq.seq_id for seq in self.bench.live} == live - gone
        self.aborted |= gone

    @precondition(lambda self: self.bench.engine.has_work)
    @rule(times=st.integers(1, 4))
    def step(self, times: int) -> None:
        for _ in range(times):
            if self.bench.engine.has_work:
                self.one_step()

    def one_step(self) -> None:
        ran = list(self.bench.engine.scheduler.running)
        first = self.most_urgent(ran)
        told = sum(seq.num_tokens + seq.num_computed_tokens for seq in first)
        waits = {seq.seq_id for seq in ran if seq.search and seq.num_computed_tokens == seq.num_tokens}
        events = self.bench.step()
        scheduled = [event.seq_id for event in events if isinstance(event, Scheduled)]
        preempted = [event.seq_id for event in events if isinstance(event, Preempted)]
        assert scheduled, "every step advances somebody"
        if first and not first[0].finish_reason and self.bench.config.composition == "mixed":
            now = sum(seq.num_tokens + seq.num_computed_tokens for seq in first[0].unit)
            assert now > told, "who is most urgent always advances"
        if self.bench.config.admission == "priority":
            ranks = {seq.seq_id: seq.arrived_step + HEAD_START * seq.priority for seq in ran}
            kept = [rank for seq_id, rank in ranks.items() if seq_id not in preempted]
            lost = [rank for seq_id, rank in ranks.items() if seq_id in preempted]
            assert max(kept, default=-(10**9)) <= min(lost, default=10**9), (
                "the least urgent gives up its blocks"
            )
        for seq in ran:
            done = seq.seq_id in scheduled or seq.seq_id in preempted or seq.seq_id in waits
            self.idle[seq.seq_id] = 0 if done else self.idle[seq.seq_id] + 1
            patience = 0 if self.bench.config.composition == "mixed" else PATIENCE
            assert self.idle[seq.seq_id] <= patience, "who runs advances in its turn, or gives up its blocks"
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

    def most_urgent(self, running: list[Sequence]) -> list[Sequence]:
        """Who may take blocks from all others."""
        if not running:
            return []
        if self.bench.config.admission != "priority":
            return list(running[0].unit)
        return list(min(running, key=lambda s: (s.arrived_step + HEAD_START * s.priority, s.seq_id)).unit)

    def check_shared(self, events: list[AnyEvent]) -> None:
        """What is shared holds the very tokens, and comes from a request with the same salt."""
        by_id = {one.seq_id: one for root in self.everyone for one in (root, *root.forks)}
        for event in events:
            if isinstance(event, BlocksShared) and not by_id[event.seq_id].search:
                seq = by_id[event.seq_id]
                found = self.bench.kv(event.block_ids)
                assert found == seq.token_ids[: len(found)]
                assert len(found) < seq.num_tokens
                for block_id in event.block_ids:
                    assert by_id[self.bench.state.cached[block_id].seq_id].extra_keys == seq.extra_keys

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
        order = [root_id(seq, self.everyone) for seq in self.bench.live]
        assert order == sorted(order) or self.bench.config.admission != "fcfs"

    @invariant()
    def only_the_running_own_blocks(self) -> None:
        scheduler = self.bench.engine.scheduler
        assert len(scheduler.running) <= self.bench.config.max_num_seqs
        assert not any(seq.block_table for seq in scheduler.waiting)
        assert not any(seq.host_blocks for seq in scheduler.running)
        assert all(bool(seq.num_computed_tokens) == bool(seq.host_blocks) for seq in scheduler.waiting)

    @invariant()
    def beams_of_one_search_run_or_wait_together(self) -> None:
        running = set(self.bench.engine.scheduler.running)
        for seq in self.bench.live:
            assert len({one in running for one in seq.unit}) == 1

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        turns = 1 if self.bench.config.composition == "mixed" else PATIENCE + 1
        again = len(self.bench.live) if self.bench.config.admission == "priority" else 1
        work = sum(len(seq.forks) + seq.num_owed + 1 for seq in self.everyone) * 60
        self.bench.run(most=work * turns * again + 1)
        assert self.bench.engine.scheduler.pool.num_free == self.bench.config.num_blocks
        self.bench.check_blocks()
        self.bench.check_fold()
        scheduled: Counter[int] = Counter()
        for event in self.bench.of(Scheduled):
            scheduled[event.seq_id] += event.num_tokens
        for root in self.everyone:
            if root.search and root.seq_id not in self.aborted:
                check_search(root)
            for seq in (root, *root.forks):
                if seq.seq_id not in self.aborted and not seq.search:
                    check_answer(seq)
            config, told = self.bench.config, self.bench.state.sequences[root.seq_id]
            plain = not (config.prefix_caching or config.num_speculative_tokens or root.search)
            if plain and root.seq_id not in self.aborted:
                assert told.num_recomputed_tokens == scheduled[root.seq_id] - (root.num_tokens - 1)


EngineMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
TestEngineMachine = EngineMachine.TestCase
