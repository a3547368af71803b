"""rms_norm: root-mean-square normalisation, with the residual addition that comes before it.

    r = x + residual                                (when there is a residual)
    y = (r / sqrt(mean(r^2) + eps)) * weight        mean and quotient in fp32, rounded to x's dtype before the weight

x, residual   [T, H]  fp16, bf16 or fp32
weight        [H]     the same dtype
"""

import torch
from torch import Tensor


def rms_norm_torch(
    x: Tensor, weight: Tensor, eps: float, residual: Tensor | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Return y, or (y, x + residual) when a residual is given; the plain-torch twin that defines right."""
    summed = x if residual is None else x + residual
    wide = summed.to(torch.promote_types(summed.dtype, torch.float32))
    normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    y = normed.to(x.dtype) * weight
    return y if residual is None else (y, summed)
