"""silu_mul: the gate of a SwiGLU feed-forward layer.

    y = silu(gate) * up,   silu(g) = g / (1 + exp(-g))      in fp32

gate_up   [T, 2I]  gate in the first half of a row, up in the second; fp16, bf16 or fp32
y         [T, I]   the same dtype

Grid: (tokens, pieces of I).

    row t   ┌───── gate ─────┬────── up ──────┐         ┌────── y ───────┐
            │  piece 0 │  1  │  piece 0 │  1  │  ────>  │  piece 0 │  1  │
            └────────────────┴────────────────┘         └────────────────┘

Floor: 3 * T * I * itemsize bytes; about 5 * T * I FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv, jit, next_power_of_2, tl


@jit
def silu_mul_kernel(y_ptr, gate_up_ptr, INTERMEDIATE: tl.constexpr, BLOCK: tl.constexpr):
    """Gate one piece of one row."""
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < INTERMEDIATE
    gate_ptr = gate_up_ptr + token * 2 * INTERMEDIATE + column
    gate = tl.load(gate_ptr, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(gate_ptr + INTERMEDIATE, mask=inside, other=0.0).to(tl.float32)
    y = gate / (1.0 + tl.exp(-gate)) * up
    tl.store(y_ptr + token * INTERMEDIATE + column, y.to(y_ptr.dtype.element_ty), mask=inside)


def silu_tile(intermediate: int) -> int:
    """Columns that a program takes."""
    return min(2048, next_power_of_2(intermediate))


def silu_mul_triton(gate_up: Tensor) -> Tensor:
    """Launch the kernel; return y [T, I]."""
    tokens, intermediate = gate_up.shape[0], gate_up.shape[1] // 2
    y = gate_up.new_empty(tokens, intermediate)
    if tokens > 0:
        block = silu_tile(intermediate)
        silu_mul_kernel[(tokens, cdiv(intermediate, block))](
            y, gate_up.contiguous(), INTERMEDIATE=intermediate, BLOCK=block, num_warps=4
        )
    return y


def silu_mul_torch(gate_up: Tensor) -> Tensor:
    """Return silu(first half) * second half; the plain-torch twin that defines right."""
    gate, up = gate_up.to(torch.promote_types(gate_up.dtype, torch.float32)).chunk(2, dim=-1)
    return torch.nn.functional.silu(gate).mul_(up).to(gate_up.dtype)
