"""Split-KV: how a launch of paged_attention is cut, and the kernel that merges the parts.

A decode has one query, so its grid is only sequences x KV heads: too few programs for a GPU when the batch is small and
the context long. Then the KV length is cut into splits, each program attends to one, and the parts merge exactly:

    lse = log2 sum 2^lse_i        out = sum_i 2^(lse_i - lse) out_i

parts   [T, Hq, splits, D] fp32   normalised within the split; unwritten where lse is -inf (the split saw nothing)
lse     [T, Hq, splits]    fp32   log2 of the split's sum of weights
out     [T, Hq, D]                fp16, bf16 or fp32

Merge grid: one program for each (token, head).

    parts   [ 0 ][ 1 ][ 2 ][ 3 ][ - ][ - ]    CHUNK at a time, in order: the result does not depend on how many are empty
              └────┴────┴────┴──> out

Floor: 4 * T * Hq * splits * (D + 1) + T * Hq * D * itemsize bytes; 2 * T * Hq * splits * D FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv, jit, next_power_of_2, tl

MAX_SPLITS = 64
MIN_SPLIT = 256  # positions: below this a split costs more than it brings
RESIDENT = 3  # decode programs that one multiprocessor holds at once, by their registers (see `aot`)
CHUNK = 8


@dataclass(frozen=True)
class Plan:
    """How one launch is cut. `split_size` 0 means context_len / num_splits, per sequence."""

    block_m: int
    tile_n: int
    num_warps: int
    num_stages: int
    num_splits: int = 1
    split_size: int = 0


def plan_attention(query: Tensor, key_cache: Tensor, num_seqs: int, max_context: int) -> Plan:
    """Choose tiles and splits for this launch from shapes alone; `max_context` is an upper bound."""
    if query.device.type == "cuda":
        return gpu_plan(query, key_cache, num_seqs, max_context, multiprocessors(query.device))
    rows = 16 if query.shape[0] <= num_seqs else 64
    group = query.shape[1] // key_cache.shape[2]
    tile_n = min(
        256, max(16, next_power_of_2(max_context))
    )  # an operation costs the interpreter the same at any width
    return Plan(max(rows, next_power_of_2(group)), tile_n, num_warps=4, num_stages=1)


def gpu_plan(query: Tensor, key_cache: Tensor, num_seqs: int, max_context: int, multiprocessors: int) -> Plan:
    """The plan for a GPU with so many multiprocessors."""
    tokens, q_heads, head_dim = query.shape
    kv_heads = key_cache.shape[2]
    group = q_heads // kv_heads
    if tokens > num_seqs:  # prompt chunks are on board
        return prefill_plan(head_dim, query.element_size(), group)
    splits = num_splits(num_seqs * kv_heads, max_context, multiprocessors)
    return decode_plan(head_dim, query.element_size(), group, splits, quantised=key_cache.element_size() == 1)


def prefill_plan(head_dim: int, itemsize: int, group: int, hip: bool = torch.version.hip is not None) -> Plan:
    """Tiles for batches that hold prompt chunks: many query rows, so that tensor cores are busy."""
    if itemsize == 4:
        return Plan(max(32, next_power_of_2(group)), 16, num_warps=8, num_stages=2)
    if head_dim > 128:
        return Plan(max(64, next_power_of_2(group)), 32, num_warps=4, num_stages=2)
    if hip:  # 8 warps spill on gfx942
        return Plan(max(128, next_power_of_2(group)), 64, num_warps=4, num_stages=2)
    tile_n, num_stages = (64, 3) if head_dim == next_power_of_2(head_dim) else (32, 2)  # masks cost registers
    return Plan(max(128, next_power_of_2(group)), tile_n, num_warps=8, num_stages=num_stages)


def decode_plan(head_dim: int, itemsize: int, group: int, splits: int, quantised: bool = False) -> Plan:
    """Tiles for batches of single tokens: few rows, long K and V tiles in flight."""
    if itemsize == 4:
        return Plan(max(16, next_power_of_2(group)), 16, num_warps=4, num_stages=2, num_splits=splits)
    tile_n = 32 if head_dim > 128 or quantised else 64
    return Plan(max(16, next_power_of_2(group)), tile_n, num_warps=4, num_stages=3, num_splits=splits)


def batch_invariant_plan(group: int, max_context: int, split_size: int = 512) -> Plan:
    """The same tiles and cuts for every batch: a token's result is the same bits alone, in a batch, or in any chunking.

    Costs parts of 4 * T * Hq * ceil(max_context / split_size) * D bytes, so give long prompts in chunks.
    """
    return Plan(
        max(16, next_power_of_2(group)),
        32,
        num_warps=4,
        num_stages=3,
        num_splits=max(2, cdiv(max_context, split_size)),
        split_size=split_size,
    )


def num_splits(programs: int, max_context: int, multiprocessors: int) -> int:
    """How many splits fill the device: the fewest whose waves are within 85% of the fullest.

    (The rule of FlashAttention's split-KV heuristic, with RESIDENT programs on a multiprocessor.)
    """
    slots = RESIDENT * multiprocessors
    limit = min(MAX_SPLITS, max_context // MIN_SPLIT)
    if limit <= 1 or programs >= 0.8 * slots:
        return 1

    def fullness(splits: int) -> float:
        waves = programs * splits / slots
        return waves / -(-programs * splits // slots)

    candidates = range(1, limit + 1)
    best = max(fullness(splits) for splits in candidates)
    return next(splits for splits in candidates if fullness(splits) >= 0.85 * best)


@cache
def multiprocessors(device: torch.device) -> int:
    """How many multiprocessors a GPU has."""
    return int(torch.cuda.get_device_properties(device).multi_processor_count)


@jit
def merge_splits_kernel(
    out_ptr,
    parts_ptr,
    lse_ptr,
    num_splits,
    HEAD_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    CHUNK: tl.constexpr,
):
    """Merge the splits of one (token, head) row."""
    row = tl.program_id(0).to(tl.int64)
    dim = tl.arange(0, BLOCK_D)
    peak = float("-inf")
    mass = 0.0
    acc = tl.zeros([BLOCK_D], tl.float32)
    for start in range(0, num_splits, CHUNK):
        split = start + tl.arange(0, CHUNK)
        lse = tl.load(lse_ptr + row * num_splits + split, mask=split < num_splits, other=float("-inf"))
        seen = lse > float("-inf")
        place = (row * num_splits + split)[:, None] * HEAD_DIM + dim[None, :]
        part = tl.load(parts_ptr + place, mask=seen[:, None] & (dim < HEAD_DIM)[None, :], other=0.0)
        peak_new = tl.maximum(peak, tl.max(lse, axis=0))
        shift = tl.where(peak_new == float("-inf"), 0.0, peak_new)
        weight = tl.exp2(lse - shift)
        alpha = tl.exp2(peak - shift)
        mass = mass * alpha + tl.sum(weight, axis=0)
        acc = acc * alpha + tl.sum(part * weight[:, None], axis=0)
        peak = peak_new
    tl.store(out_ptr + row * HEAD_DIM + dim, (acc / mass).to(out_ptr.dtype.element_ty), mask=dim < HEAD_DIM)


def merge_splits(out: Tensor, parts: Tensor, lse: Tensor) -> None:
    """Write the merge of `parts` by `lse` into `out`."""
    tokens, heads, splits, head_dim = parts.shape
    merge_splits_kernel[(tokens * heads,)](
        out,
        parts,
        lse,
        splits,
        HEAD_DIM=head_dim,
        BLOCK_D=next_power_of_2(head_dim),
        CHUNK=CHUNK,
        num_warps=max(1, min(4, head_dim // 32)),
    )


def merge_splits_torch(parts: Tensor, lse: Tensor) -> Tensor:
    """The merged rows [T, Hq, D] in fp32; the plain-torch twin that defines right."""
    parts = parts.masked_fill((lse == float("-inf"))[..., None], 0.0)
    weight = torch.exp2(lse - lse.max(dim=-1, keepdim=True).values)
    return (parts * weight[..., None]).sum(-2) / weight.sum(-1, keepdim=True)
