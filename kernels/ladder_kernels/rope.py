"""rope: rotary position embedding of queries and keys, half-split (the `rotate_half` of Llama and Qwen).

    lo, hi = halves of a head;   lo' = lo cos(p f) - hi sin(p f);   hi' = hi cos(p f) + lo sin(p f)      in fp32

positions     [T] int64
query, key    [T, Hq, D], [T, Hkv, D]   fp16, bf16 or fp32
cos_sin       [max_position, D] fp32    cos in the first half of a row, sin in the second (rope_table.py makes it)
"""

import torch
from torch import Tensor


def rope_torch(positions: Tensor, query: Tensor, key: Tensor, cos_sin: Tensor) -> tuple[Tensor, Tensor]:
    """Return rotated copies of `query` and `key`; the plain-torch twin that defines right."""
    cos, sin = cos_sin[positions].unsqueeze(1).chunk(2, dim=-1)
    return _rotate(query, cos, sin), _rotate(key, cos, sin)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    lo, hi = x.to(torch.promote_types(x.dtype, torch.float32)).chunk(2, dim=-1)
    return torch.cat((lo * cos - hi * sin, hi * cos + lo * sin), dim=-1).to(x.dtype)
