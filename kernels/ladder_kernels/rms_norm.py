"""rms_norm: root-mean-square normalisation, with the residual addition that comes before it.

    r = x + residual                                (when there is a residual)
    y = (r / sqrt(mean(r^2) + eps)) * weight        mean and quotient in fp32, rounded to x's dtype before the weight

x, residual   [T, H]  fp16, bf16 or fp32; rows may be strided
weight        [H]     the same dtype

Grid: one program for ROWS rows; a row lives in registers, so it is read once (H up to 16384).

    program 0 ┌────────── H ──────────┐
              │ row 0  ──sum of squares──> 1 / rms ──> * weight
              │ row 1                 │
    program 1 ├───────────────────────┤

Floor: 2 * T * H * itemsize bytes, 4 * T * H with a residual; about 4 * T * H FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv, jit, next_power_of_2, tl


@jit
def rms_norm_kernel(
    y_ptr,
    summed_ptr,
    x_ptr,
    residual_ptr,
    weight_ptr,
    x_stride,
    residual_stride,
    num_rows,
    eps,
    HIDDEN: tl.constexpr,
    BLOCK: tl.constexpr,
    ROWS: tl.constexpr,
    HAS_RESIDUAL: tl.constexpr,
):
    """Normalise ROWS rows of HIDDEN elements."""
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < num_rows) & (column < HIDDEN)
    x = tl.load(x_ptr + row * x_stride + column, mask=inside, other=0.0).to(tl.float32)
    if HAS_RESIDUAL:
        x += tl.load(residual_ptr + row * residual_stride + column, mask=inside, other=0.0).to(tl.float32)
        rounded = x.to(y_ptr.dtype.element_ty)
        tl.store(summed_ptr + row * HIDDEN + column, rounded, mask=inside)
        x = rounded.to(tl.float32)
    mean_square = tl.sum(x * x, axis=1) / HIDDEN
    normed = (x * tl.rsqrt(mean_square + eps)[:, None]).to(y_ptr.dtype.element_ty).to(tl.float32)
    weight = tl.load(weight_ptr + column, mask=column < HIDDEN, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * HIDDEN + column, (normed * weight).to(y_ptr.dtype.element_ty), mask=inside)


def norm_rows(hidden: int) -> int:
    """Rows that a program takes."""
    return max(1, min(16, 2048 // next_power_of_2(hidden)))


def rms_norm_triton(
    x: Tensor, weight: Tensor, eps: float, residual: Tensor | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Launch the kernel; return y, or (y, x + residual) when a residual is given."""
    num_rows, hidden = x.shape
    x = x if x.stride(1) == 1 else x.contiguous()
    y = x.new_empty(num_rows, hidden)
    summed = y if residual is None else torch.empty_like(y)
    other = x if residual is None else residual if residual.stride(1) == 1 else residual.contiguous()
    if num_rows > 0:
        block, rows = next_power_of_2(hidden), norm_rows(hidden)
        rms_norm_kernel[(cdiv(num_rows, rows),)](
            y,
            summed,
            x,
            other,
            weight,
            x.stride(0),
            other.stride(0),
            num_rows,
            eps,
            HIDDEN=hidden,
            BLOCK=block,
            ROWS=rows,
            HAS_RESIDUAL=residual is not None,
            num_warps=min(16, max(4, block // 1024)),
        )
    return y if residual is None else (y, summed)


def rms_norm_torch(
    x: Tensor, weight: Tensor, eps: float, residual: Tensor | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Return y, or (y, x + residual) when a residual is given; the plain-torch twin that defines right."""
    summed = x if residual is None else x + residual
    wide = summed.to(torch.promote_types(summed.dtype, torch.float32))
    normed = wide * wide.square().mean(-1, keepdim=True).add_(eps).rsqrt_()
    y = normed.to(x.dtype).mul_(weight)
    return y if residual is None else (y, summed)
