"""sample: one token from the logits of each sequence.

    filters (logit_filters.py) -> one draw: the first token, in order of id, where the running mass of the kept
                                  exceeds u * their mass

u is a pure function of (seed, position, stream) (philox.py): a token does not depend on its batch slot or its neighbours.

logits                      [S, V] fp32
temperature, top_p, min_p   [S] fp32      temperature 0 = greedy; top_p >= 1 and min_p <= 0 are off
top_k                       [S] int32     0 = off
seeds, positions            [S] int64
stream                      int           tells draws at one position apart: 0 for what is said, 2 for drafts (verify_draft.py)
returns                     [S] int64

Grid: one program a sequence, which walks its row in tiles.

    row s   ├── tile 0 ──┼── tile 1 ──┼── tile 2 ──┤
    walks   1 largest │ the cut of the filters │ 1 mass of the kept │ 1 draw

Floor: 4 * S * V bytes; a row stays in L2 while it is walked.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl
from ladder_kernels.logit_filters import TILE, filtered_weights, find_cut, find_largest, kept_weights
from ladder_kernels.philox import uniform, uniform_torch


@jit
def sample_kernel(
    out_ptr, logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, seeds_ptr, positions_ptr,
    logits_stride, STREAM: tl.constexpr, VOCAB: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Sample one row."""
    row = tl.program_id(0)
    row_ptr = logits_ptr + row.to(tl.int64) * logits_stride
    greedy, largest, largest_key = find_largest(row_ptr, VOCAB, BLOCK)
    temperature = tl.load(temperature_ptr + row)
    if temperature <= 0:
        tl.store(out_ptr + row, greedy.to(tl.int64))
        return
    top_k, top_p, min_p = tl.load(top_k_ptr + row), tl.load(top_p_ptr + row), tl.load(min_p_ptr + row)
    floor, ties = find_cut(row_ptr, largest, largest_key, temperature, top_k, top_p, VOCAB, BLOCK)
    u = uniform(tl.load(seeds_ptr + row), tl.load(positions_ptr + row), STREAM)
    drawn = greedy * 0 - 1
    target = (largest * 0).to(tl.float64)  # in fp32, rounding would move draws in a large vocabulary
    for draw in tl.static_range(2):  # the first walk measures the mass of the kept, the second draws
        running = (largest * 0).to(tl.float64)
        ties_seen = ties * 0
        for start in range(0, VOCAB, BLOCK):
            weight, ties_seen = kept_weights(
                row_ptr, start, ties_seen, floor, ties, largest, temperature, min_p, VOCAB, BLOCK
            )
            if draw == 1:
                token = start + tl.arange(0, BLOCK)
                beyond = (weight > 0) & (tl.cumsum(weight, axis=0) > (target - running).to(tl.float32))
                first = tl.min(tl.where(beyond, token, VOCAB), axis=0)
                drawn = tl.where((drawn < 0) & (first < VOCAB), first, drawn)
            running += tl.sum(weight, axis=0)
        target = running * u
    tl.store(out_ptr + row, tl.where(drawn < 0, greedy, drawn).to(tl.int64))


def sample_triton(
    logits: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    min_p: Tensor,
    seeds: Tensor,
    positions: Tensor,
    stream: int = 0,
) -> Tensor:
    """Launch the kernel; return one token id for each row."""
    rows, vocab = logits.shape
    out = torch.empty(rows, dtype=torch.int64, device=logits.device)
    if rows > 0:
        logits = logits if logits.stride(1) == 1 else logits.contiguous()
        rows_of = (x.contiguous() for x in (temperature, top_k, top_p, min_p, seeds, positions))
        sample_kernel[(rows,)](
            out, logits, *rows_of, logits.stride(0),
            STREAM=stream, VOCAB=vocab, BLOCK=min(TILE, next_power_of_2(vocab)), num_warps=8,
        )  # fmt: skip
    return out


def sample_torch(
    logits: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    min_p: Tensor,
    seeds: Tensor,
    positions: Tensor,
    stream: int = 0,
) -> Tensor:
    """Return one token id for each row; the plain-torch twin that defines right."""
    greedy = logits.max(dim=-1).indices  # the first of equals
    random = (temperature > 0).nonzero().squeeze(-1)
    if random.numel() == 0:
        return greedy
    weights = filtered_weights(
        logits[random], temperature[random], top_k[random], top_p[random], min_p[random]
    )
    drawn = inverse_cdf(weights, uniform_torch(seeds[random], positions[random], stream))
    return greedy.index_copy(0, random, drawn)


def inverse_cdf(weights: Tensor, uniform: Tensor) -> Tensor:
    """The first id [S] where the running weight exceeds uniform * total; never an id of weight 0."""
    running = weights.cumsum(-1)
    target = uniform.to(weights.dtype)[:, None] * running[:, -1:]
    return torch.searchsorted(running, target, right=True).squeeze(-1).clamp(max=weights.shape[-1] - 1)
