"""store_kv: write the new keys and values of a step into the paged cache.

    cache[slot // block_size, slot % block_size] = new[token]      for every token whose slot is not -1

key, value               [T, Hkv, D]                       fp16, bf16 or fp32
key_cache, value_cache   [num_blocks, block_size, Hkv, D]  the same dtype; written in place
slot_mapping             [T] int64                         block_id * block_size + offset; -1 writes nothing
"""

import torch
from torch import Tensor


def store_kv_torch(
    key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, slot_mapping: Tensor
) -> None:
    """Write `key` and `value` through `slot_mapping`; the plain-torch twin that defines right."""
    block_size = key_cache.shape[1]
    written = slot_mapping >= 0
    slots = slot_mapping[written]
    block, offset = torch.div(slots, block_size, rounding_mode="floor"), slots % block_size
    key_cache[block, offset] = key[written].to(key_cache.dtype)
    value_cache[block, offset] = value[written].to(value_cache.dtype)
