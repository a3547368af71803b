"""moe_gemm and moe_combine: every expert's matrix product in one launch, and the weighted sum of a token's choices.

    gemm      c[pair] = a[pair // K] @ w[expert of pair]^T      (or a[pair], for the second matrix of an expert)
    combine   y[t] = sum_k topk_weights[t, k] * c[t * K + k]     in fp32
    moe       y = combine(gemm(silu_mul(gemm(x, w_gate_up)), w_down))

a               [T, in] or [T * K, in]   fp16, bf16 or fp32
w               [E, out, in]             the same dtype, as nn.Linear keeps it
sorted_pairs, block_experts              from moe_route.py: tiles of BLOCK_M pairs, one expert a tile, -1 padding
c               [T * K, out]             every row is written, since every pair has one place

Gemm grid: (tiles of pairs x tiles of out). Neighbours share a tile of pairs, so its rows of `a` stay in L2.

    sorted_pairs  [ 1 5 ][ 3 - ][ 0 2 ]          w[0]   w[1]   w[2]
    rows of a       gathered by pair      ──x──   the tile's expert        ──> rows of c scattered by pair
    a tile whose expert is -1 returns at once

Floor: the rows of a and c plus the weights of the experts that are met; 2 * T * K * out * in FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv, jit, next_power_of_2, tl, upcasts
from ladder_kernels.moe_route import moe_align_triton, moe_route_torch, moe_route_triton
from ladder_kernels.silu_mul import silu_mul_torch, silu_mul_triton


@jit
def moe_gemm_kernel(
    c_ptr, a_ptr, w_ptr, sorted_pairs_ptr, block_experts_ptr, a_stride,
    PAIRS_PER_ROW: tl.constexpr, OUT: tl.constexpr, IN: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, UPCAST: tl.constexpr,
):  # fmt: skip
    """One [BLOCK_M, BLOCK_N] tile of c, for one expert."""
    tiles_n: tl.constexpr = (OUT + BLOCK_N - 1) // BLOCK_N
    block = tl.program_id(0) // tiles_n
    expert = tl.load(block_experts_ptr + block)
    if expert < 0:
        return
    pair = tl.load(sorted_pairs_ptr + block * BLOCK_M + tl.arange(0, BLOCK_M))
    live = pair >= 0
    column = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_rows = a_ptr + (pair // PAIRS_PER_ROW).to(tl.int64) * a_stride
    w_rows = w_ptr + expert.to(tl.int64) * (OUT * IN) + column.to(tl.int64) * IN
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, IN, BLOCK_K):
        inside = start + k < IN
        a = tl.load(a_rows[:, None] + (start + k)[None, :], mask=live[:, None] & inside[None, :], other=0.0)
        w = tl.load(
            w_rows[None, :] + (start + k)[:, None], mask=(column < OUT)[None, :] & inside[:, None], other=0.0
        )
        if UPCAST:
            a, w = a.to(tl.float32), w.to(tl.float32)
        acc = tl.dot(a, w, acc, input_precision="ieee")
    place = pair.to(tl.int64)[:, None] * OUT + column[None, :]
    tl.store(c_ptr + place, acc.to(c_ptr.dtype.element_ty), mask=live[:, None] & (column < OUT)[None, :])


@jit
def moe_combine_kernel(
    y_ptr, c_ptr, weights_ptr, TOP_K: tl.constexpr, HIDDEN: tl.constexpr, BLOCK: tl.constexpr
):
    """One piece of one token's output."""
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(TOP_K):
        c = tl.load(c_ptr + (token * TOP_K + k) * HIDDEN + column, mask=column < HIDDEN, other=0.0)
        acc += tl.load(weights_ptr + token * TOP_K + k) * c.to(tl.float32)
    tl.store(y_ptr + token * HIDDEN + column, acc.to(y_ptr.dtype.element_ty), mask=column < HIDDEN)


def moe_gemm_triton(
    a: Tensor, w: Tensor, sorted_pairs: Tensor, block_experts: Tensor, num_pairs: int, pairs_per_row: int
) -> Tensor:
    """Launch the grouped product; return c [num_pairs, out]."""
    out, inner = w.shape[1:]
    block_m = sorted_pairs.numel() // max(1, block_experts.numel())
    c = a.new_empty((num_pairs, out))
    if num_pairs > 0:
        block_n, block_k = gemm_tile(a.element_size())
        moe_gemm_kernel[(block_experts.numel() * cdiv(out, block_n),)](
            c, a.contiguous(), w.contiguous(), sorted_pairs, block_experts, inner,
            PAIRS_PER_ROW=pairs_per_row, OUT=out, IN=inner,
            BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, UPCAST=upcasts(a.dtype),
            num_warps=4, num_stages=3,
        )  # fmt: skip
    return c


def moe_combine_triton(c: Tensor, topk_weights: Tensor) -> Tensor:
    """Launch the combine; return y [T, hidden]."""
    tokens, top_k = topk_weights.shape
    hidden = c.shape[1]
    y = c.new_empty((tokens, hidden))
    if tokens > 0:
        block = combine_tile(hidden)
        moe_combine_kernel[(tokens, cdiv(hidden, block))](
            y, c, topk_weights, TOP_K=top_k, HIDDEN=hidden, BLOCK=block, num_warps=4
        )
    return y


def combine_tile(hidden: int) -> int:
    """Columns that a program of the combine takes."""
    return min(1024, next_power_of_2(hidden))


def gemm_tile(itemsize: int) -> tuple[int, int]:
    """BLOCK_N and BLOCK_K of the grouped product."""
    return (64, 32) if itemsize == 4 else (128, 64)


def moe_block_m(num_pairs: int, experts: int) -> int:
    """The tile of pairs: small when an expert gets few, so that padding does not outweigh work."""
    return min(64, max(16, next_power_of_2(cdiv(max(1, num_pairs), experts))))


def moe_triton(
    x: Tensor,
    router_logits: Tensor,
    w_gate_up: Tensor,
    w_down: Tensor,
    top_k: int,
    renormalise: bool = True,
    block_m: int | None = None,
) -> Tensor:
    """The feed-forward layer of a mixture of experts [T, H]: route, align, two grouped products, combine."""
    weights, ids = moe_route_triton(router_logits, top_k, renormalise)
    experts, pairs = w_down.shape[0], ids.numel()
    sorted_pairs, block_experts = moe_align_triton(ids, experts, block_m or moe_block_m(pairs, experts))
    gate_up = moe_gemm_triton(x, w_gate_up, sorted_pairs, block_experts, pairs, top_k)
    down = moe_gemm_triton(silu_mul_triton(gate_up), w_down, sorted_pairs, block_experts, pairs, 1)
    return moe_combine_triton(down, weights)


def moe_torch(
    x: Tensor, router_logits: Tensor, w_gate_up: Tensor, w_down: Tensor, top_k: int, renormalise: bool = True
) -> Tensor:
    """The same layer, expert by expert; the plain-torch twin that defines right."""
    weights, ids = moe_route_torch(router_logits, top_k, renormalise)
    down = x.new_zeros((*ids.shape, x.shape[1]))
    for expert in torch.unique(ids).tolist():
        token, choice = (ids == expert).nonzero(as_tuple=True)
        down[token, choice] = silu_mul_torch(x[token] @ w_gate_up[expert].T) @ w_down[expert].T
    return (down.to(weights.dtype) * weights[..., None]).sum(1).to(x.dtype)
