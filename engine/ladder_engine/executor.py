"""Runs the model for one batch. The scheduler decides, an executor computes; it never changes a sequence."""

from __future__ import annotations

from itertools import islice
from typing import Protocol

import torch
from torch import Tensor

from ladder_engine.batch import Batch
from ladder_engine.config import EngineConfig
from ladder_engine.inputs import prepare
from ladder_engine.kv_moves import move_blocks
from ladder_engine.logits import adjust, logprobs, pick
from ladder_engine.model import Decoder, KVCache, Placement
from ladder_engine.sequence import Output


class Executor(Protocol):
    """What the engine asks of whoever computes."""

    def execute(self, batch: Batch) -> list[list[Output]]:
        """Compute the batch; returns, for each work that samples, in the batch's order, what follows its newest token
        and each of its draft tokens."""
        ...


class TorchExecutor:
    """Real weights on one device."""

    def __init__(self, model: Decoder, config: EngineConfig) -> None:
        self._model = model
        self._block_size = config.block_size
        self._cache = KVCache.empty(model.config, config.num_blocks, config.block_size, like=model.embedding)
        self._host = KVCache.empty(
            model.config, config.num_host_blocks, config.block_size, like=model.embedding.cpu()
        )

    @torch.inference_mode()
    def execute(self, batch: Batch) -> list[list[Output]]:
        """See Executor."""
        move_blocks(batch.moves, self._cache, self._host, self._model.operations)
        inputs = prepare(batch.works, self._block_size)
        place = Placement(
            positions=self._tensor(inputs.positions),
            slot_mapping=self._tensor(inputs.slot_mapping),
            block_tables=self._tensor(inputs.block_tables),
            cu_seqlens_q=self._tensor(inputs.cu_seqlens_q),
            context_lens=self._tensor(inputs.context_lens),
        )
        rows = self._tensor(inputs.sample_rows)
        logits = self._model.forward(self._tensor(inputs.token_ids), place, self._cache, rows)
        if logits is None:
            return []
        works = [work for work in batch.works if work.samples]
        seqs = [work.seq for work in works for _ in range(work.num_samples)]
        likely = logprobs(logits, seqs)
        adjust(logits, seqs)
        sampled = self._model.operations.sample(
            logits,
            self._tensor(inputs.temperature),
            self._tensor(inputs.top_k),
            self._tensor(inputs.top_p),
            self._tensor(inputs.min_p),
            self._tensor(inputs.seeds),
            self._tensor(inputs.sample_positions),
        )
        outputs = iter(
            Output(token_id, pick(likely[row], token_id, seqs[row].sampling.logprobs or 0))
            if row in likely
            else Output(token_id)
            for row, token_id in enumerate(sampled.tolist())
        )
        return [list(islice(outputs, work.num_samples)) for work in works]

    def _tensor(self, array: object) -> Tensor:
        return torch.from_numpy(array).to(self._model.embedding.device)
