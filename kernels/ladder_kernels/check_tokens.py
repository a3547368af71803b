"""Checks of the operations that choose tokens: sample, filter_probs and verify_draft."""

from collections.abc import Iterator

import torch
from torch import Tensor

from ladder_kernels import filter_probs, sample, verify_draft
from ladder_kernels.inputs import relative_error
from ladder_kernels.logit_filters import filtered_weights
from ladder_kernels.philox import uniform_torch
from ladder_kernels.setting import Outcome, Setting, mismatch

# temperature, top-k, top-p, min-p, how many rows
_FILTERS = (
    (0.0, 0, 1.0, 0.0, 1),
    (1.0, 0, 1.0, 0.0, 4),
    (1.0, 0, 1.0, 0.3, 8),
    (0.7, 5, 1.0, 0.0, 2),
    (1.3, 0, 0.6, 0.0, 3),
    (1e-3, 999, 0.0, 0.0, 1),
    (2.0, 6, 0.7, 0.05, 2),
)


def _filtered(setting: Setting) -> Iterator[tuple[int, tuple[Tensor, Tensor, Tensor, Tensor, Tensor]]]:
    """For each vocabulary, logits with ties in every second row, then temperature, top-k, top-p and min-p."""
    temperature, top_k, top_p, min_p = (
        torch.tensor([row[i] for row in _FILTERS for _ in range(row[4])], device=setting.device)
        for i in range(4)
    )
    for vocab in (7, 300, 5000, *([32000, 128256] if setting.large else [])):
        logits = setting.randn(len(top_k), vocab)
        logits[::2] = logits[::2].round()
        yield vocab, (logits, temperature, top_k.int(), top_p, min_p)


def check_filter_probs(setting: Setting, _dtype: torch.dtype) -> Iterator[Outcome]:
    """The twin's tokens are kept, with the twin's probabilities."""
    for vocab, arguments in _filtered(setting):
        probs = setting.call(filter_probs, "filter_probs", *arguments)
        reference = filter_probs.filter_probs_torch(*arguments)
        yield Outcome(f"vocabulary {vocab}", relative_error(probs, reference), 1e-5)
        if vocab < 1000:  # beyond, rounding may move the end of top-p by a token that weighs next to nothing
            yield Outcome(f"vocabulary {vocab}, kept", mismatch(probs > 0, reference > 0), 0.0)


def check_sample(setting: Setting, _dtype: torch.dtype) -> Iterator[Outcome]:
    """Token for token the twin's: greedy, each filter alone, all together, with ties."""
    for vocab, filters in _filtered(setting):
        rows = len(filters[0])
        seeds, positions = setting.integers(-(2**62), 2**62, rows), setting.integers(0, 2**40, rows)
        arguments = (*filters, seeds, positions)
        tokens = setting.call(sample, "sample", *arguments)
        if vocab < 1000:
            yield Outcome(f"vocabulary {vocab}", mismatch(tokens, sample.sample_torch(*arguments)), 0.0)
        else:  # a token may weigh so little that fp32 moves a draw to its neighbour
            yield Outcome(f"vocabulary {vocab}, in mass", _distance_in_mass(tokens, *arguments), 1e-6)


def _distance_in_mass(
    tokens: Tensor,
    logits: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    min_p: Tensor,
    seeds: Tensor,
    positions: Tensor,
) -> float:
    """How far the uniforms lie from the intervals of the drawn tokens, as a share of the mass; NaN for a token that is out."""
    greedy = temperature <= 0
    if (tokens != logits.max(dim=-1).indices)[greedy].any():
        return float("nan")
    weights = filtered_weights(logits, temperature.clamp(min=1e-6), top_k, top_p, min_p)[~greedy]
    running = weights.cumsum(-1) / weights.sum(-1, keepdim=True)
    upper, weight = (x.gather(-1, tokens[~greedy][:, None])[:, 0] for x in (running, weights))
    lower = upper - weight / weights.sum(-1)
    u = uniform_torch(seeds, positions)[~greedy].double()
    return float(
        torch.maximum(lower - u, u - upper).clamp(min=0).masked_fill(weight == 0, float("nan")).max()
    )


def check_verify_draft(setting: Setting, _dtype: torch.dtype) -> Iterator[Outcome]:
    """Token for token the twin's: drafts of every length, with and without draft probabilities."""
    for vocab, drafts in ((50, 3), (7, 1), *([(32000, 5)] if setting.large else [])):
        target = setting.randn(8, drafts + 1, vocab).softmax(-1)
        draft = setting.randn(8, drafts, vocab).softmax(-1)
        tokens = draft.argmax(-1)
        counts = (torch.arange(8, device=setting.device) % (drafts + 1)).int()
        draft[0] = float("nan")  # nobody may read what was not drafted
        rest = (tokens, counts, setting.integers(-(2**62), 2**62, 8), setting.integers(0, 2**40, 8))
        for name, probs in (("with probabilities", draft), ("named tokens", None)):
            out = setting.call(verify_draft, "verify_draft", target, probs, *rest)
            expected = verify_draft.verify_draft_torch(target, probs, *rest)
            error = sum(mismatch(a, b) for a, b in zip(out, expected, strict=True))
            yield Outcome(f"{drafts} drafts {name}", error, 0.0)
