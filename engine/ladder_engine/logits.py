"""What a request asks for between the model's logits and the sampling: bias, penalties, logprobs.

The order is vLLM's: logit_bias, then the repetition penalty on every token of prompt and answer (arXiv 1909.05858:
a positive logit is divided, a negative one multiplied), then frequency and presence penalties on the tokens of the
answer alone, as in OpenAI's interface: `logit -= frequency_penalty * count + presence_penalty`. All of it comes before
temperature and filters, and depends on the request's own tokens only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import torch
from torch import Tensor

from ladder_engine.sequence import Logprobs, Sequence


def adjust(logits: Tensor, seqs: list[Sequence]) -> None:
    """Change the rows [N, V], fp32, of those sequences that ask for it, in place."""

    def tensor(values: Collection[float], dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.tensor(list(values), dtype=dtype, device=logits.device)

    for row, seq in zip(logits, seqs, strict=True):
        wish = seq.sampling
        if wish.logit_bias:
            row[tensor(wish.logit_bias, torch.int64)] += tensor(wish.logit_bias.values())
        if wish.repetition_penalty != 1:
            known = tensor(set(seq.token_ids), torch.int64)
            found, factor = row[known], wish.repetition_penalty
            row[known] = torch.where(found > 0, found / factor, found * factor)
        if wish.frequency_penalty or wish.presence_penalty:
            counts = Counter(seq.answer)
            often = tensor(counts.values())
            row[tensor(counts, torch.int64)] -= wish.frequency_penalty * often + wish.presence_penalty


def logprobs(logits: Tensor, seqs: list[Sequence]) -> dict[int, Tensor]:
    """For each row of those sequences that ask for them, the log-probabilities [V] as the model has them."""
    asked = [index for index, seq in enumerate(seqs) if seq.sampling.logprobs is not None]
    return dict(zip(asked, logits[asked].log_softmax(-1), strict=True)) if asked else {}


def pick(row: Tensor, token_id: int, count: int) -> Logprobs:
    """(token, logprob) of the token that was said, then of the `count` likeliest ones."""
    best = row.topk(min(count, len(row)))
    said = (token_id, row[token_id].item())
    return (said, *zip(best.indices.tolist(), best.values.tolist(), strict=True))
