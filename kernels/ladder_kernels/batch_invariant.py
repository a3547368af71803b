"""Batch invariance: a token's numbers are the same bits alone or in any batch, chunked or not, cold or warm cache.

Floats do not add associatively, and libraries choose by shape how they add: another batch size is another order. Here no
shape depends on the batch. Triton's kernels take a program for each row or tile anyway, so they need one cut for all
launches (split_kv.batch_invariant_plan) and a matrix product with one tile for all shapes (moe_gemm's, with one expert).
The twins below see torch through a window of a fixed size:

    linear, rms_norm, silu_mul, moe   ROWS tokens at a time, the last block padded with zeros
    attention                         ROWS queries at a time, each over its own tiles of TILE positions, from position 0 on,
                                      merged in order (online softmax): a query's tiles do not depend on its neighbours
    exp, silu                         SLICE numbers at a time: one thread, no vector tail, which rounds otherwise

    tokens   [ a a a b | c c c c | c - - - ]      ROWS = 4: every product is [4, K] x [K, N]

What is left is that a row of a product does not depend on its place among the ROWS rows; the tests hold that.
Shapes and dtypes are those of the operations' own files.
"""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import linear, pad, silu

from ladder_kernels.moe_gemm import moe_gemm_triton, moe_triton
from ladder_kernels.moe_route import moe_route_torch
from ladder_kernels.paged_attention import paged_attention_triton
from ladder_kernels.rms_norm import rms_norm_torch
from ladder_kernels.split_kv import batch_invariant_plan

ROWS = 32
TILE = 64
FIXED_TILE = 16  # rows of a tile of the compiled products, whatever the batch
SLICE = 32_768  # from here on torch shares elementwise work among threads


