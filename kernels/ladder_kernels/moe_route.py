"""moe_route and moe_align: which experts a token goes to, and the tokens of each expert side by side.

    route   weights, ids = top_k(softmax(logits)); ties go to the lower expert; renormalised to 1 when asked
    align   the T * K pairs (token, choice) in order of expert, stable, each expert padded to a multiple of BLOCK_M,
            so that one tile of the grouped matrix product meets one expert only

router_logits       [T, E]        fp16, bf16 or fp32
topk_weights, ids   [T, K]        fp32, int32
sorted_pairs        [capacity]    int32: pair = token * K + choice, -1 where padded; capacity = bound for any routing
block_experts       [capacity / BLOCK_M] int32: the expert of each tile, -1 for tiles that nobody fills

Route grid: ROWS tokens a program. Align grid: one program an expert; each counts all pairs and then writes its own,
so nothing is atomic and the order is the same every time.

    ids      2 0 2 1 | 2 0                     BLOCK_M = 2
    expert   ── 0 ──  ── 1 ──  ──── 2 ────
    pairs    [ 1  5 ] [ 3 -1 ] [ 0  2 ][ 4 -1 ] [ -1 -1 ]...
    experts     0        1        2       2        -1

Floor: T * E * itemsize + 8 * T * K bytes to route; 8 * E * T * K from L2 to align (the ids are small).
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv, jit, next_power_of_2, tl


@jit
def moe_route_kernel(
    weights_ptr, ids_ptr, logits_ptr, num_tokens,
    TOP_K: tl.constexpr, EXPERTS: tl.constexpr, BLOCK_E: tl.constexpr, ROWS: tl.constexpr, RENORMALISE: tl.constexpr,
):  # fmt: skip
    """Pick TOP_K experts for each of ROWS tokens, largest first."""
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    row_live = row < num_tokens
    expert = tl.arange(0, BLOCK_E)[None, :]
    mask = row_live[:, None] & (expert < EXPERTS)
    logits = tl.load(logits_ptr + row[:, None] * EXPERTS + expert, mask=mask, other=float("-inf")).to(
        tl.float32
    )
    logits = tl.where(row_live[:, None], logits, 0.0)
    logits -= tl.max(logits, axis=1)[:, None]
    exps = tl.exp(logits)
    mass = tl.sum(exps, axis=1)
    if RENORMALISE:
        mass = mass * 0.0
        left = logits
        for _ in tl.static_range(TOP_K):
            best = tl.max(left, axis=1)
            choice = tl.min(tl.where(left == best[:, None], expert, BLOCK_E), axis=1)
            mass += tl.exp(best)
            left = tl.where(expert == choice[:, None], float("-inf"), left)
    for k in tl.static_range(TOP_K):
        best = tl.max(logits, axis=1)
        choice = tl.min(tl.where(logits == best[:, None], expert, BLOCK_E), axis=1)
        tl.store(weights_ptr + row * TOP_K + k, tl.exp(best) / mass, mask=row_live)
        tl.store(ids_ptr + row * TOP_K + k, choice, mask=row_live)
        logits = tl.where(expert == choice[:, None], float("-inf"), logits)


@jit
def _count(ids_ptr, num_pairs, expert, BLOCK: tl.constexpr):
    count = expert * 0
    for start in range(0, num_pairs, BLOCK):
        pair = start + tl.arange(0, BLOCK)
        ids = tl.load(ids_ptr + pair, mask=pair < num_pairs, other=-1)
        count += tl.sum((ids == expert).to(tl.int32), axis=0)
    return count


@jit
def moe_count_kernel(counts_ptr, ids_ptr, num_pairs, BLOCK: tl.constexpr):
    """Count the pairs of one expert."""
    expert = tl.program_id(0)
    tl.store(counts_ptr + expert, _count(ids_ptr, num_pairs, expert, BLOCK))


@jit
def moe_align_kernel(
    sorted_pairs_ptr, block_experts_ptr, counts_ptr, ids_ptr, num_pairs,
    EXPERTS: tl.constexpr, BLOCK_E: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Write the pairs of one expert to its place; the buffers come filled with -1."""
    expert = tl.program_id(0)
    every = tl.arange(0, BLOCK_E)
    counts = tl.load(counts_ptr + every, mask=every < EXPERTS, other=0)
    blocks = (counts + BLOCK_M - 1) // BLOCK_M
    first_block = tl.sum(tl.where(every < expert, blocks, 0), axis=0)
    num_blocks = tl.sum(tl.where(every == expert, blocks, 0), axis=0)
    for block in range(num_blocks):
        tl.store(block_experts_ptr + first_block + block, expert)
    written = first_block * BLOCK_M
    for start in range(0, num_pairs, BLOCK):
        pair = start + tl.arange(0, BLOCK)
        mine = tl.load(ids_ptr + pair, mask=pair < num_pairs, other=-1) == expert
        rank = tl.cumsum(mine.to(tl.int32), axis=0)
        tl.store(sorted_pairs_ptr + written + rank - 1, pair, mask=mine)
        written += tl.sum(mine.to(tl.int32), axis=0)


