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
"""

import torch
from torch import Tensor

from ladder_kernels.philox import uniform_torch


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
