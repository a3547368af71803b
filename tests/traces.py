"""Traces for tests: a little scheduler without a model that emits the events an engine would emit.

It is written apart from the engine's own scheduler, so that fold and the live panel are not tested against themselves.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st
from ladder_engine.config import EngineConfig
from ladder_engine.tracing import events as trace
from ladder_engine.tracing.events import AnyEvent
from msgspec.structs import replace

WORDS = [
    "name",
    "the",
    "binding",
    "mechanism",
    "first",
    "then",
    "the",
    "product",
    "paged",
    "blocks",
    "let",
    "the",
    "batch",
    "grow",
    "until",
    "the",
    "pool",
    "runs",
    "out",
    "and",
    "a",
    "preempted",
    "request",
    "computes",
    "its",
    "KV",
    "again",
]


@dataclass
class Request:
    name: str
    num_prompt_tokens: int
    max_tokens: int
    arrives: int = 1


class LittleScheduler:
    """First come, first served; running sequences first; the last one admitted is preempted when blocks run out."""

    def __init__(
        self,
        requests: list[Request],
        num_blocks: int = 24,
        block_size: int = 4,
        max_num_seqs: int = 4,
        budget: int = 16,
    ) -> None:
        self.requests = requests
        self.num_blocks, self.block_size, self.max_num_seqs, self.budget = (
            num_blocks,
            block_size,
            max_num_seqs,
            budget,
        )
        self.free = deque(range(num_blocks))
        self.tables: dict[int, list[int]] = {}
        self.tokens: dict[int, int] = {}
        self.computed: dict[int, int] = {}
        self.reasons: dict[int, str] = {}
        self.waiting: deque[int] = deque()
        self.running: list[int] = []
        self.step, self.time = 0, 0.0
        self.events: list[AnyEvent] = []

    def run(self) -> list[AnyEvent]:
        """Run all requests to their end and return the whole trace."""
        self.emit(
            trace.RunStarted,
            schema=trace.SCHEMA,
            scenario="test",
            model="none",
            kernels="torch",
            device="cpu",
            num_blocks=self.num_blocks,
            block_size=self.block_size,
            max_num_seqs=self.max_num_seqs,
            max_num_batched_tokens=self.budget,
            max_model_len=self.num_blocks * self.block_size,
            kv_bytes_per_token=1024,
            engine=EngineConfig(
                num_blocks=self.num_blocks,
                block_size=self.block_size,
                max_num_seqs=self.max_num_seqs,
                max_num_batched_tokens=self.budget,
                max_model_len=self.num_blocks * self.block_size,
            ),
        )
        pending = deque(enumerate(sorted(self.requests, key=lambda request: request.arrives)))
        self.step = 1
        while pending or self.waiting or self.running:
            while pending and (pending[0][1].arrives <= self.step or not (self.waiting or self.running)):
                self.arrive(*pending.popleft())
            if self.waiting or self.running:
                self.advance()
                self.step += 1
        self.step -= isinstance(self.events[-1], trace.StepTimed)
        self.emit(trace.RunEnded)
        return self.events

    def emit(self, event: type[AnyEvent], /, **fields: object) -> None:
        self.time += 0.001
        self.events.append(event(step=self.step, time=self.time, **fields))

    def arrive(self, seq_id: int, request: Request) -> None:
        prompt, count = f"What does {request.name} ask?", request.num_prompt_tokens
        ends = [len(prompt) * (token + 1) // count for token in range(count)]
        self.emit(
            trace.Arrived,
            seq_id=seq_id,
            name=request.name,
            prompt=prompt,
            num_prompt_tokens=count,
            max_tokens=request.max_tokens,
            lengths=tuple(end - begin for begin, end in pairwise([0, *ends])),
        )
        if request.num_prompt_tokens + request.max_tokens > self.num_blocks * self.block_size:
            self.emit(
                trace.Refused, seq_id=seq_id, reason=f"{request.name} needs more blocks than there are."
            )
            return
        self.tokens[seq_id], self.computed[seq_id], self.tables[seq_id] = request.num_prompt_tokens, 0, []
        self.waiting.append(seq_id)

    def advance(self) -> None:
        budget, work = self.budget, {}
        for seq_id in list(self.running):
            if seq_id in self.running and budget:
                count = min(budget, self.tokens[seq_id] - self.computed[seq_id])
                if self.grow(seq_id, count):
                    budget -= count
                    work[seq_id] = count
        while self.waiting and not self.step_preempted():
            seq_id = self.waiting[0]
            count = min(budget, self.tokens[seq_id])
            if len(self.running) >= self.max_num_seqs:
                self.wait("max_num_seqs")
            elif not budget:
                self.wait("token_budget")
            elif self.needs(seq_id, count) > len(self.free):
                self.wait("no_free_blocks")
            else:
                self.waiting.popleft()
                self.reasons.pop(seq_id, None)
                self.running.append(seq_id)
                self.emit(trace.Admitted, seq_id=seq_id)
                self.grow(seq_id, count)
                budget -= count
                work[seq_id] = count
                continue
            break
        for seq_id, count in work.items():
            start = self.computed[seq_id]
            decode = (
                count == 1
                and start + 1 == self.tokens[seq_id] > self.requests_by_id(seq_id).num_prompt_tokens
            )
            kind = "decode" if decode else "prefill"
            self.emit(trace.Scheduled, seq_id=seq_id, start=start, num_tokens=count, kind=kind)
        self.commit(work)

    def step_preempted(self) -> bool:
        return any(
            isinstance(event, trace.Preempted) and event.step == self.step for event in self.events[-99:]
        )

    def commit(self, work: dict[int, int]) -> None:
        self.time += 0.01
        for seq_id, count in work.items():
            self.computed[seq_id] += count
            if self.computed[seq_id] < self.tokens[seq_id]:
                continue
            request = self.requests_by_id(seq_id)
            said = self.tokens[seq_id] - request.num_prompt_tokens
            self.tokens[seq_id] += 1
            word = WORDS[(seq_id * 5 + said) % len(WORDS)]
            self.emit(trace.Sampled, seq_id=seq_id, token_id=said, text=f" {word}")
            if said + 1 == request.max_tokens:
                self.release(seq_id)
                self.running.remove(seq_id)
                self.emit(trace.Finished, seq_id=seq_id, reason="length")
        self.emit(
            trace.StepTimed,
            schedule_s=0.0002,
            execute_s=0.01,
            commit_s=0.0001,
            num_running=len(self.running),
            num_waiting=len(self.waiting),
            num_free_blocks=len(self.free),
        )

    def requests_by_id(self, seq_id: int) -> Request:
        return sorted(self.requests, key=lambda request: request.arrives)[seq_id]

    def needs(self, seq_id: int, count: int) -> int:
        return -(-(self.computed[seq_id] + count) // self.block_size) - len(self.tables[seq_id])

    def grow(self, seq_id: int, count: int) -> bool:
        while self.needs(seq_id, count) > len(self.free):
            victim = self.running.pop()
            self.emit(trace.Preempted, seq_id=victim, num_computed_tokens=self.computed[victim])
            self.release(victim)
            self.computed[victim] = 0
            self.waiting.appendleft(victim)
            if victim == seq_id:
                return False
        blocks = [self.free.popleft() for _ in range(self.needs(seq_id, count))]
        if blocks:
            self.tables[seq_id] += blocks
            self.emit(trace.BlocksAllocated, seq_id=seq_id, block_ids=tuple(blocks))
        return True

    def release(self, seq_id: int) -> None:
        if self.tables[seq_id]:
            self.emit(trace.BlocksFreed, seq_id=seq_id, block_ids=tuple(self.tables[seq_id]))
        self.free.extend(self.tables[seq_id])
        self.tables[seq_id] = []

    def wait(self, reason: str) -> None:
        for seq_id in self.waiting:
            if self.reasons.get(seq_id) != reason:
                self.reasons[seq_id] = reason
                self.emit(trace.Waits, seq_id=seq_id, reason=reason)
            reason = "behind_earlier"


def busy_trace() -> list[AnyEvent]:
    """Return one fixed run in which sequences wait, are preempted, finish and are refused."""
    sizes = [(9, 14), (30, 9), (3, 20), (17, 12), (5, 16), (12, 12), (500, 4), (7, 18)]
    requests = [Request(f"chat-{i}", prompt, said, 1 + i // 2) for i, (prompt, said) in enumerate(sizes)]
    return LittleScheduler(requests, num_blocks=20).run()


def shared_trace() -> list[AnyEvent]:
    """Return two steps in which ada and ben share blocks 0 and 1, and eve leaves block 4 in the prefix cache."""

    def arrived(step: int, seq_id: int, name: str, tokens: int, most: int) -> list[AnyEvent]:
        return [
            trace.Arrived(
                step=step,
                time=step / 10,
                seq_id=seq_id,
                name=name,
                prompt="Same head, other end",
                num_prompt_tokens=tokens,
                max_tokens=most,
            )
        ]

    def blocks(kind: type[AnyEvent], step: int, seq_id: int, *block_ids: int) -> AnyEvent:
        return kind(step=step, time=step / 10, seq_id=seq_id, block_ids=block_ids)

    def enters(step: int, seq_id: int) -> AnyEvent:
        return trace.Admitted(step=step, time=step / 10, seq_id=seq_id)

    def work(step: int, seq_id: int, start: int, count: int, kind: trace.WorkKind = "prefill") -> AnyEvent:
        return trace.Scheduled(
            step=step, time=step / 10, seq_id=seq_id, start=start, num_tokens=count, kind=kind
        )

    def said(step: int, seq_id: int) -> AnyEvent:
        return trace.Sampled(step=step, time=step / 10, seq_id=seq_id, token_id=1, text=" word")

    def timed(step: int, running: int, free: int) -> AnyEvent:
        return trace.StepTimed(
            step=step,
            time=step / 10 + 0.05,
            schedule_s=0.001,
            execute_s=0.01,
            commit_s=0.001,
            num_running=running,
            num_waiting=0,
            num_free_blocks=free,
            num_cached_blocks=1,
        )

    started = replace(busy_trace()[0], num_blocks=8, prefix_caching=True)
    allocated, shared, cached = trace.BlocksAllocated, trace.BlocksShared, trace.BlocksCached
    return [
        started, *arrived(1, 0, "ada", 9, 8), *arrived(1, 1, "eve", 5, 1),
        enters(1, 0), blocks(allocated, 1, 0, 0, 1, 2), work(1, 0, 0, 9),
        enters(1, 1), blocks(allocated, 1, 1, 4, 5), work(1, 1, 0, 5),
        blocks(cached, 1, 0, 0, 1), said(1, 0), blocks(cached, 1, 1, 4), said(1, 1),
        blocks(trace.BlocksFreed, 1, 1, 4, 5), trace.Finished(step=1, time=0.1, seq_id=1, reason="length"),
        timed(1, 1, 5),
        *arrived(2, 2, "ben", 10, 8), work(2, 0, 9, 1, "decode"),
        enters(2, 2), blocks(shared, 2, 2, 0, 1), blocks(allocated, 2, 2, 3), work(2, 2, 8, 2),
        said(2, 0), said(2, 2), timed(2, 2, 4),
    ]  # fmt: skip


@st.composite
def traces(draw: st.DrawFn) -> list[AnyEvent]:
    """Draw the whole trace of some run."""
    sizes = st.tuples(st.integers(1, 40), st.integers(1, 12), st.integers(1, 8))
    requests = [
        Request(f"r{i}", *size) for i, size in enumerate(draw(st.lists(sizes, min_size=1, max_size=6)))
    ]
    return LittleScheduler(
        requests,
        num_blocks=draw(st.integers(4, 20)),
        max_num_seqs=draw(st.integers(1, 4)),
        budget=draw(st.integers(4, 20)),
    ).run()
