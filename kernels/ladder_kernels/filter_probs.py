"""filter_probs: the distribution that sample draws from, as numbers. Verification compares two of them.

    p_i = w_i / sum w over the kept tokens, 0 for the others        (logit_filters.py)

logits                      [S, V] fp32
temperature, top_p, min_p   [S] fp32      temperature 0 = greedy: 1 at the first of the largest
top_k                       [S] int32     0 = off
returns                     [S, V] fp32

Grid: one program a sequence, which walks its row in tiles.

    row s   ├── tile 0 ──┼── tile 1 ──┼── tile 2 ──┤
    walks   1 largest │ the cut of the filters │ 1 mass of the kept │ 1 store

Floor: 8 * S * V bytes; a row stays in L2 while it is walked.
"""

# ruff: noqa: N803
# mypy: allow-untyped-defs, allow-incomplete-defs

import torch
from torch import Tensor

from ladder_kernels.lang import jit, next_power_of_2, tl
from ladder_kernels.logit_filters import TILE, filtered_weights, find_cut, find_largest, kept_weights


@jit
def filter_probs_kernel(
    out_ptr, logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, logits_stride,
    VOCAB: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Filter and normalise one row."""
    row = tl.program_id(0)
    row_ptr = logits_ptr + row.to(tl.int64) * logits_stride
    out_ptr += row.to(tl.int64) * VOCAB
    greedy, largest, largest_key = find_largest(row_ptr, VOCAB, BLOCK)
    temperature = tl.load(temperature_ptr + row)
    if temperature <= 0:
        for start in range(0, VOCAB, BLOCK):
            token = start + tl.arange(0, BLOCK)
            tl.store(out_ptr + token, tl.where(token == greedy, 1.0, 0.0), mask=token < VOCAB)
        return
    top_k, top_p, min_p = tl.load(top_k_ptr + row), tl.load(top_p_ptr + row), tl.load(min_p_ptr + row)
    floor, ties = find_cut(row_ptr, largest, largest_key, temperature, top_k, top_p, VOCAB, BLOCK)
    mass = (largest * 0).to(tl.float64)
    for store in tl.static_range(2):  # the first walk measures the mass of the kept, the second stores
        ties_seen = ties * 0
        for start in range(0, VOCAB, BLOCK):
            weight, ties_seen = kept_weights(
                row_ptr, start, ties_seen, floor, ties, largest, temperature, min_p, VOCAB, BLOCK
            )
            if store == 1:
                token = start + tl.arange(0, BLOCK)
                tl.store(out_ptr + token, (weight / mass).to(tl.float32), mask=token < VOCAB)
            else:
                mass += tl.sum(weight, axis=0)


def filter_probs_triton(
    logits: Tensor, temperature: Tensor, top_k: Tensor, top_p: Tensor, min_p: Tensor
) -> Tensor:
    """Launch the kernel; return the probabilities [S, V]."""
    rows, vocab = logits.shape
    out = torch.empty((rows, vocab), dtype=torch.float32, device=logits.device)
    if rows > 0:
        logits = logits if logits.stride(1) == 1 else logits.contiguous()
        filter_probs_kernel[(rows,)](
            out, logits, *(x.contiguous() for x in (temperature, top_k, top_p, min_p)), logits.stride(0),
            VOCAB=vocab, BLOCK=min(TILE, next_power_of_2(vocab)), num_warps=8,
        )  # fmt: skip
    return out


def filter_probs_torch(
    logits: Tensor, temperature: Tensor, top_k: Tensor, top_p: Tensor, min_p: Tensor
) -> Tensor:
    """Return the probabilities [S, V]; the plain-torch twin that defines right."""
    greedy = temperature <= 0
    weights = filtered_weights(logits, torch.where(greedy, 1.0, temperature), top_k, top_p, min_p)
    probs = (weights / weights.sum(-1, keepdim=True)).float()
    likeliest = torch.zeros_like(probs).scatter_(-1, logits.max(dim=-1, keepdim=True).indices, 1.0)
    return torch.where(greedy[:, None], likeliest, probs)
