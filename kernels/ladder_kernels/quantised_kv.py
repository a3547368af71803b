"""quantised_kv: the paged cache in int8 or fp8 (e4m3), with one scale for each block and KV head.

    stored = round(x / scale)      scale = largest |x| of the block's rows for this head / 127 (int8) or 448 (fp8)
    store_kv writes quantised rows; when a block's largest value grows, its older rows are scaled again
    paged_attention multiplies scores by the key's scale and weights by the value's: the tile itself stays narrow

key, value                [T, Hkv, D]                       fp16, bf16 or fp32
key_cache, value_cache    [num_blocks, block_size, Hkv, D]  int8 or float8_e4m3fn; written in place
key_scales, value_scales  [num_blocks, Hkv] fp32            written in place
slot_mapping              [T] int64                         -1 writes nothing; tokens of one block come side by side, in
                                                            order, and after the rows that the block already holds

Grid: (tokens, KV heads). The first token of a block in this step leads: its program takes the whole block.

    slots      34 35 36 | 48 49 50 ..          rows 0, 1 of block 2 stand since earlier steps
    leaders    ^          ^
    block 2    [ old old new new new . . ]     scale = largest of old and new; all five are written

Floor for whole blocks: T * Hkv * D * (itemsize + 1) bytes for each of K and V; a lone token rereads its block's rows.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl
from ladder_kernels.paged_attention import paged_attention_torch, paged_attention_triton

LARGEST = {torch.int8: 127.0, torch.float8_e4m3fn: 448.0}


@jit
def _store_block(
    new_ptr, cache_ptr, scales_ptr, token, old_rows, num_new, new_stride, block_offset, scale_offset, head,
    KV_HEADS: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_R: tl.constexpr,
    LARGEST: tl.constexpr, INTEGER: tl.constexpr,
):  # fmt: skip
    row = tl.arange(0, BLOCK_R)[:, None]
    dim = tl.arange(0, BLOCK_D)[None, :]
    is_old = (row < old_rows) & (dim < HEAD_DIM)
    is_new = (row >= old_rows) & (row < old_rows + num_new) & (dim < HEAD_DIM)
    place = cache_ptr + block_offset + (row * KV_HEADS + head) * HEAD_DIM + dim
    old_scale = tl.load(scales_ptr + scale_offset, mask=old_rows > 0, other=0.0)
    old = tl.load(place, mask=is_old, other=0.0).to(tl.float32) * old_scale
    source = new_ptr + (token + row - old_rows) * new_stride + head * HEAD_DIM + dim
    new = tl.load(source, mask=is_new, other=0.0).to(tl.float32)
    largest = tl.max(tl.max(tl.abs(new), axis=1), axis=0)
    scale = tl.maximum(old_scale, tl.maximum(largest, 1e-12) / LARGEST)
    scaled = tl.where(is_old, old, new) / scale
    if INTEGER:
        scaled = tl.floor(scaled + 0.5)
    scaled = tl.minimum(tl.maximum(scaled, -LARGEST), LARGEST)
    tl.debug_barrier()  # every warp has read the old rows and the old scale before any of them writes
    tl.store(place, scaled.to(cache_ptr.dtype.element_ty), mask=is_old | is_new)
    tl.store(scales_ptr + scale_offset, scale)


@jit
def store_kv_quantised_kernel(
    key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, key_scales_ptr, value_scales_ptr, slot_mapping_ptr,
    num_tokens, key_stride, value_stride,
    BLOCK_SIZE: tl.constexpr, KV_HEADS: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr,
    BLOCK_R: tl.constexpr, LARGEST: tl.constexpr, INTEGER: tl.constexpr,
):  # fmt: skip
    """Quantise and write one block of one KV head, if this token is the first of its block in this step."""
    token, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    slot = tl.load(slot_mapping_ptr + token)
    before = tl.load(slot_mapping_ptr + token - 1, mask=token > 0, other=-1)
    block = slot // BLOCK_SIZE
    if (slot < 0) | ((before >= 0) & (before // BLOCK_SIZE == block)):
        return
    old_rows = slot % BLOCK_SIZE
    ahead = token + tl.arange(0, BLOCK_R)
    slots = tl.load(slot_mapping_ptr + ahead, mask=ahead < num_tokens, other=-1)
    num_new = tl.sum(((slots >= 0) & (slots // BLOCK_SIZE == block)).to(tl.int32), axis=0)
    block_offset = block * (BLOCK_SIZE * KV_HEADS * HEAD_DIM)
    scale_offset = block * KV_HEADS + head
    _store_block(
        key_ptr, key_cache_ptr, key_scales_ptr, token, old_rows, num_new, key_stride, block_offset, scale_offset,
        head, KV_HEADS, HEAD_DIM, BLOCK_D, BLOCK_R, LARGEST, INTEGER,
    )  # fmt: skip
    _store_block(
        value_ptr, value_cache_ptr, value_scales_ptr, token, old_rows, num_new, value_stride, block_offset,
        scale_offset, head, KV_HEADS, HEAD_DIM, BLOCK_D, BLOCK_R, LARGEST, INTEGER,
    )  # fmt: skip


def store_kv_quantised_triton(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    key_scales: Tensor,
    value_scales: Tensor,
    slot_mapping: Tensor,
) -> None:
    """Launch the kernel; the caches are contiguous."""
    tokens, kv_heads, head_dim = key.shape
    if tokens == 0:
        return
    key, value = (x if x.stride()[1:] == (head_dim, 1) else x.contiguous() for x in (key, value))
    block_size = key_cache.shape[1]
    store_kv_quantised_kernel[(tokens, kv_heads)](
        key, value, key_cache, value_cache, key_scales, value_scales,
        slot_mapping.contiguous(), tokens, key.stride(0), value.stride(0),
        BLOCK_SIZE=block_size, KV_HEADS=kv_heads, HEAD_DIM=head_dim, BLOCK_D=next_power_of_2(head_dim),
        BLOCK_R=next_power_of_2(block_size), LARGEST=LARGEST[key_cache.dtype],
        INTEGER=key_cache.dtype == torch.int8, num_warps=4,
    )  # fmt: skip


def store_kv_quantised_torch(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    key_scales: Tensor,
    value_scales: Tensor,
    slot_mapping: Tensor,
) -> None:
    """Quantise and write; the plain-torch twin that defines right."""
    written = slot_mapping >= 0
    block_size = key_cache.shape[1]
    slots = slot_mapping[written]
    blocks, group = torch.unique(slots // block_size, return_inverse=True)
    row = torch.arange(block_size, device=slots.device)
    first = torch.full_like(blocks, block_size).scatter_reduce(0, group, slots % block_size, "amin")
    is_old = (row < first[:, None])[..., None, None]
    for new, cache, scales in ((key, key_cache, key_scales), (value, value_cache, value_scales)):
        old_scale = torch.where((first > 0)[:, None], scales[blocks], 0.0)
        wide = torch.where(is_old, cache[blocks].float() * old_scale[:, None, :, None], 0.0)
        fresh = torch.zeros_like(wide)
        fresh[group, slots % block_size] = new[written].float()
        largest = fresh.abs().amax(dim=(1, 3)).clamp(min=1e-12)
        scale = torch.maximum(old_scale, largest / LARGEST[cache.dtype])
        scaled = (wide + fresh) / scale[:, None, :, None]
        if cache.dtype == torch.int8:
            scaled = torch.floor(scaled + 0.5)
        stored = scaled.clamp(-LARGEST[cache.dtype], LARGEST[cache.dtype]).to(cache.dtype)
        touched = is_old.clone()
        touched[group, slots % block_size] = True
        # index_put on fp8 is not implemented everywhere, on its bytes it is
        kept = cache.view(torch.uint8)[blocks]
        cache.view(torch.uint8)[blocks] = torch.where(touched, stored.view(torch.uint8), kept)
        scales[blocks] = scale


def dequantise(cache: Tensor, scales: Tensor, dtype: torch.dtype) -> Tensor:
    """The cache as numbers of `dtype`."""
    return (cache.float() * scales[:, None, :, None]).to(dtype)


def paged_attention_quantised_triton(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    key_scales: Tensor,
    value_scales: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
) -> Tensor:
    """paged_attention over a quantised cache: the same kernel, with scales."""
    return paged_attention_triton(
        query,
        key_cache,
        value_cache,
        block_tables,
        cu_seqlens_q,
        context_lens,
        scale,
        sliding_window,
        key_scales=key_scales,
        value_scales=value_scales,
    )


def paged_attention_quantised_torch(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    key_scales: Tensor,
    value_scales: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
) -> Tensor:
    """paged_attention over a quantised cache; the twin widens the whole cache first."""
    keys, values = (
        dequantise(key_cache, key_scales, query.dtype),
        dequantise(value_cache, value_scales, query.dtype),
    )
    return paged_attention_torch(
        query, keys, values, block_tables, cu_seqlens_q, context_lens, scale, sliding_window
    )
