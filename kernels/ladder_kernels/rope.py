"""rope: rotary position embedding of queries and keys, half-split (the `rotate_half` of Llama and Qwen).

    lo, hi = halves of a head;   lo' = lo cos(p f) - hi sin(p f);   hi' = hi cos(p f) + lo sin(p f)      in fp32

positions     [T] int64
query, key    [T, Hq, D], [T, Hkv, D]   fp16, bf16 or fp32; tokens may be strided (slices of QKV)
cos_sin       [max_position, D] fp32    cos in the first half of a row, sin in the second (rope_table.py makes it)

Grid: one program a token, which rotates all of its heads with one row of the table.

    positions[t] ──> cos_sin row ──┬──> query heads 0 .. Hq - 1
                                   └──> key heads 0 .. Hkv - 1

Floor: 2 * T * (Hq + Hkv) * D * itemsize bytes + 4 * D for each distinct position; 3 * T * (Hq + Hkv) * D FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl
from ladder_kernels.step_memo import StepMemo


@jit
def _rotate_heads(out_ptr, in_ptr, cos, sin, HEADS: tl.constexpr, HALF: tl.constexpr, BLOCK_H: tl.constexpr):
    head = tl.arange(0, BLOCK_H)[:, None]
    column = tl.arange(0, cos.shape[1])[None, :]
    inside = (head < HEADS) & (column < HALF)
    place = head * 2 * HALF + column
    low = tl.load(in_ptr + place, mask=inside, other=0.0).to(tl.float32)
    high = tl.load(in_ptr + place + HALF, mask=inside, other=0.0).to(tl.float32)
    dtype = out_ptr.dtype.element_ty
    tl.store(out_ptr + place, (low * cos - high * sin).to(dtype), mask=inside)
    tl.store(out_ptr + place + HALF, (high * cos + low * sin).to(dtype), mask=inside)


@jit
def rope_kernel(
    query_out_ptr,
    key_out_ptr,
    query_ptr,
    key_ptr,
    positions_ptr,
    cos_sin_ptr,
    query_stride,
    key_stride,
    Q_HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HALF: tl.constexpr,
    BLOCK_HALF: tl.constexpr,
    BLOCK_Q_HEADS: tl.constexpr,
    BLOCK_KV_HEADS: tl.constexpr,
):
    """Rotate every head of one token."""
    token = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK_HALF)[None, :]
    row = cos_sin_ptr + tl.load(positions_ptr + token) * 2 * HALF + column
    cos = tl.load(row, mask=column < HALF, other=0.0)
    sin = tl.load(row + HALF, mask=column < HALF, other=0.0)
    query_out_ptr += token * Q_HEADS * 2 * HALF
    key_out_ptr += token * KV_HEADS * 2 * HALF
    _rotate_heads(query_out_ptr, query_ptr + token * query_stride, cos, sin, Q_HEADS, HALF, BLOCK_Q_HEADS)
    _rotate_heads(key_out_ptr, key_ptr + token * key_stride, cos, sin, KV_HEADS, HALF, BLOCK_KV_HEADS)


def rope_triton(positions: Tensor, query: Tensor, key: Tensor, cos_sin: Tensor) -> tuple[Tensor, Tensor]:
    """Launch the kernel; return rotated copies of `query` and `key`."""
    tokens, q_heads, head_dim = query.shape
    kv_heads, half = key.shape[1], head_dim // 2
    query, key = (x if x.stride()[1:] == (head_dim, 1) else x.contiguous() for x in (query, key))
    query_out, key_out = query.new_empty(query.shape), key.new_empty(key.shape)
    if tokens > 0:
        rope_kernel[(tokens,)](
            query_out,
            key_out,
            query,
            key,
            positions.contiguous(),
            cos_sin,
            query.stride(0),
            key.stride(0),
            Q_HEADS=q_heads,
            KV_HEADS=kv_heads,
            HALF=half,
            BLOCK_HALF=next_power_of_2(half),
            BLOCK_Q_HEADS=next_power_of_2(q_heads),
            BLOCK_KV_HEADS=next_power_of_2(kv_heads),
            num_warps=4,
        )
    return query_out, key_out


def rope_torch(positions: Tensor, query: Tensor, key: Tensor, cos_sin: Tensor) -> tuple[Tensor, Tensor]:
    """Return rotated copies of `query` and `key`; the plain-torch twin that defines right."""
    turns = _turns(positions, cos_sin)
    return _rotate(query, *turns), _rotate(key, *turns)


class StepRope:
    """rope_torch for the layers of a step: what they read of the table is taken out once."""

    def __init__(self) -> None:
        self._turns: StepMemo[tuple[Tensor, Tensor]] = StepMemo()

    def __call__(
        self, positions: Tensor, query: Tensor, key: Tensor, cos_sin: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return rotated copies of `query` and `key`. The positions must not be changed in place afterwards."""
        turns = self._turns.get((positions, cos_sin), None, lambda: _turns(positions, cos_sin))
        return _rotate(query, *turns), _rotate(key, *turns)


def _turns(positions: Tensor, cos_sin: Tensor) -> tuple[Tensor, Tensor]:
    """What a head [D] and its halves in the other order are multiplied with: (cos, cos) and (-sin, sin), [T, 1, D]."""
    cos, sin = cos_sin.index_select(0, positions).unsqueeze(1).chunk(2, dim=-1)
    return torch.cat((cos, cos), dim=-1), torch.cat((-sin, sin), dim=-1)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (wide * cos).addcmul_(wide.roll(x.shape[-1] // 2, -1), sin).to(x.dtype)
