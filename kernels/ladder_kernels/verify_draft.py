"""verify_draft: rejection sampling of drafted tokens, so that speculation does not change the distribution.

    token i is accepted        when u_i * q_i(token) < p_i(token)
    the first rejected, r, is  drawn from max(p_r - q_r, 0), normalised
    all accepted:              a bonus token drawn from p_K

p is the target's distribution and q the draft's, both after the same filters (sample.py). A draft that only names tokens
(n-gram lookup, greedy draft) has q = 1 at its token: then u < p accepts, and the residual is p without the token.
Leviathan et al. 2023, Chen et al. 2023. The draw at a position uses the number that plain sampling uses there, so without
a draft, and after one that was accepted whole, the token is the one that plain sampling would have drawn.

target_probs   [S, K + 1, V] fp32   rows 0 .. num_drafts are read; a greedy request brings one-hot rows
draft_probs    [S, K, V] fp32       or None for a draft that only names tokens
draft_tokens   [S, K] int64         entries from num_drafts[s] on are not read
num_drafts     [S] int32            0 .. K; 0 makes this plain sampling
seeds          [S] int64
positions      [S] int64            counter of the first new token; token i uses positions + i
returns        tokens [S, K + 1] int64, -1 after the last, and num_accepted [S] int32

Grid: one program a sequence.

    drafts   the  cat  sat  on          u_0 u_1 u_2 (stream 1), then one draw over V (stream 0)
    accept    ✓    ✓    ✗   (not looked at)
    tokens   the  cat  lay  -1  -1      num_accepted = 2

Floor: S * (2 * num_accepted scalars + one row of p and one of q): 8 * S * V bytes; about 4 * S * V FLOPs.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl
from ladder_kernels.philox import uniform, uniform_torch
from ladder_kernels.sample import inverse_cdf

DRAW_STREAM, ACCEPT_STREAM = 0, 1  # drafts themselves are drawn with a third one (dispatch.DRAFT_STREAM)

TILE = 4096


@jit
def _residual(target_ptr, draft_ptr, token, banned, rejected, VOCAB: tl.constexpr, HAS_DRAFT: tl.constexpr):
    """A tile of the distribution to draw from: max(p - q, 0) after a rejection, else p (then `banned` is -1)."""
    p = tl.load(target_ptr + token, mask=token < VOCAB, other=0.0)
    if HAS_DRAFT:
        q = tl.load(draft_ptr + token, mask=token < tl.where(rejected, VOCAB, 0), other=0.0)
    else:
        q = tl.where(token == banned, 1.0, 0.0)
    return tl.maximum(p - q, 0.0)


@jit
def verify_draft_kernel(
    tokens_ptr, num_accepted_ptr, target_ptr, draft_ptr, draft_tokens_ptr, num_drafts_ptr, seeds_ptr, positions_ptr,
    MAX_DRAFTS: tl.constexpr, VOCAB: tl.constexpr, BLOCK: tl.constexpr, HAS_DRAFT: tl.constexpr,
):  # fmt: skip
    """Verify the drafts of one sequence."""
    seq = tl.program_id(0).to(tl.int64)
    seed, position = tl.load(seeds_ptr + seq), tl.load(positions_ptr + seq)
    num_drafts = tl.load(num_drafts_ptr + seq)
    target_ptr += seq * (MAX_DRAFTS + 1) * VOCAB
    draft_ptr += seq * MAX_DRAFTS * VOCAB
    tokens_ptr += seq * (MAX_DRAFTS + 1)
    accepted = num_drafts * 0
    going = num_drafts >= 0
    for i in range(MAX_DRAFTS):
        going = going & (i < num_drafts)
        token = tl.load(draft_tokens_ptr + seq * MAX_DRAFTS + i, mask=going, other=0)
        p = tl.load(target_ptr + i * VOCAB + token)
        q = 1.0
        if HAS_DRAFT:
            q = tl.load(draft_ptr + i * VOCAB + token, mask=going, other=1.0)
        going = going & (uniform(seed, position + i, 1) * q < p)
        accepted += going.to(tl.int32)
        tl.store(tokens_ptr + i, tl.where(going, token, -1))
    tl.store(num_accepted_ptr + seq, accepted)

    rejected = accepted < num_drafts
    banned = tl.load(draft_tokens_ptr + seq * MAX_DRAFTS + accepted, mask=rejected, other=-1)
    target_ptr += accepted.to(tl.int64) * VOCAB
    draft_ptr += accepted.to(tl.int64) * VOCAB
    u = uniform(seed, position + accepted, 0)
    target = (u * 0.0).to(tl.float64)  # masses add up in fp64, as in sample.py
    drawn = accepted * 0 - 1
    for draw in tl.static_range(2):  # the first walk measures the mass, the second draws
        running = (u * 0.0).to(tl.float64)
        for start in range(0, VOCAB, BLOCK):
            token = start + tl.arange(0, BLOCK)
            weight = _residual(target_ptr, draft_ptr, token, banned, rejected, VOCAB, HAS_DRAFT)
            if draw == 1:
                beyond = (weight > 0) & (tl.cumsum(weight, axis=0) > (target - running).to(tl.float32))
                first = tl.min(tl.where(beyond, token, VOCAB), axis=0)
                drawn = tl.where((drawn < 0) & (first < VOCAB), first, drawn)
            running += tl.sum(weight, axis=0)
        target = running * u
    tl.store(tokens_ptr + accepted, tl.where(drawn < 0, banned, drawn.to(tl.int64)))


def verify_draft_triton(
    target_probs: Tensor,
    draft_probs: Tensor | None,
    draft_tokens: Tensor,
    num_drafts: Tensor,
    seeds: Tensor,
    positions: Tensor,
) -> tuple[Tensor, Tensor]:
    """Launch the kernel; return tokens [S, K + 1] and num_accepted [S]."""
    num_seqs, rows, vocab = target_probs.shape
    tokens = torch.full((num_seqs, rows), -1, dtype=torch.int64, device=target_probs.device)
    num_accepted = torch.empty(num_seqs, dtype=torch.int32, device=target_probs.device)
    if num_seqs > 0:
        verify_draft_kernel[(num_seqs,)](
            tokens, num_accepted, target_probs.contiguous(),
            target_probs if draft_probs is None else draft_probs.contiguous(),
            draft_tokens.contiguous(), num_drafts.contiguous(), seeds.contiguous(), positions.contiguous(),
            MAX_DRAFTS=rows - 1, VOCAB=vocab, BLOCK=min(TILE, next_power_of_2(vocab)),
            HAS_DRAFT=draft_probs is not None, num_warps=4,
        )  # fmt: skip
    return tokens, num_accepted


def verify_draft_torch(
    target_probs: Tensor,
    draft_probs: Tensor | None,
    draft_tokens: Tensor,
    num_drafts: Tensor,
    seeds: Tensor,
    positions: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return tokens [S, K + 1] and num_accepted [S]; the plain-torch twin that defines right."""
    step = torch.arange(draft_tokens.shape[1], device=draft_tokens.device)
    drafted = step < num_drafts[:, None]
    proposed = torch.where(drafted, draft_tokens, 0)
    p = target_probs[:, :-1].gather(-1, proposed[..., None]).squeeze(-1)
    q = torch.ones_like(p) if draft_probs is None else draft_probs.gather(-1, proposed[..., None]).squeeze(-1)
    u = uniform_torch(seeds[:, None], positions[:, None] + step, ACCEPT_STREAM)
    accepted = (drafted & (u * q < p)).cumprod(-1).bool()
    num_accepted = accepted.sum(-1)

    weights = _take(target_probs, num_accepted).double()
    rejected = num_accepted < num_drafts
    at = num_accepted.clamp(max=max(draft_tokens.shape[1] - 1, 0))
    if rejected.any():
        if draft_probs is None:
            subtracted = torch.zeros_like(weights).scatter_(-1, proposed.gather(-1, at[:, None]), 1.0)
        else:
            subtracted = _take(draft_probs, at).double()
        weights = torch.where(rejected[:, None], (weights - subtracted).clamp(min=0.0), weights)
    drawn = inverse_cdf(weights, uniform_torch(seeds, positions + num_accepted, DRAW_STREAM))
    tokens = torch.nn.functional.pad(torch.where(accepted, proposed, -1), (0, 1), value=-1)
    return tokens.scatter(-1, num_accepted[:, None], drawn[:, None]), num_accepted.int()


def _take(rows: Tensor, index: Tensor) -> Tensor:
    """rows[s, index[s]] for every s."""
    return rows[torch.arange(rows.shape[0], device=rows.device), index]