def linear_torch(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x w^T + b."""
    return _join(x, [linear(block, weight, bias) for block in _blocks(x)])


def rms_norm_in_blocks(
    x: Tensor, weight: Tensor, eps: float, residual: Tensor | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Return y, or (y, x + residual) when a residual is given."""
    summed = x if residual is None else x + residual
    y = _join(x, [rms_norm_torch(block, weight, eps) for block in _blocks(summed)])  # type: ignore[misc]
    return y if residual is None else (y, summed)


def silu_mul_in_slices(gate_up: Tensor) -> Tensor:
    """Return silu(first half) * second half."""
    gate, up = gate_up.to(torch.promote_types(gate_up.dtype, torch.float32)).chunk(2, dim=-1)
    return (_in_slices(silu, gate) * up).to(gate_up.dtype)


def moe_in_blocks(
    x: Tensor, router_logits: Tensor, w_gate_up: Tensor, w_down: Tensor, top_k: int, renormalise: bool = True
) -> Tensor:
    """The feed-forward layer of a mixture of experts [T, H]."""
    routes = [moe_route_torch(block, top_k, renormalise) for block in _blocks(router_logits)]
    weights, ids = (torch.cat(part)[: len(x)] for part in zip(*routes, strict=True))
    down = x.new_zeros((*ids.shape, x.shape[1]))
    for expert in torch.unique(ids).tolist():
        token, choice = (ids == expert).nonzero(as_tuple=True)
        inner = silu_mul_in_slices(linear_torch(x[token], w_gate_up[expert]))
        down[token, choice] = linear_torch(inner, w_down[expert])
    y = torch.zeros_like(x, dtype=weights.dtype)
    for choice in range(top_k):  # one addition after another, because a reduction would choose its order
        y = y + down[:, choice] * weights[:, choice, None]
    return y.to(x.dtype)


def paged_attention_in_tiles(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
) -> Tensor:
    """Return out [T, Hq, D]."""
    q_lens = cu_seqlens_q.diff().long()
    seq = torch.repeat_interleave(torch.arange(len(q_lens), device=query.device), q_lens)
    token = torch.arange(len(query), device=query.device)
    positions = context_lens.long()[seq] - q_lens[seq] + token - cu_seqlens_q.long()[seq]
    out = torch.empty_like(query)
    for start in range(0, len(query), ROWS):
        block = token[start : start + ROWS]
        padded = block[torch.arange(ROWS, device=query.device).clamp(max=len(block) - 1)]
        rows = _attend(
            query[padded], key_cache, value_cache, block_tables[seq[padded]].long(), positions[padded], scale,
            sliding_window,
        )  # fmt: skip
        out[block] = rows[: len(block)].to(out.dtype)
    return out


def _attend(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    tables: Tensor,
    positions: Tensor,
    scale: float,
    window: int | None,
) -> Tensor:
    """Attention of ROWS queries [ROWS, Hq, D] at these positions, tile after tile."""
    wide = torch.promote_types(query.dtype, torch.float32)
    kv_heads, head_dim = key_cache.shape[2:]
    grouped = query.to(wide).view(ROWS, kv_heads, -1, head_dim)
    peak = grouped.new_full((*grouped.shape[:3], 1), -torch.inf)
    mass, acc = torch.zeros_like(peak), torch.zeros_like(grouped)
    for first in range(0, int(positions.max()) + 1, TILE):
        place = first + torch.arange(TILE, device=query.device)
        visible = place <= positions[:, None]
        if window is not None:
            visible &= place > positions[:, None] - window
        places = torch.where(visible, place, positions[:, None])  # what was never written is never read
        keys, values = (_gather(cache, tables, places).to(wide) for cache in (key_cache, value_cache))
        scores = (grouped @ keys.mT * scale).masked_fill(~visible[:, None, None], -torch.inf)
        higher = torch.maximum(peak, scores.amax(-1, keepdim=True))
        shift = torch.where(higher == -torch.inf, 0.0, higher)
        weights, alpha = _in_slices(torch.exp, scores - shift), _in_slices(torch.exp, peak - shift)
        seen = visible.any(-1)[:, None, None, None]  # a tile that a query does not see leaves no trace
        mass = torch.where(seen, mass * alpha + weights.sum(-1, keepdim=True), mass)
        acc = torch.where(seen, acc * alpha + weights @ values, acc)
        peak = higher
    return (acc / mass).view(query.shape)


def _gather(cache: Tensor, tables: Tensor, places: Tensor) -> Tensor:
    """The cache rows at `places` [ROWS, TILE] of each query's sequence: [ROWS, Hkv, TILE, D]."""
    block_size, kv_heads, head_dim = cache.shape[1:]
    slots = tables.gather(1, places // block_size) * block_size + places % block_size
    rows = slots[:, None] * kv_heads + torch.arange(kv_heads, device=cache.device)[:, None]
    return cache.reshape(-1, head_dim).index_select(0, rows.flatten()).view(*rows.shape, head_dim)


def _blocks(x: Tensor) -> Iterator[Tensor]:
    """The rows of x [T, ...] in blocks of ROWS, one at least, the last one padded with zeros."""
    for start in range(0, max(1, len(x)), ROWS):
        block = x[start : start + ROWS]
        yield pad(block, (0, 0, 0, ROWS - len(block))) if len(block) < ROWS else block.contiguous()


def _join(x: Tensor, blocks: list[Tensor]) -> Tensor:
    return torch.cat(blocks)[: len(x)]


def _in_slices(function, x: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
    """An elementwise function on SLICE numbers at a time."""
    flat = x.flatten()
    padded = pad(flat, (0, -len(flat) % SLICE))
    return torch.cat([function(part) for part in padded.view(-1, SLICE)])[: len(flat)].view(x.shape)


def linear_triton(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x w^T + b from the grouped product with one expert: the same tiles and the same order for every T."""
    tiles = -(-len(x) // FIXED_TILE)
    pairs = torch.arange(tiles * FIXED_TILE, dtype=torch.int32, device=x.device)
    pairs = torch.where(pairs < len(x), pairs, -1)
    y = moe_gemm_triton(x, weight[None], pairs, pairs.new_zeros(tiles), len(x), 1)
    return y if bias is None else y + bias


def moe_fixed_tile(
    x: Tensor, router_logits: Tensor, w_gate_up: Tensor, w_down: Tensor, top_k: int, renormalise: bool = True
) -> Tensor:
    """moe_triton with one tile of pairs for every T."""
    return moe_triton(x, router_logits, w_gate_up, w_down, top_k, renormalise, block_m=FIXED_TILE)


def paged_attention_fixed_split(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
) -> Tensor:
    """paged_attention_triton under the one plan for all launches."""
    group, room = query.shape[1] // key_cache.shape[2], block_tables.shape[1] * key_cache.shape[1]
    return paged_attention_triton(
        query, key_cache, value_cache, block_tables, cu_seqlens_q, context_lens, scale, sliding_window,
        plan=batch_invariant_plan(group, room),
    )  # fmt: skip
