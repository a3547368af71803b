"""The filters between logits and a draw: what sample and filter_probs share.

    temperature -> top-k -> top-p on the renormalised mass -> min-p

    w_i     = exp((logit_i - max) / temperature)
    top-k   keeps the k largest;  top-p keeps the smallest set of the rest whose mass reaches p
    min-p   keeps w_i >= min_p * max w

Ties go to the lower id, the largest is always kept, and temperature 0 means the largest alone.

Nothing is sorted. `find_cut` returns the smallest kept logit, found on the bits of a float, which order like integers, and
how many of its equals are kept; `kept_weights` gives the weights of a tile under that cut. Each walk over the row tries
eight bounds at once and leaves an eighth of the range: 11 walks for 32 bits, where bisection takes 32.

    row s   ├── tile 0 ──┼── tile 1 ──┼── tile 2 ──┤
    walks   1 largest │ 12 count(> x) < k ? │ 13 mass(> x) < p ?
                      └── when top-k is on ──┘└── when top-p is on ─┘
"""

# ruff: noqa: N803, N806
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, tl

TILE = 2048  # eight sums over a wider tile do not fit the registers


@jit
def load_keys(row_ptr, start, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    """A tile of logits as int32 keys that order like the floats; places past the row get the smallest key."""
    token = start + tl.arange(0, BLOCK)
    logit = tl.load(row_ptr + token, mask=token < VOCAB, other=float("-inf"))
    bits = tl.where(logit == 0, 0.0, logit).to(tl.int32, bitcast=True)  # -0 and 0 are one value
    return tl.where(token < VOCAB, bits ^ ((bits >> 31) & 0x7FFFFFFF), -(2**31))


@jit
def _weight(key, largest, temperature):
    """exp((logit - max) / temperature) of the logit behind `key`; the map in `load_keys` is its own inverse."""
    logit = (key ^ ((key >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    return tl.where(key == -(2**31), 0.0, tl.exp((logit - largest) / temperature))


@jit
def _pivots(low, high, WAYS: tl.constexpr):
    """Bounds [WAYS] that part low .. high into WAYS; the last is `high` itself."""
    return low + ((high - low) * (tl.arange(0, WAYS) + 1)) // WAYS


@jit
def _narrow(low, high, pivots, enough):
    """The part in which the smallest key with `enough` lies; `enough` [WAYS] turns true once, and is at `high`."""
    low = tl.max(tl.where(enough, low, pivots + 1), axis=0)
    return low, tl.min(tl.where(enough, pivots, high), axis=0)


@jit
def _counts_above(row_ptr, bounds, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    """How many keys are above each of `bounds` [WAYS]."""
    counts = bounds * 0
    for start in range(0, VOCAB, BLOCK):
        above = load_keys(row_ptr, start, VOCAB, BLOCK)[None, :] > bounds[:, None]
        counts += tl.sum(above.to(tl.int32), axis=1)
    return counts


@jit
def _masses_above(
    row_ptr, bounds, floor, ties, largest, temperature, VOCAB: tl.constexpr, BLOCK: tl.constexpr
):
    """The mass above each of `bounds` [WAYS], where of the keys equal to `floor` only `ties` count and none below it."""
    masses = (bounds * 0).to(tl.float64)
    for start in range(0, VOCAB, BLOCK):
        key = load_keys(row_ptr, start, VOCAB, BLOCK)
        weight = tl.where(key > floor, _weight(key, largest, temperature), 0.0)
        masses += tl.sum(tl.where(key[None, :] > bounds[:, None], weight[None, :], 0.0), axis=1)
    return masses + tl.where(floor > bounds, ties * _weight(floor, largest, temperature), 0.0)


@jit
def find_largest(row_ptr, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    """The id of the first of the largest logits, and the logit."""
    SMALLEST: tl.constexpr = -(2**31)
    largest_key = tl.program_id(0) * 0 + SMALLEST
    first_id = largest_key * 0
    for start in range(0, VOCAB, BLOCK):
        key = load_keys(row_ptr, start, VOCAB, BLOCK)
        tile_key = tl.max(key, axis=0)
        token = start + tl.arange(0, BLOCK)
        first = tl.min(tl.where(key == tile_key, token, VOCAB), axis=0)
        first_id = tl.where(tile_key > largest_key, first, first_id)
        largest_key = tl.maximum(largest_key, tile_key)
    largest = (largest_key ^ ((largest_key >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    return first_id, largest, largest_key


@jit
def find_cut(
    row_ptr, largest, largest_key, temperature, top_k, top_p, VOCAB: tl.constexpr, BLOCK: tl.constexpr
):
    """`floor` and `ties`: kept are the keys above `floor`, and of those equal to it the first `ties` in order of id."""
    SMALLEST: tl.constexpr = -(2**31)
    WAYS: tl.constexpr = 8
    one = tl.arange(0, 1)
    floor = largest_key * 0 + SMALLEST
    ties = floor * 0 + VOCAB
    if (top_k > 0) & (top_k < VOCAB):
        low, high = floor.to(tl.int64), largest_key.to(tl.int64)
        while low < high:  # the smallest key with fewer than k above it
            pivots = _pivots(low, high, WAYS)
            counts = _counts_above(row_ptr, pivots.to(tl.int32), VOCAB, BLOCK)
            low, high = _narrow(low, high, pivots, counts < top_k)
        floor = low.to(tl.int32)
        ties = top_k - tl.sum(_counts_above(row_ptr, floor + one, VOCAB, BLOCK), axis=0)
    if top_p < 1:
        everything = _masses_above(row_ptr, SMALLEST + one, floor, ties, largest, temperature, VOCAB, BLOCK)
        wanted = tl.maximum(top_p, 1e-30) * tl.sum(everything, axis=0)
        low, high = floor.to(tl.int64), largest_key.to(tl.int64)
        while low < high:  # the smallest key with less than the wanted mass above it
            pivots = _pivots(low, high, WAYS)
            masses = _masses_above(
                row_ptr, pivots.to(tl.int32), floor, ties, largest, temperature, VOCAB, BLOCK
            )
            low, high = _narrow(low, high, pivots, masses < wanted)
        bound = low.to(tl.int32)
        above = _masses_above(row_ptr, bound + one, floor, ties, largest, temperature, VOCAB, BLOCK)
        missing = wanted - tl.sum(above, axis=0)
        enough = tl.ceil((missing / _weight(bound, largest, temperature)).to(tl.float32))
        limit = tl.where(bound == floor, ties, VOCAB)
        ties = tl.minimum(tl.maximum(enough, 1.0), limit.to(tl.float32)).to(tl.int32)
        floor = bound
    return floor, ties


@jit
def kept_weights(
    row_ptr, start, ties_seen, floor, ties, largest, temperature, min_p, VOCAB: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """A tile of weights, 0 where a token is out, and how many keys equal to `floor` have been seen with it."""
    key = load_keys(row_ptr, start, VOCAB, BLOCK)
    weight = _weight(key, largest, temperature)
    tied = (key == floor).to(tl.int32)
    rank = ties_seen + tl.cumsum(tied, axis=0)
    kept = ((key > floor) | ((tied > 0) & (rank <= ties))) & (weight >= tl.minimum(min_p, 1.0))
    return tl.where(kept, weight, 0.0), ties_seen + tl.sum(tied, axis=0)


def filtered_weights(
    logits: Tensor, temperature: Tensor, top_k: Tensor, top_p: Tensor, min_p: Tensor
) -> Tensor:
    """Unnormalised weights [S, V] in fp64 after temperature, top-k, top-p and min-p: 0 where a token is out.

    The plain-torch twin that defines right. logits [S, V] fp32; temperature > 0, top_p, min_p [S] fp32, top_k [S] int32.
    """
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
