"""What one call of an operation launches: the kernels with their grids, and the bytes that they move."""

from dataclasses import dataclass

from ladder_kernels.attention_reads import ProgramReads
from ladder_kernels.split_kv import Plan


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel. `grid` is () for torch's own kernels, whose grid nobody tells.

    `moved_bytes` is what its programs load and store, by their grid (a cache may serve a part of it); None where that
    depends on the values, or is torch's own affair. `floor_bytes` is what must be moved, by the kernel's own formula.
    """

    kernel: str
    grid: tuple[int, ...]
    moved_bytes: int | None
    floor_bytes: int


@dataclass(frozen=True, slots=True)
class AttentionCut:
    """How a launch of paged_attention is cut: what each program reads, and the blocks of each sequence in order."""

    plan: Plan
    group: int
    kv_heads: int
    query_lens: tuple[int, ...]
    context_lens: tuple[int, ...]
    block_ids: tuple[tuple[int, ...], ...]
    programs: tuple[ProgramReads, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation: what it was called on, and what that launches."""

    operation: str
    shape: str
    dtype: str
    launches: tuple[Launch, ...]
    attention: AttentionCut | None = None
