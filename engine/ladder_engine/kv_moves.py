"""Moves blocks of KV as a batch says, before its works are computed: to host memory, back from there, and within the pool."""

from __future__ import annotations

import torch
from ladder_kernels.dispatch import Operations

from ladder_engine.batch import Moves, Pairs
from ladder_engine.model import KVCache


def move_blocks(moves: Moves, cache: KVCache, host: KVCache, operations: Operations) -> None:
    """`host` is a cache of `num_host_blocks` blocks in host memory. Every byte of a block arrives as it was."""
    _copy(moves.swapped_out, cache, host)
    _copy(moves.swapped_in, host, cache)
    if moves.copies:
        pairs = torch.tensor(moves.copies, device=cache.key.device)
        operations.copy_blocks(cache.key, cache.value, pairs)


def _copy(pairs: Pairs, source: KVCache, goal: KVCache) -> None:
    if pairs:
        origins, places = torch.tensor(pairs).unbind(1)
        for old, new in ((source.key, goal.key), (source.value, goal.value)):
            new[:, places.to(new.device)] = old[:, origins.to(old.device)].to(new.device)
