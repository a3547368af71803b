"""paged_attention: causal attention over the paged KV cache, for any mix of prompt chunks and decodes.

    out[t] = softmax(scale * q[t] . K[0..p]) V[0..p]       p = context_lens[s] - q_len[s] + i for query i of sequence s

There is no prefill and no decode here: a sequence brings q_len >= 0 new tokens, whose keys already stand in the cache.

query                    [T, Hq, D]                         fp16, bf16 or fp32; sequences one after another
key_cache, value_cache   [num_blocks, block_size, Hkv, D]   Hq is a multiple of Hkv; a token's heads lie side by side
block_tables             [S, max_blocks] int32              entries past a sequence's last block may be garbage
cu_seqlens_q             [S + 1] int32                      q_len[s] = cu_seqlens_q[s + 1] - cu_seqlens_q[s]
context_lens             [S] int32                          KV length of a sequence, this step's tokens included
sliding_window           None, or w: position p sees p - w + 1 .. p

Grid: (query blocks, KV heads, splits of the KV length). A program holds BLOCK_Q tokens times the GROUP query heads that
share one KV head, packed into BLOCK_M rows, so K and V are read once for all of them:

    rows of a program (GROUP = 3)         K, V tiles of TILE_N positions, found through the block table
    token 0: head 0, head 1, head 2       [ block 7 ][ block 2 ][ block 9 ]...   ──> peak, mass, acc
    token 1: head 0, head 1, head 2        seen by all rows ──┘       └── the diagonal: masked

    query block b belongs to the last sequence s with cu_seqlens_q[s] // BLOCK_Q + s <= b: no host knows the lengths.

With more than one split (split_kv.py), each program sees a part of the positions and a second kernel merges the parts.

Floor: K and V once for each sequence, 2 * sum(context_lens) * Hkv * D * itemsize, plus q and out, 2 * T * Hq * D * itemsize
bytes; 4 * D * Hq FLOPs for every (query, visible position) pair.  Online softmax: Milakov 2018, Dao 2022.
"""

# ruff: noqa: N803, N806
# mypy: allow-untyped-defs, allow-incomplete-defs

import math

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl, upcasts
from ladder_kernels.split_kv import Plan, merge_splits, plan_attention


@jit
def _find_sequence(cu_seqlens_ptr, query_block, num_seqs, BLOCK_Q: tl.constexpr):
    """The last sequence whose first query block is not after `query_block`."""
    low = query_block * 0
    high = num_seqs - 1
    while low < high:
        middle = (low + high + 1) // 2
        if tl.load(cu_seqlens_ptr + middle) // BLOCK_Q + middle <= query_block:
            low = middle
        else:
            high = middle - 1
    return low


