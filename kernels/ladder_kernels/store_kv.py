"""store_kv: write the new keys and values of a step into the paged cache.

    cache[slot // block_size, slot % block_size] = new[token]      for every token whose slot is not -1

key, value               [T, Hkv, D]                       fp16, bf16 or fp32; tokens may be strided (a slice of QKV)
key_cache, value_cache   [num_blocks, block_size, Hkv, D]  the same dtype; written in place
slot_mapping             [T] int64                         block_id * block_size + offset; -1 writes nothing

Grid: one program a token.

    token t ──> slot_mapping[t] ──> block 7, offset 3
    program t copies a row of Hkv * D keys and one of values:  new ───────> cache[7, 3]

Floor: 4 * T * Hkv * D * itemsize bytes (K and V, read and written) + 8 * T; no FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl


@jit
def store_kv_kernel(
    key_ptr,
    value_ptr,
    key_cache_ptr,
    value_cache_ptr,
    slot_mapping_ptr,
    key_stride,
    value_stride,
    key_block_stride,
    value_block_stride,
    BLOCK_SIZE: tl.constexpr,
    ROW: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Copy one token's K and V rows of ROW = Hkv * D elements."""
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_mapping_ptr + token)
    if slot < 0:
        return
    column = tl.arange(0, BLOCK)
    inside = column < ROW
    block, offset = slot // BLOCK_SIZE, slot % BLOCK_SIZE
    key = tl.load(key_ptr + token * key_stride + column, mask=inside)
    value = tl.load(value_ptr + token * value_stride + column, mask=inside)
    tl.store(key_cache_ptr + block * key_block_stride + offset * ROW + column, key, mask=inside)
    tl.store(value_cache_ptr + block * value_block_stride + offset * ROW + column, value, mask=inside)


def store_kv_triton(
    key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, slot_mapping: Tensor
) -> None:
    """Launch the kernel; shapes as on top of the file."""
    tokens, kv_heads, head_dim = key.shape
    if tokens == 0:
        return
    key, value = _rows(key), _rows(value)
    row = kv_heads * head_dim
    block = next_power_of_2(row)
    store_kv_kernel[(tokens,)](
        key,
        value,
        key_cache,
        value_cache,
        slot_mapping.contiguous(),
        key.stride(0),
        value.stride(0),
        key_cache.stride(0),
        value_cache.stride(0),
        BLOCK_SIZE=key_cache.shape[1],
        ROW=row,
        BLOCK=block,
        num_warps=min(8, max(1, block // 256)),
    )


def _rows(x: Tensor) -> Tensor:
    """A tensor whose token is one contiguous run of memory."""
    return x if x.stride()[1:] == (x.shape[2], 1) else x.contiguous()


def store_kv_torch(
    key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, slot_mapping: Tensor
) -> None:
    """Write `key` and `value` through `slot_mapping`; the plain-torch twin that defines right."""
    if slot_mapping.numel() and int(slot_mapping.min()) < 0:
        written = slot_mapping >= 0
        slot_mapping, key, value = slot_mapping[written], key[written], value[written]
    for cache, new in ((key_cache, key), (value_cache, value)):
        cache.view(-1, *new.shape[1:]).index_copy_(0, slot_mapping, new)
