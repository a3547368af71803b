"""Takes note of what the kernels of a step launch, while somebody watches; the trace gets it at the step's end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ladder_engine.tracing.kernel_trace import (
    AttentionReads,
    AttentionRow,
    KernelCalls,
    KernelLaunch,
    ProgramReads,
    Role,
)

if TYPE_CHECKING:
    from ladder_kernels.launch import AttentionCut, Call


class KernelLog:
    """An observer of operations (ladder_kernels.observing) that knows whose tokens they compute."""

    def __init__(self) -> None:
        self.watching = False
        self._role: Role = "model"
        self._seq_ids: tuple[int, ...] = ()
        self._calls: dict[KernelCalls, list[float]] = {}
        self._reads: dict[AttentionReads, int] = {}

    def serve(self, role: Role, seq_ids: Iterable[int]) -> None:
        """What is called from here on computes tokens of these sequences, in this order."""
        if self.watching:
            self._role, self._seq_ids = role, tuple(seq_ids)

    def observe(self, call: Call, seconds: float) -> None:
        """Take note of a call."""
        launches = tuple(
            KernelLaunch(one.kernel, one.grid, one.moved_bytes, one.floor_bytes) for one in call.launches
        )
        calls = KernelCalls(call.operation, self._role, call.shape, call.dtype, launches, 0, 0.0)
        self._calls.setdefault(calls, []).append(seconds)
        if call.attention is not None:
            reads = self._name(call.attention, call.launches[0].grid)
            self._reads[reads] = self._reads.get(reads, 0) + 1

    def take(self) -> tuple[tuple[KernelCalls, ...], tuple[AttentionReads, ...]]:
        """What was noted since the last time, in the order of first calls."""
        calls = tuple(
            replace(key, count=len(times), seconds=sum(times)) for key, times in self._calls.items()
        )
        reads = tuple(replace(key, count=count) for key, count in self._reads.items())
        self._calls, self._reads = {}, {}
        return calls, reads

    def _name(self, cut: AttentionCut, grid: tuple[int, ...]) -> AttentionReads:
        rows = tuple(map(AttentionRow, self._seq_ids, cut.query_lens, cut.context_lens, cut.block_ids))
        programs = tuple(
            ProgramReads(
                one.sequence, one.query_program, one.split, one.first, one.num_tokens, one.begin, one.end
            )
            for one in cut.programs
        )
        tokens = cut.plan.block_m // cut.group
        return AttentionReads(self._role, grid, tokens, cut.plan.tile_n, rows, programs, 0)
