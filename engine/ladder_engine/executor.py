"""Runs the models for one batch. The scheduler decides, an executor computes; it never changes a sequence."""

from __future__ import annotations

from itertools import islice
from typing import Protocol

import torch

from ladder_engine.batch import Batch
from ladder_engine.config import EngineConfig
from ladder_engine.draft_model import DraftModel, verify
from ladder_engine.logits import adjust, logprobs, pick
from ladder_engine.model import Decoder
from ladder_engine.model_runner import ModelRunner
from ladder_engine.sequence import Output
from ladder_engine.tracing.kernel_log import KernelLog


class Executor(Protocol):
    """What the engine asks of whoever computes."""

    def execute(self, batch: Batch) -> list[list[Output]]:
        """Compute the batch; returns, for each work that samples, in the batch's order, what follows its newest token
        and each of its draft tokens, at least up to the first draft token that is wrong. It names the draft tokens
        that the scheduler has left open."""
        ...


class TorchExecutor:
    """Real weights on one device."""

    def __init__(
        self,
        model: Decoder,
        config: EngineConfig,
        draft_model: Decoder | None = None,
        kernels: KernelLog | None = None,
    ) -> None:
        log = kernels or KernelLog()
        self._model = ModelRunner(model, config, log, "model")
        self._draft_model = DraftModel(draft_model, config, log) if draft_model else None

    @torch.inference_mode()
    def execute(self, batch: Batch) -> list[list[Output]]:
        """See Executor."""
        self._model.move(batch.moves)
        draft_probs = self._draft_model.draft(batch) if self._draft_model else None
        samples = self._model.run(batch.works)
        if samples is None:
            return []
        works = [work for work in batch.works if work.samples]
        likely = logprobs(samples.logits, samples.seqs)
        adjust(samples.logits, samples.seqs)
        if draft_probs is None:
            tokens = iter(samples.draw(self._model.operations).tolist())
            said = [list(islice(tokens, work.num_samples)) for work in works]
        else:
            said = verify(works, samples, draft_probs, self._model.operations)
        outputs, row = [], 0
        for work, token_ids in zip(works, said, strict=True):
            outputs.append(
                [
                    Output(token_id, pick(likely[at], token_id, work.seq.sampling.logprobs or 0))
                    if (at := row + place) in likely
                    else Output(token_id)
                    for place, token_id in enumerate(token_ids)
                ]
            )
            row += work.num_samples
        return outputs