@jit
def _attend_tile(
    query, peak, mass, acc, start, end, positions, window, scale_log2e,
    key_ptr, value_ptr, key_scale_ptr, value_scale_ptr, table_ptr,
    key_block_stride, key_slot_stride, value_block_stride, value_slot_stride,
    NUM_KV_HEADS: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_SIZE: tl.constexpr,
    TILE_N: tl.constexpr, MASKED: tl.constexpr, WINDOW: tl.constexpr, QUANTISED: tl.constexpr,
):  # fmt: skip
    """Fold the positions start .. start + TILE_N - 1 (below `end`) into peak, mass and acc."""
    dim = tl.arange(0, BLOCK_D)
    place = start + tl.arange(0, TILE_N)
    live = place < end
    block = tl.load(table_ptr + place // BLOCK_SIZE, mask=live, other=0).to(tl.int64)
    slot = place % BLOCK_SIZE
    key_rows = key_ptr + block * key_block_stride + slot * key_slot_stride
    key_mask = (dim < HEAD_DIM)[:, None] & live[None, :]
    key = tl.load(key_rows[None, :] + dim[:, None], mask=key_mask, other=0.0).to(query.dtype)
    scores = tl.dot(query, key, input_precision="ieee") * scale_log2e
    if QUANTISED:
        scores *= tl.load(key_scale_ptr + block * NUM_KV_HEADS, mask=live, other=0.0)[None, :]
    if MASKED:
        visible = (place[None, :] <= positions[:, None]) & live[None, :]
        if WINDOW:
            visible &= place[None, :] > positions[:, None] - window
        scores = tl.where(visible, scores, float("-inf"))
    peak_new = tl.maximum(peak, tl.max(scores, axis=1))
    shift = peak_new
    if MASKED:
        shift = tl.where(peak_new == float("-inf"), 0.0, peak_new)  # a row that has seen nothing yet
    p = tl.exp2(scores - shift[:, None])
    alpha = tl.exp2(peak - shift)
    mass = mass * alpha + tl.sum(p, axis=1)
    if QUANTISED:
        p *= tl.load(value_scale_ptr + block * NUM_KV_HEADS, mask=live, other=0.0)[None, :]
    value_rows = value_ptr + block * value_block_stride + slot * value_slot_stride
    value_mask = live[:, None] & (dim < HEAD_DIM)[None, :]
    value = tl.load(value_rows[:, None] + dim[None, :], mask=value_mask, other=0.0).to(query.dtype)
    acc = tl.dot(p.to(query.dtype), value, acc * alpha[:, None], input_precision="ieee")
    return peak_new, mass, acc


@jit
def paged_attention_kernel(
    out_ptr, lse_ptr, query_ptr, key_ptr, value_ptr, key_scale_ptr, value_scale_ptr,
    block_tables_ptr, cu_seqlens_ptr, context_lens_ptr,
    scale_log2e, num_seqs, num_splits, split_size, window,
    query_stride, table_stride, key_block_stride, key_slot_stride, value_block_stride, value_slot_stride,
    NUM_KV_HEADS: tl.constexpr, GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr,
    BLOCK_SIZE: tl.constexpr, BLOCK_M: tl.constexpr, TILE_N: tl.constexpr,
    SPLIT: tl.constexpr, WINDOW: tl.constexpr, QUANTISED: tl.constexpr, UPCAST: tl.constexpr,
):  # fmt: skip
    """Attend one query block, one KV head and one split; store out, or with SPLIT the part and its log-sum-exp."""
    BLOCK_Q: tl.constexpr = BLOCK_M // GROUP
    query_block = tl.num_programs(0) - 1 - tl.program_id(0)  # late queries see most: start them first
    kv_head, split = tl.program_id(1), tl.program_id(2)
    seq = _find_sequence(cu_seqlens_ptr, query_block, num_seqs, BLOCK_Q)
    q_start = tl.load(cu_seqlens_ptr + seq)
    q_len = tl.load(cu_seqlens_ptr + seq + 1) - q_start
    first = (query_block - (q_start // BLOCK_Q + seq)) * BLOCK_Q
    if first >= q_len:
        return
    context_len = tl.load(context_lens_ptr + seq)

    row = tl.arange(0, BLOCK_M)
    token = first + row // GROUP
    row_live = (row < BLOCK_Q * GROUP) & (token < q_len)
    positions = context_len - q_len + token
    head = kv_head * GROUP + row % GROUP
    dim = tl.arange(0, BLOCK_D)
    q_rows = query_ptr + (q_start + token).to(tl.int64) * query_stride + head * HEAD_DIM
    q_mask = row_live[:, None] & (dim < HEAD_DIM)[None, :]
    query = tl.load(q_rows[:, None] + dim[None, :], mask=q_mask, other=0.0)
    if UPCAST:
        query = query.to(tl.float32)

    first_position = context_len - q_len + first
    end = context_len - q_len + tl.minimum(first + BLOCK_Q, q_len)  # what the last row sees
    split_len = tl.where(
        split_size > 0, split_size, tl.cdiv(tl.cdiv(context_len, num_splits), TILE_N) * TILE_N
    )
    begin = split * split_len
    end = tl.minimum(end, begin + split_len)
    if WINDOW:
        begin = tl.maximum(begin, tl.maximum(first_position - window + 1, 0) // TILE_N * TILE_N)
        diagonal = begin
    else:
        diagonal = tl.maximum(begin, tl.minimum(end, first_position + 1) // TILE_N * TILE_N)

    peak = tl.full([BLOCK_M], float("-inf"), tl.float32)
    mass = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_D], tl.float32)
    key_ptr += kv_head * HEAD_DIM
    value_ptr += kv_head * HEAD_DIM
    key_scale_ptr += kv_head
    value_scale_ptr += kv_head
    table_ptr = block_tables_ptr + seq.to(tl.int64) * table_stride
    for start in range(begin, diagonal, TILE_N):
        peak, mass, acc = _attend_tile(
            query, peak, mass, acc, start, end, positions, window, scale_log2e,
            key_ptr, value_ptr, key_scale_ptr, value_scale_ptr, table_ptr,
            key_block_stride, key_slot_stride, value_block_stride, value_slot_stride,
            NUM_KV_HEADS, HEAD_DIM, BLOCK_D, BLOCK_SIZE, TILE_N, False, WINDOW, QUANTISED,
        )  # fmt: skip
    for start in range(diagonal, end, TILE_N):
        peak, mass, acc = _attend_tile(
            query, peak, mass, acc, start, end, positions, window, scale_log2e,
            key_ptr, value_ptr, key_scale_ptr, value_scale_ptr, table_ptr,
            key_block_stride, key_slot_stride, value_block_stride, value_slot_stride,
            NUM_KV_HEADS, HEAD_DIM, BLOCK_D, BLOCK_SIZE, TILE_N, True, WINDOW, QUANTISED,
        )  # fmt: skip

    out_row = ((q_start + token).to(tl.int64) * (NUM_KV_HEADS * GROUP) + head) * num_splits + split
    seen = mass > 0
    mass = tl.where(seen, mass, 1.0)
    out = (acc / mass[:, None]).to(out_ptr.dtype.element_ty)
    out_mask = q_mask
    if SPLIT:
        tl.store(lse_ptr + out_row, peak + tl.log2(mass), mask=row_live)  # -inf where the split saw nothing
        out_mask = q_mask & seen[:, None]
    tl.store(out_ptr + out_row[:, None] * HEAD_DIM + dim[None, :], out, mask=out_mask)


def paged_attention_triton(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
    *,
    key_scales: Tensor | None = None,
    value_scales: Tensor | None = None,
    plan: Plan | None = None,
) -> Tensor:
    """Launch the kernel and, when the plan splits, the merge; return out [T, Hq, D].

    An int8 or fp8 cache brings `key_scales` and `value_scales` [num_blocks, Hkv] fp32 (quantised_kv.py).
    Nothing here waits for the device: lengths are read by the kernel, the plan is made from shapes.
    """
    tokens, q_heads, head_dim = query.shape
    block_size, kv_heads = key_cache.shape[1:3]
    num_seqs, max_blocks = block_tables.shape
    out = query.new_empty(query.shape)
    if tokens == 0:
        return out
    query = query if query.stride()[1:] == (head_dim, 1) else query.contiguous()
    group = q_heads // kv_heads
    if plan is None:
        plan = plan_attention(query, key_cache, num_seqs, max_blocks * block_size)
    splits = plan.num_splits
    parts, lse = out, out
    if splits > 1:
        parts = query.new_empty((tokens, q_heads, splits, head_dim), dtype=torch.float32)
        lse = query.new_empty((tokens, q_heads, splits), dtype=torch.float32)
    grid = (tokens // (plan.block_m // group) + num_seqs, kv_heads, splits)
    paged_attention_kernel[grid](
        parts, lse, query, key_cache, value_cache,
        lse if key_scales is None else key_scales, lse if value_scales is None else value_scales,
        block_tables.contiguous(), cu_seqlens_q.contiguous(), context_lens.contiguous(),
        scale * math.log2(math.e), num_seqs, splits, plan.split_size, sliding_window or 0,
        query.stride(0), max_blocks,
        key_cache.stride(0), key_cache.stride(1), value_cache.stride(0), value_cache.stride(1),
        NUM_KV_HEADS=kv_heads, GROUP=group, HEAD_DIM=head_dim, BLOCK_D=max(16, next_power_of_2(head_dim)),
        BLOCK_SIZE=block_size, BLOCK_M=plan.block_m, TILE_N=plan.tile_n,
        SPLIT=splits > 1, WINDOW=sliding_window is not None, QUANTISED=key_scales is not None,
        UPCAST=upcasts(query.dtype), num_warps=plan.num_warps, num_stages=plan.num_stages,
    )  # fmt: skip
    if splits > 1:
        merge_splits(out, parts, lse)
    return out


def paged_attention_torch(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
) -> Tensor:
    """Return out [T, Hq, D]; the plain-torch twin that defines right, one sequence after another."""
    out = torch.empty_like(query)
    wide = torch.promote_types(query.dtype, torch.float32)
    block_size, kv_heads, head_dim = key_cache.shape[1:]
    group = query.shape[1] // kv_heads
    starts = cu_seqlens_q.tolist()
    for seq, context in enumerate(context_lens.tolist()):
        new = slice(starts[seq], starts[seq + 1])
        q_len = new.stop - new.start
        places = torch.arange(context, device=query.device)
        positions = places[context - q_len :, None]
        visible = places <= positions
        if sliding_window is not None:
            visible &= places > positions - sliding_window
        blocks = block_tables[seq, places // block_size].long()
        keys, values = (
            cache[blocks, places % block_size].to(wide).transpose(0, 1) for cache in (key_cache, value_cache)
        )
        # [Hkv, G, q_len, D], and the scores of each on the keys [Hkv, 1, context, D]
        grouped = (query[new].to(wide) * scale).view(q_len, kv_heads, group, head_dim).permute(1, 2, 0, 3)
        scores = (grouped @ keys[:, None].mT).masked_fill(~visible, -torch.inf)
        mixed = scores.softmax(-1) @ values[:, None]
        out[new] = mixed.permute(2, 0, 1, 3).flatten(1, 2).to(out.dtype)
    return out
