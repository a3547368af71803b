"""silu_mul: the gate of a SwiGLU feed-forward layer.

    y = silu(gate) * up,   silu(g) = g / (1 + exp(-g))      in fp32

gate_up   [T, 2I]  gate in the first half of a row, up in the second; fp16, bf16 or fp32
y         [T, I]   the same dtype
"""

import torch
from torch import Tensor


def silu_mul_torch(gate_up: Tensor) -> Tensor:
    """Return silu(first half) * second half; the plain-torch twin that defines right."""
    wide = gate_up.to(torch.promote_types(gate_up.dtype, torch.float32))
    gate, up = wide.chunk(2, dim=-1)
    return (torch.nn.functional.silu(gate) * up).to(gate_up.dtype)
