"""copy_blocks: copy whole KV blocks inside the cache, in every layer at once.

    cache[:, dst] = cache[:, src]      for every pair (src, dst)

Copy-on-write and defragmentation owe such copies before the step that writes.

key_cache, value_cache   [L, num_blocks, block_size, Hkv, D]   any dtype; written in place
src_to_dst               [N, 2] int64                          pairs run in parallel, so a destination appears once
                                                               and is nobody's source

Grid: (pairs, layers, pieces of a block); a piece is CHUNK elements of K and of V.

    pair (4, 9), layer 0   ┌──piece 0──┬──piece 1──┐            ┌───────────┬───────────┐
                           │  block 4  │           │  ───────>  │  block 9  │           │
                           └───────────┴───────────┘            └───────────┴───────────┘

Floor: 4 * N * L * block_size * Hkv * D * itemsize bytes; no FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv, jit, tl

CHUNK = 2048


@jit
def copy_blocks_kernel(
    key_cache_ptr,
    value_cache_ptr,
    src_to_dst_ptr,
    key_layer_stride,
    value_layer_stride,
    BLOCK_NUMEL: tl.constexpr,
    CHUNK: tl.constexpr,
):
    """Copy one piece of one block in one layer; offsets are 64 bits wide."""
    pair, layer = tl.program_id(0), tl.program_id(1).to(tl.int64)
    source = tl.load(src_to_dst_ptr + 2 * pair) * BLOCK_NUMEL
    destination = tl.load(src_to_dst_ptr + 2 * pair + 1) * BLOCK_NUMEL
    element = tl.program_id(2) * CHUNK + tl.arange(0, CHUNK)
    inside = element < BLOCK_NUMEL
    keys = key_cache_ptr + layer * key_layer_stride + element
    values = value_cache_ptr + layer * value_layer_stride + element
    tl.store(keys + destination, tl.load(keys + source, mask=inside), mask=inside)
    tl.store(values + destination, tl.load(values + source, mask=inside), mask=inside)


def copy_blocks_triton(key_cache: Tensor, value_cache: Tensor, src_to_dst: Tensor) -> None:
    """Launch the kernel; shapes as on top of the file."""
    pairs, layers = src_to_dst.shape[0], key_cache.shape[0]
    if pairs == 0:
        return
    block_numel = key_cache[0, 0].numel()
    copy_blocks_kernel[(pairs, layers, cdiv(block_numel, CHUNK))](
        key_cache,
        value_cache,
        src_to_dst.contiguous(),
        key_cache.stride(0),
        value_cache.stride(0),
        BLOCK_NUMEL=block_numel,
        CHUNK=CHUNK,
        num_warps=4,
    )


def copy_blocks_torch(key_cache: Tensor, value_cache: Tensor, src_to_dst: Tensor) -> None:
    """Copy blocks; the plain-torch twin that defines right.

    Raises ValueError when a destination appears twice or is also a source: on a GPU that would be a race.
    """
    source, destination = src_to_dst.unbind(1)
    if torch.unique(destination).numel() != destination.numel() or torch.isin(destination, source).any():
        raise ValueError("copy_blocks: a destination block appears twice or is also a source")
    key_cache[:, destination] = key_cache[:, source]
    value_cache[:, destination] = value_cache[:, source]
