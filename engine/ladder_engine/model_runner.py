"""A model and its KV cache: computes a batch, and hands on what sampling needs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from ladder_kernels.dispatch import Operations
from torch import Tensor

from ladder_engine.batch import Moves, Work
from ladder_engine.config import EngineConfig
from ladder_engine.inputs import prepare
from ladder_engine.kv_moves import move_blocks
from ladder_engine.model import Decoder, KVCache, Placement
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.kernel_log import KernelLog
from ladder_engine.tracing.kernel_trace import Role


@dataclass(frozen=True, slots=True)
class Samples:
    """N places after which a token is said: `logits` [N, V] fp32, and the rest as in inputs.py, [N] each.

    `seqs` names the sequence of each place.
    """

    seqs: list[Sequence]
    logits: Tensor
    temperature: Tensor
    top_k: Tensor
    top_p: Tensor
    min_p: Tensor
    seeds: Tensor
    positions: Tensor

    def draw(self, operations: Operations, stream: int = 0) -> Tensor:
        """A token for each place, int64 [N]."""
        return operations.sample(*self._filtered, self.seeds, self.positions, stream)

    def probs(self, operations: Operations) -> Tensor:
        """The distribution of each place after the filters, fp32 [N, V]."""
        return operations.filter_probs(*self._filtered)

    @property
    def _filtered(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        return self.logits, self.temperature, self.top_k, self.top_p, self.min_p


class ModelRunner:
    """One model over block tables that somebody else keeps."""

    def __init__(self, model: Decoder, config: EngineConfig, kernels: KernelLog, role: Role) -> None:
        self.operations = model.operations
        self._kernels, self._role = kernels, role
        self.device = model.embedding.device
        self._model = model
        self._block_size = config.block_size
        self._cache = KVCache.empty(model.config, config.num_blocks, config.block_size, like=model.embedding)
        self._host = KVCache.empty(
            model.config, config.num_host_blocks, config.block_size, like=model.embedding.cpu()
        )

    def move(self, moves: Moves) -> None:
        """Copy blocks before the works are computed."""
        self._kernels.serve(self._role, ())
        move_blocks(moves, self._cache, self._host, self.operations)

    def run(self, works: list[Work]) -> Samples | None:
        """Compute these works, one at least, writing their KV; None when nothing is to be sampled."""
        self._kernels.serve(self._role, (work.seq.seq_id for work in works))
        inputs = prepare(works, self._block_size)
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
            return None
        return Samples(
            seqs=[work.seq for work in works for _ in range(work.num_samples)],
            logits=logits,
            temperature=self._tensor(inputs.temperature),
            top_k=self._tensor(inputs.top_k),
            top_p=self._tensor(inputs.top_p),
            min_p=self._tensor(inputs.min_p),
            seeds=self._tensor(inputs.seeds),
            positions=self._tensor(inputs.sample_positions),
        )

    def _tensor(self, array: object) -> Tensor:
        return torch.from_numpy(array).to(self.device)
