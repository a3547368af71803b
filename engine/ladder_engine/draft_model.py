"""A small model that guesses what the large one will say, and the verification of its guesses.

It has a KV cache of its own over the same block tables: the slot that holds a token's KV of the large model holds its KV
of the small one in the other cache. How far that stands is the scheduler's to know (drafting.py).

A draft is drawn from the small model's distribution q under the request's own temperature and filters. The large model
computes the whole draft in one step, which gives its distribution p at each place, and `verify_draft` accepts a token
with probability min(1, p / q) and draws the first rejected one anew from max(p - q, 0). So what is said follows p,
whatever q is (Leviathan et al. 2023); for a greedy request it is the very token. The random numbers belong to (seed,
position), so neighbours do not matter; but which words a seed gives depends on where there were drafts.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import torch
from ladder_kernels.dispatch import DRAFT_STREAM, Operations
from torch import Tensor

from ladder_engine.batch import Batch, Moves, Work
from ladder_engine.config import EngineConfig
from ladder_engine.logits import adjust
from ladder_engine.model import Decoder
from ladder_engine.model_runner import ModelRunner, Samples
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.kernel_log import KernelLog


class DraftModel:
    """Names the draft tokens of a batch."""

    def __init__(self, model: Decoder, config: EngineConfig, kernels: KernelLog) -> None:
        self._runner = ModelRunner(model, config, kernels, "draft")

    def draft(self, batch: Batch) -> Tensor | None:
        """Catch up, and replace every TO_BE_DRAFTED of the batch by a token.

        Returns the distributions they were drawn from: fp32 [S, K, V] for the S works that have a draft, the longest of
        K tokens; what was not drafted is 0. None when nobody drafts.
        """
        if batch.moves.copies:  # what was swapped is computed again instead
            self._runner.move(Moves(copies=batch.moves.copies))
        behind = [work for work in batch.works if work.num_catch_up_tokens]
        if not behind:
            return None
        ahead = [_imagine(work.seq) for work in behind]
        samples = self._runner.run(
            [Work.next(seq, work.num_catch_up_tokens) for seq, work in zip(ahead, behind, strict=True)]
        )
        drafts = {id(seq): work for seq, work in zip(ahead, behind, strict=True) if work.draft_tokens}
        if samples is None or not drafts:
            return None
        rows = {id(work): row for row, work in enumerate(drafts.values())}
        longest = max(len(work.draft_tokens) for work in drafts.values())
        probs = samples.logits.new_zeros(len(rows), longest, samples.logits.shape[1])
        for place in range(longest):
            adjust(samples.logits, samples.seqs)
            drawn = samples.draw(self._runner.operations, DRAFT_STREAM).tolist()
            named = [
                row for row, seq in enumerate(samples.seqs) if id(seq) in drafts
            ]  # the others only catch up
            works = [drafts[id(samples.seqs[row])] for row in named]
            probs[[rows[id(work)] for work in works], place] = samples.probs(self._runner.operations)[named]
            going = []
            for row, work in zip(named, works, strict=True):
                work.draft_tokens = [*work.draft_tokens[:place], drawn[row], *work.draft_tokens[place + 1 :]]
                if place + 1 < len(work.draft_tokens):
                    seq = samples.seqs[row]
                    seq.token_ids.append(drawn[row])
                    seq.num_computed_tokens = seq.num_tokens - 1
                    going.append(Work.next(seq, 1))
            if going:
                samples = self._runner.run(going)
                assert samples is not None  # each of them reaches its newest token
        return probs


def _imagine(seq: Sequence) -> Sequence:
    """The sequence as the draft model sees it: a copy that grows by its guesses."""
    return replace(seq, token_ids=list(seq.token_ids), num_computed_tokens=seq.num_draft_computed_tokens)


def verify(
    works: list[Work], samples: Samples, draft_probs: Tensor, operations: Operations
) -> list[list[int]]:
    """What each of these works says: the draft tokens that are accepted, and one more.

    `samples` has the places of all works in order, after the newest token of each and after each of its draft tokens;
    `draft_probs` is of those that have a draft. The others just draw.
    """
    drawn = samples.draw(operations).tolist()
    ends = [*accumulate(work.num_samples for work in works)]
    firsts = [end - work.num_samples for work, end in zip(works, ends, strict=True)]
    said: list[list[int]] = [drawn[first:end] for first, end in zip(firsts, ends, strict=True)]
    drafting = [index for index, work in enumerate(works) if work.draft_tokens]
    device, longest = draft_probs.device, draft_probs.shape[1]
    counts = torch.tensor([len(works[index].draft_tokens) for index in drafting], device=device)
    first = torch.tensor([firsts[index] for index in drafting], device=device)
    places = first[:, None] + torch.minimum(torch.arange(longest + 1, device=device), counts[:, None])
    drafts = [[*works[index].draft_tokens, *[0] * longest][:longest] for index in drafting]
    tokens, _ = operations.verify_draft(
        samples.probs(operations)[places],
        draft_probs,
        torch.tensor(drafts, device=device),
        counts.int(),
        samples.seeds[first],
        samples.positions[first],
    )
    for index, row in zip(drafting, tokens.tolist(), strict=True):
        said[index] = [token_id for token_id in row if token_id >= 0]
    return said
