"""Philox4x32-10: random bits as a pure function of (seed, position), for the sampler.

A counter-based generator keeps no state: request and position name the number, so it does not depend on the batch
slot, on the neighbours or on how often a step was run again (Salmon et al., SC 2011).

    key     = (low, high) 32 bits of the seed
    counter = (low, high) 32 bits of the position, stream, 0        `stream` tells independent draws apart
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, tl

_MASK = 0xFFFFFFFF
_ROUND_A, _ROUND_B = 0xD2511F53, 0xCD9E8D57
_KEY_A, _KEY_B = 0x9E3779B9, 0xBB67AE85


@jit
def uniform(seed, position, STREAM: tl.constexpr):
    """The uniform of scalars or blocks `seed` and `position` (int64), inside a kernel."""
    low = (position & 0xFFFFFFFF).to(tl.uint32)
    high = ((position >> 32) & 0xFFFFFFFF).to(tl.uint32)
    bits, _, _, _ = tl.philox(seed, low, high, low * 0 + STREAM, low * 0)
    return tl.uint_to_uniform_float(bits)


def uniform_torch(seeds: Tensor, positions: Tensor, stream: int = 0) -> Tensor:
    """Return one uniform fp32 in [0, 1) for each pair of `seeds` and `positions` (int64, broadcast together)."""
    return _to_uniform(philox_torch(seeds, positions, stream)[0])


def philox_torch(seeds: Tensor, positions: Tensor, stream: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return four words of 32 random bits, held in int64."""
    zero = (seeds ^ positions) * 0
    k0, k1 = zero + (seeds & _MASK), zero + ((seeds >> 32) & _MASK)
    c0, c1 = zero + (positions & _MASK), zero + ((positions >> 32) & _MASK)
    c2, c3 = torch.full_like(c0, stream), torch.zeros_like(c0)
    for _ in range(10):
        b_high, b_low = _multiply(c2, _ROUND_B)
        a_high, a_low = _multiply(c0, _ROUND_A)
        c0, c1, c2, c3 = b_high ^ c1 ^ k0, b_low, a_high ^ c3 ^ k1, a_low
        k0, k1 = (k0 + _KEY_A) & _MASK, (k1 + _KEY_B) & _MASK
    return c0, c1, c2, c3


def _multiply(a: Tensor, b: int) -> tuple[Tensor, Tensor]:
    """High and low 32 bits of a 32 x 32 bit product, without leaving int64."""
    low, high = a * (b & 0xFFFF), a * (b >> 16)
    return (high + (low >> 16)) >> 16, (low + ((high & 0xFFFF) << 16)) & _MASK


def _to_uniform(bits: Tensor) -> Tensor:
    """32 bits to fp32 in [0, 1), as Triton's `uint_to_uniform_float` does it: never 1."""
    folded = torch.where(bits > 0x7FFFFFFF, _MASK - bits, bits)
    return folded.to(torch.int32).float() * 4.6566127342e-10
