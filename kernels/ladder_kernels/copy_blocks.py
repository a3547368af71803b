"""copy_blocks: copy whole KV blocks inside the cache, in every layer at once.

    cache[:, dst] = cache[:, src]      for every pair (src, dst)

Copy-on-write and defragmentation owe such copies before the step that writes.

key_cache, value_cache   [L, num_blocks, block_size, Hkv, D]   any dtype; written in place
src_to_dst               [N, 2] int64                          pairs run in parallel, so a destination appears once
                                                               and is nobody's source
"""

import torch
from torch import Tensor


def copy_blocks_torch(key_cache: Tensor, value_cache: Tensor, src_to_dst: Tensor) -> None:
    """Copy blocks; the plain-torch twin that defines right.

    Raises ValueError when a destination appears twice or is also a source: on a GPU that would be a race.
    """
    source, destination = src_to_dst.unbind(1)
    if torch.unique(destination).numel() != destination.numel() or torch.isin(destination, source).any():
        raise ValueError("copy_blocks: a destination block appears twice or is also a source")
    key_cache[:, destination] = key_cache[:, source]
    value_cache[:, destination] = value_cache[:, source]
