"""sample: one token from the logits of each sequence.

    temperature -> top-k -> top-p on the renormalised mass -> min-p -> one draw

    w_i     = exp((logit_i - max) / temperature)
    top-k   keeps the k largest;  top-p keeps the smallest set of the rest whose mass reaches p
    min-p   keeps w_i >= min_p * max w
    draw    the first token, in order of id, where the running mass of the kept exceeds u * their mass

Ties go to the lower id, the largest is always kept, and temperature 0 means the largest.
u is a pure function of (seed, position) (philox.py): a token does not depend on its batch slot or its neighbours.

logits                      [S, V] fp32
temperature, top_p, min_p   [S] fp32      temperature 0 = greedy; top_p >= 1 and min_p <= 0 are off
top_k                       [S] int32     0 = off
seeds, positions            [S] int64
returns                     [S] int64

Grid: one program a sequence, which walks its row in tiles. Nothing is sorted: the smallest kept logit is found by
bisection on the bits of a float, which order like integers, and how many of its equals are kept follows from their rank.

    row s   ├── tile 0 ──┼── tile 1 ──┼── tile 2 ──┤
    walks   1 largest │ 32 count(> x) < k ? │ 1 mass │ 32 mass(> x) < p ? │ 1 mass of the kept │ 1 draw
                      └── when top-k is on ──┘       └── when top-p is on ─┘

Floor: 4 * S * V bytes; a row stays in L2 while it is walked.
"""

# ruff: noqa: N803, N806
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl
from ladder_kernels.philox import uniform, uniform_torch