def route_rows(experts: int) -> int:
    """Tokens that a program takes."""
    return max(1, min(16, 1024 // next_power_of_2(experts)))


def moe_route_triton(router_logits: Tensor, top_k: int, renormalise: bool) -> tuple[Tensor, Tensor]:
    """Launch the routing kernel; return weights [T, K] fp32 and expert ids [T, K] int32."""
    tokens, experts = router_logits.shape
    weights = router_logits.new_empty((tokens, top_k), dtype=torch.float32)
    ids = router_logits.new_empty((tokens, top_k), dtype=torch.int32)
    if tokens > 0:
        block, rows = next_power_of_2(experts), route_rows(experts)
        moe_route_kernel[(cdiv(tokens, rows),)](
            weights, ids, router_logits.contiguous(), tokens,
            TOP_K=top_k, EXPERTS=experts, BLOCK_E=block, ROWS=rows, RENORMALISE=renormalise, num_warps=4,
        )  # fmt: skip
    return weights, ids


def moe_route_torch(router_logits: Tensor, top_k: int, renormalise: bool) -> tuple[Tensor, Tensor]:
    """Return weights [T, K] fp32 and expert ids [T, K] int32; the plain-torch twin that defines right."""
    probs = router_logits.float().softmax(-1)
    ids = router_logits.sort(dim=-1, descending=True, stable=True).indices[:, :top_k]
    weights = probs.gather(-1, ids)
    if renormalise:
        weights = weights / weights.sum(-1, keepdim=True)
    return weights, ids.int()


def _buffers(ids: Tensor, experts: int, block_m: int) -> tuple[Tensor, Tensor]:
    blocks = cdiv(ids.numel() + min(experts, ids.numel()) * (block_m - 1), block_m)
    return ids.new_full((blocks * block_m,), -1), ids.new_full((blocks,), -1)


def moe_align_triton(ids: Tensor, experts: int, block_m: int) -> tuple[Tensor, Tensor]:
    """Launch the counting and the aligning kernel; return sorted_pairs and block_experts."""
    sorted_pairs, block_experts = _buffers(ids, experts, block_m)
    if ids.numel() > 0:
        counts = ids.new_empty(experts)
        moe_count_kernel[(experts,)](counts, ids, ids.numel(), BLOCK=1024, num_warps=4)
        moe_align_kernel[(experts,)](
            sorted_pairs, block_experts, counts, ids, ids.numel(),
            EXPERTS=experts, BLOCK_E=next_power_of_2(experts), BLOCK_M=block_m, BLOCK=1024, num_warps=4,
        )  # fmt: skip
    return sorted_pairs, block_experts


def moe_align_torch(ids: Tensor, experts: int, block_m: int) -> tuple[Tensor, Tensor]:
    """Return sorted_pairs and block_experts; the plain-torch twin that defines right."""
    sorted_pairs, block_experts = _buffers(ids, experts, block_m)
    order = ids.flatten().argsort(stable=True)
    of_pair = ids.flatten()[order].long()
    counts = torch.bincount(of_pair, minlength=experts)
    blocks = (counts + block_m - 1) // block_m
    first_pair = counts.cumsum(0) - counts
    first_place = (blocks.cumsum(0) - blocks) * block_m
    rank = torch.arange(order.numel(), device=ids.device) - first_pair[of_pair]
    sorted_pairs[first_place[of_pair] + rank] = order.int()
    filled = torch.arange(experts, device=ids.device).repeat_interleave(blocks)
    block_experts[: filled.numel()] = filled.int()
    return sorted_pairs, block_experts
