"""A decoder over a flat batch of tokens whose KV lives in blocks.

Root-mean-square norms, rotary positions, grouped-query attention, a SwiGLU feed-forward or a mixture of them (arXiv
2302.13971, 2307.09288, 2401.04088). Llama, Mistral, Qwen2, Qwen3, Mixtral and Qwen3-MoE are all this one; what
differs is data (model_config.py, layers.py). What is computed is an operation of `ladder_kernels`; embedding is torch's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from ladder_kernels.dispatch import Operations, rope_table
from torch import Tensor
from torch.nn.functional import embedding

from ladder_engine.errors import ModelError
from ladder_engine.layers import Layer, Loader
from ladder_engine.weights.checkpoint import Checkpoint
from ladder_engine.weights.model_config import ModelConfig


@dataclass(frozen=True, slots=True)
class KVCache:
    """All KV of an engine: [L, num_blocks, block_size, Hkv, D] for the keys, and the same for the values."""

    key: Tensor
    value: Tensor

    @staticmethod
    def empty(config: ModelConfig, num_blocks: int, block_size: int, like: Tensor) -> KVCache:
        """Room for `num_blocks` blocks on the device and in the dtype of `like`. Its contents are garbage."""
        shape = (
            config.num_hidden_layers,
            num_blocks,
            block_size,
            config.num_key_value_heads,
            config.head_dim,
        )
        return KVCache(like.new_empty(shape), like.new_empty(shape))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the tokens of a step stand and where their KV goes; shapes as in inputs.py."""

    positions: Tensor
    slot_mapping: Tensor
    block_tables: Tensor
    cu_seqlens_q: Tensor
    context_lens: Tensor


class Decoder:
    """Weights on one device, and the forward pass. `embedding` is [V, H], `head` [V, H] (the same
    values when tied), packed."""

    def __init__(
        self,
        config: ModelConfig,
        operations: Operations,
        embedding_table: Tensor,
        layers: list[Layer],
        norm: Tensor,
        head: Tensor,
        cos_sin: Tensor,
    ) -> None:
        self.config = config
        self.operations = operations
        self.embedding = embedding_table
        self.layers = layers
        self.norm = norm
        self.head = head
        self.cos_sin = cos_sin

    @staticmethod
    def load(folder: Path, operations: Operations, device: torch.device, dtype: torch.dtype) -> Decoder:
        """Read a model's files. Raises ModelError naming the file and what is wrong or missing."""
        return Decoder.of(Checkpoint.open(folder), operations, device, dtype)

    @staticmethod
    def of(
        checkpoint: Checkpoint, operations: Operations, device: torch.device, dtype: torch.dtype
    ) -> Decoder:
        """The same from an open checkpoint. On the meta device the weights are only checked, not read."""
        config, loader = checkpoint.config, Loader(checkpoint, operations, device, dtype)
        try:
            cos_sin = rope_table(
                config.head_dim, config.max_position_embeddings, config.rope_theta, config.rope_scaling
            ).to(device)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{checkpoint.config_path}: rope_scaling cannot be used: {error}.") from None
        table = loader.tensor("model.embed_tokens.weight", config.vocab_size, config.hidden_size)
        tied = config.tie_word_embeddings
        head = table if tied else loader.tensor("lm_head.weight", config.vocab_size, config.hidden_size)
        decoder = Decoder(
            config,
            operations,
            embedding_table=table,
            layers=[loader.layer(index) for index in range(config.num_hidden_layers)],
            norm=loader.tensor("model.norm.weight", config.hidden_size),
            head=operations.pack_weight(head),
            cos_sin=cos_sin,
        )
        checkpoint.check_used()
        return decoder

    def forward(self, token_ids: Tensor, place: Placement, cache: KVCache, rows: Tensor) -> Tensor | None:
        """Compute T tokens, writing their KV; returns the logits [N, V], fp32, that follow the tokens in `rows`.

        token_ids int64 [T]; rows int64 [N], indices into the T tokens. None when no row is asked for.
        """
        ops, eps = self.operations, self.config.rms_norm_eps
        residual = embedding(token_ids, self.embedding)
        x = cast(Tensor, ops.rms_norm(residual, self.layers[0].input_norm, eps))
        for index, layer in enumerate(self.layers):
            if index:
                x, residual = ops.rms_norm(x, layer.input_norm, eps, residual)
            x = self._attention(layer, x, place, cache.key[index], cache.value[index])
            x, residual = ops.rms_norm(x, layer.post_attention_norm, eps, residual)
            x = layer.feed_forward(x, ops)
        if not len(rows):
            return None
        x, _ = ops.rms_norm(x[rows], self.norm, eps, residual[rows])
        return ops.linear(x, self.head).float()

    def _attention(self, layer: Layer, x: Tensor, place: Placement, keys: Tensor, values: Tensor) -> Tensor:
        config, ops = self.config, self.operations
        heads, kv_heads, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        stacked = layer.qkv(x, ops).view(-1, heads + 2 * kv_heads, size)
        query, key, value = torch.split(stacked, [heads, kv_heads, kv_heads], dim=1)
        if layer.query_norm is not None and layer.key_norm is not None:
            query, key = self._norm_heads(query, layer.query_norm), self._norm_heads(key, layer.key_norm)
        query, key = ops.rope(place.positions, query, key, self.cos_sin)
        ops.store_kv(key, value, keys, values, place.slot_mapping)
        mixed = ops.paged_attention(
            query, keys, values, place.block_tables, place.cu_seqlens_q, place.context_lens, size**-0.5,
            layer.window,
        )  # fmt: skip
        return layer.output(mixed.reshape(-1, heads * size), ops)

    def _norm_heads(self, heads: Tensor, weight: Tensor) -> Tensor:
        """A norm over the elements of each head."""
        rows = heads.reshape(-1, heads.shape[-1])
        return cast(Tensor, self.operations.rms_norm(rows, weight, self.config.rms_norm_eps)).view(
            heads.shape
        )
