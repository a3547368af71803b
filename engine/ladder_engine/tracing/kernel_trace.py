"""What the trace says of the kernels of a step, when somebody watches them. No torch.

A step calls the same operations once a layer, so equal calls stand in one `KernelCalls`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Role = Literal["model", "draft"]


class KernelLaunch(msgspec.Struct, frozen=True, gc=False):
    """One kernel of a call. `grid` is () for torch's own kernels, whose grid nobody tells.

    `moved_bytes` is what its programs load and store, None where that depends on values or is torch's own affair;
    `floor_bytes` what must be moved, by the kernel's own formula (ladder_kernels).
    """

    kernel: str
    grid: tuple[int, ...]
    moved_bytes: int | None
    floor_bytes: int


class KernelCalls(msgspec.Struct, frozen=True, gc=False):
    """`count` equal calls of an operation by the model or by the draft model; `seconds` is all of them together."""

    operation: str
    role: Role
    shape: str
    dtype: str
    launches: tuple[KernelLaunch, ...]
    count: int
    seconds: float


class ProgramReads(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Program (`query_program`, any KV head, `split`) of paged attention reads K and V at the positions `begin` ..
    `end` - 1 of the sequence in this `row`, nothing when end <= begin; it holds its new tokens from `first` on."""

    row: int
    query_program: int
    split: int
    first: int
    num_tokens: int
    begin: int
    end: int


class AttentionRow(msgspec.Struct, frozen=True, gc=False):
    """A sequence of the launch: its new tokens, all its tokens with KV, and the blocks that hold them, in order."""

    seq_id: int
    query_len: int
    context_len: int
    block_ids: tuple[int, ...]


class AttentionReads(msgspec.Struct, frozen=True, gc=False):
    """How `count` equal launches of paged attention are cut, and what each program reads.

    A program holds `tokens_per_program` query tokens and reads `tile_n` positions at a time. `grid` is
    (query programs, KV heads, splits).
    """

    role: Role
    grid: tuple[int, ...]
    tokens_per_program: int
    tile_n: int
    rows: tuple[AttentionRow, ...]
    programs: tuple[ProgramReads, ...]
    count: int
