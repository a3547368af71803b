"""Inputs for check, bench and the tests: paged caches that hurt, and poisoned memory.

Whatever an operation must not read is NaN or garbage here: free blocks, the tail of a last block, the padding of block
tables, and the memory that an output is allocated from.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ladder_kernels.lang import cdiv


@dataclass(frozen=True)
class PagedBatch:
    """The arguments of paged_attention, in its order."""

    query: Tensor
    key_cache: Tensor
    value_cache: Tensor
    block_tables: Tensor
    cu_seqlens_q: Tensor
    context_lens: Tensor
    scale: float
    sliding_window: int | None

    def arguments(self, dtype: torch.dtype | None = None) -> tuple[Any, ...]:
        """Everything in order; query and caches as `dtype` when one is given."""
        values = list(vars(self).values())
        return tuple(x.to(dtype) if dtype and i < 3 else x for i, x in enumerate(values))


def paged_batch(
    q_lens: Sequence[int],
    context_lens: Sequence[int],
    q_heads: int,
    kv_heads: int,
    head_dim: int,
    dtype: torch.dtype,
    device: torch.device,
    *,
    block_size: int = 16,
    sliding_window: int | None = None,
    shared_blocks: int = 0,
    spare_blocks: int = 3,
    seed: int = 0,
) -> PagedBatch:
    """A batch on a cache whose blocks lie in random order; the first `shared_blocks` blocks belong to every sequence."""
    generator = torch.Generator().manual_seed(seed)
    blocks = [cdiv(length, block_size) for length in context_lens]
    num_blocks = sum(blocks) + shared_blocks + spare_blocks
    order = torch.randperm(num_blocks, generator=generator)
    tables = torch.randint(-(2**31), 2**31 - 1, (len(blocks), max(blocks) + 2), generator=generator)
    written = torch.zeros(num_blocks, block_size, dtype=torch.bool)
    used = shared_blocks
    for seq, (length, count) in enumerate(zip(context_lens, blocks, strict=True)):
        common = min(shared_blocks, count)
        table = torch.cat((order[:common], order[used : used + count - common]))
        used += count - common
        tables[seq, :count] = table
        places = torch.arange(length)
        written[table[places // block_size], places % block_size] = True
    shape = (num_blocks, block_size, kv_heads, head_dim)
    caches = []
    for _ in range(2):
        cache = torch.randn(shape, generator=generator).to(dtype)
        caches.append(cache.masked_fill(~written[..., None, None], float("nan")).to(device))
    starts = torch.tensor([0, *torch.tensor(q_lens).cumsum(0).tolist()], dtype=torch.int32)
    query = torch.randn((int(starts[-1]), q_heads, head_dim), generator=generator).to(dtype)
    return PagedBatch(
        query.to(device),
        caches[0],
        caches[1],
        tables.int().to(device),
        starts.to(device),
        torch.tensor(context_lens, dtype=torch.int32, device=device),
        head_dim**-0.5,
        sliding_window,
    )


@contextmanager
def poisoned_memory() -> Iterator[None]:
    """Inside, torch fills every new tensor that nobody has written with NaN or the largest integer."""
    deterministic = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)


def relative_error(out: Tensor, reference: Tensor) -> float:
    """||out - reference|| / ||reference|| in fp64; NaN or infinity anywhere makes it NaN or infinity."""
    out, reference = out.double(), reference.double()
    return float((out - reference).norm() / reference.norm().clamp(min=1e-300))