@jit
def _load_keys(row_ptr, start, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    """A tile of logits as int32 keys that order like the floats; places past the row get the smallest key."""
    token = start + tl.arange(0, BLOCK)
    logit = tl.load(row_ptr + token, mask=token < VOCAB, other=float("-inf"))
    bits = tl.where(logit == 0, 0.0, logit).to(tl.int32, bitcast=True)  # -0 and 0 are one value
    return tl.where(token < VOCAB, bits ^ ((bits >> 31) & 0x7FFFFFFF), -(2**31))


@jit
def _weight(key, largest, temperature):
    """exp((logit - max) / temperature) of the logit behind `key`; `_load_keys` is its own inverse."""
    logit = (key ^ ((key >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    return tl.where(key == -(2**31), 0.0, tl.exp((logit - largest) / temperature))


@jit
def _count_above(row_ptr, bound, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    count = bound * 0
    for start in range(0, VOCAB, BLOCK):
        count += tl.sum((_load_keys(row_ptr, start, VOCAB, BLOCK) > bound).to(tl.int32), axis=0)
    return count


@jit
def _mass_above(row_ptr, bound, floor, ties, largest, temperature, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    """The mass of the keys above `bound`, where of the keys equal to `floor` only `ties` count and none below it."""
    mass = (largest * 0).to(tl.float64)
    for start in range(0, VOCAB, BLOCK):
        key = _load_keys(row_ptr, start, VOCAB, BLOCK)
        weight = _weight(key, largest, temperature)
        mass += tl.sum(tl.where((key > bound) & (key > floor), weight, 0.0), axis=0)
    return mass + tl.where(floor > bound, ties * _weight(floor, largest, temperature), 0.0)


@jit
def sample_kernel(
    out_ptr, logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, seeds_ptr, positions_ptr,
    logits_stride, VOCAB: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Sample one row."""
    SMALLEST: tl.constexpr = -(2**31)
    row = tl.program_id(0)
    row_ptr = logits_ptr + row.to(tl.int64) * logits_stride
    largest_key = row * 0 + SMALLEST
    greedy = row * 0
    for start in range(0, VOCAB, BLOCK):
        key = _load_keys(row_ptr, start, VOCAB, BLOCK)
        tile_key = tl.max(key, axis=0)
        token = start + tl.arange(0, BLOCK)
        first = tl.min(tl.where(key == tile_key, token, VOCAB), axis=0)
        greedy = tl.where(tile_key > largest_key, first, greedy)
        largest_key = tl.maximum(largest_key, tile_key)
    temperature = tl.load(temperature_ptr + row)
    if temperature <= 0:
        tl.store(out_ptr + row, greedy.to(tl.int64))
        return
    largest = (largest_key ^ ((largest_key >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)

    # Kept are the keys above `floor`, and of those equal to it the first `ties` in order of id.
    floor = largest_key * 0 + SMALLEST
    ties = floor * 0 + VOCAB
    top_k = tl.load(top_k_ptr + row)
    if (top_k > 0) & (top_k < VOCAB):
        low, high = floor.to(tl.int64), largest_key.to(tl.int64)
        while low < high:  # the smallest key with fewer than k above it
            middle = (low + high) >> 1
            if _count_above(row_ptr, middle.to(tl.int32), VOCAB, BLOCK) < top_k:
                high = middle
            else:
                low = middle + 1
        floor = low.to(tl.int32)
        ties = top_k - _count_above(row_ptr, floor, VOCAB, BLOCK)
    top_p = tl.load(top_p_ptr + row)
    if top_p < 1:
        everything = _mass_above(
            row_ptr, floor * 0 + SMALLEST, floor, ties, largest, temperature, VOCAB, BLOCK
        )
        wanted = tl.maximum(top_p, 1e-30) * everything
        low, high = floor.to(tl.int64), largest_key.to(tl.int64)
        while low < high:  # the smallest key with less than the wanted mass above it
            middle = (low + high) >> 1
            mass = _mass_above(row_ptr, middle.to(tl.int32), floor, ties, largest, temperature, VOCAB, BLOCK)
            if mass < wanted:
                high = middle
            else:
                low = middle + 1
        bound = low.to(tl.int32)
        missing = wanted - _mass_above(row_ptr, bound, floor, ties, largest, temperature, VOCAB, BLOCK)
        enough = tl.ceil((missing / _weight(bound, largest, temperature)).to(tl.float32))
        limit = tl.where(bound == floor, ties, VOCAB)
        ties = tl.minimum(tl.maximum(enough, 1.0), limit.to(tl.float32)).to(tl.int32)
        floor = bound

    min_weight = tl.minimum(tl.load(min_p_ptr + row), 1.0)
    u = uniform(tl.load(seeds_ptr + row), tl.load(positions_ptr + row), 0)
    drawn = greedy * 0 - 1
    target = (largest * 0).to(tl.float64)  # in fp32, rounding would move draws in a large vocabulary
    for draw in tl.static_range(2):  # the first walk measures the mass of the kept, the second draws
        running = (largest * 0).to(tl.float64)
        ties_seen = ties * 0
        for start in range(0, VOCAB, BLOCK):
            key = _load_keys(row_ptr, start, VOCAB, BLOCK)
            weight = _weight(key, largest, temperature)
            tied = (key == floor).to(tl.int32)
            rank = ties_seen + tl.cumsum(tied, axis=0)
            kept = ((key > floor) | ((tied > 0) & (rank <= ties))) & (weight >= min_weight)
            ties_seen += tl.sum(tied, axis=0)
            weight = tl.where(kept, weight, 0.0)
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
) -> Tensor:
    """Launch the kernel; return one token id for each row."""
    rows, vocab = logits.shape
    out = torch.empty(rows, dtype=torch.int64, device=logits.device)
    if rows > 0:
        logits = logits if logits.stride(1) == 1 else logits.contiguous()
        block = min(4096, next_power_of_2(vocab))
        rows_of = (x.contiguous() for x in (temperature, top_k, top_p, min_p, seeds, positions))
        sample_kernel[(rows,)](
            out, logits, *rows_of, logits.stride(0),
            VOCAB=vocab, BLOCK=block, num_warps=8,
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
) -> Tensor:
    """Return one token id for each row; the plain-torch twin that defines right."""
    greedy = logits.max(dim=-1).indices  # the first of equals
    random = (temperature > 0).nonzero().squeeze(-1)
    if random.numel() == 0:
        return greedy
    weights = filtered_weights(
        logits[random], temperature[random], top_k[random], top_p[random], min_p[random]
    )
    drawn = inverse_cdf(weights, uniform_torch(seeds[random], positions[random]))
    return greedy.index_copy(0, random, drawn)


def filtered_weights(
    logits: Tensor, temperature: Tensor, top_k: Tensor, top_p: Tensor, min_p: Tensor
) -> Tensor:
    """Unnormalised weights [S, V] in fp64 after temperature, top-k, top-p and min-p: 0 where a token is out."""
    scaled = logits.double() / temperature.double()[:, None]
    weights = (scaled - scaled.max(dim=-1, keepdim=True).values).exp()
    if bool((top_k > 0).any() or (top_p < 1).any()):
        weights = _top_k_top_p(logits, weights, top_k, top_p)
    return weights * (weights >= min_p.clamp(max=1.0)[:, None])


def _top_k_top_p(logits: Tensor, weights: Tensor, top_k: Tensor, top_p: Tensor) -> Tensor:
    order = logits.sort(dim=-1, descending=True, stable=True).indices
    ranked = weights.gather(-1, order)
    rank = torch.arange(ranked.shape[-1], device=ranked.device)
    limit = torch.where(top_k > 0, top_k, ranked.shape[-1])
    ranked = ranked * (rank < limit[:, None])
    mass_before = ranked.cumsum(-1) - ranked
    inside = mass_before < top_p.double()[:, None] * ranked.sum(-1, keepdim=True)
    inside = inside | (top_p >= 1)[:, None]
    inside[:, 0] = True
    return torch.zeros_like(weights).scatter(-1, order, ranked * inside)


def inverse_cdf(weights: Tensor, uniform: Tensor) -> Tensor:
    """The first id [S] where the running weight exceeds uniform * total; never an id of weight 0."""
    running = weights.cumsum(-1)
    target = uniform.to(weights.dtype)[:, None] * running[:, -1:]
    return torch.searchsorted(running, target, right=True).squeeze(-1).clamp(max=weights.shape[-1] - 1)
