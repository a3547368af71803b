"""A Llama decoder over a flat batch of tokens whose KV lives in blocks.

Root-mean-square norms, rotary positions, grouped-query attention, a SwiGLU feed-forward (arXiv 2302.13971, 2307.09288).
Weight names and config.json are Hugging Face's, so any Llama folder loads. Matrix products are torch's; everything
else is an operation of `ladder_kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import safetensors
import torch
from ladder_kernels.dispatch import Operations, rope_table
from torch import Tensor
from torch.nn.functional import embedding, linear

from ladder_engine.config import ModelConfig
from ladder_engine.errors import ModelError


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer. q, k, v are stacked into one matrix, and so are gate and up: fewer, larger products."""

    input_norm: Tensor  # [H]
    qkv: Tensor  # [(Hq + 2 Hkv) D, H]
    output: Tensor  # [H, Hq D]
    post_attention_norm: Tensor  # [H]
    gate_up: Tensor  # [2 I, H]
    down: Tensor  # [H, I]


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


class Llama:
    """Weights on one device, and the forward pass. `embedding` is [V, H], `head` [V, H] (the same when tied)."""

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
    def load(folder: Path, operations: Operations, device: torch.device, dtype: torch.dtype) -> Llama:
        """Read config.json and every *.safetensors of a folder. Raises ModelError naming the file and the tensor."""
        config = ModelConfig.load(folder)
        weights = _Weights(folder, device, dtype)
        hidden, inner = config.hidden_size, config.intermediate_size
        queries = config.num_attention_heads * config.head_dim
        keys = config.num_key_value_heads * config.head_dim

        def layer(index: int) -> Layer:
            at = f"model.layers.{index}."
            qkv = [
                (at + f"self_attn.{name}_proj.weight", rows)
                for name, rows in zip("qkv", (queries, keys, keys), strict=True)
            ]
            gate_up = [(at + f"mlp.{name}_proj.weight", inner) for name in ("gate", "up")]
            return Layer(
                input_norm=weights.take(at + "input_layernorm.weight", hidden),
                qkv=torch.cat([weights.take(name, rows, hidden) for name, rows in qkv]),
                output=weights.take(at + "self_attn.o_proj.weight", hidden, queries),
                post_attention_norm=weights.take(at + "post_attention_layernorm.weight", hidden),
                gate_up=torch.cat([weights.take(name, rows, hidden) for name, rows in gate_up]),
                down=weights.take(at + "mlp.down_proj.weight", hidden, inner),
            )

        table = weights.take("model.embed_tokens.weight", config.vocab_size, hidden)
        tied = config.tie_word_embeddings
        try:
            cos_sin = rope_table(
                config.head_dim, config.max_position_embeddings, config.rope_theta, config.rope_scaling
            ).to(device)
        except (KeyError, ValueError) as error:
            raise ModelError(f"{folder / 'config.json'}: rope_scaling cannot be used: {error}.") from None
        return Llama(
            config,
            operations,
            embedding_table=table,
            layers=[layer(index) for index in range(config.num_hidden_layers)],
            norm=weights.take("model.norm.weight", hidden),
            head=table if tied else weights.take("lm_head.weight", config.vocab_size, hidden),
            cos_sin=cos_sin,
        )

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
            x = linear(ops.silu_mul(linear(x, layer.gate_up)), layer.down)
        if not len(rows):
            return None
        x, _ = ops.rms_norm(x[rows], self.norm, eps, residual[rows])
        return linear(x, self.head).float()

    def _attention(self, layer: Layer, x: Tensor, place: Placement, keys: Tensor, values: Tensor) -> Tensor:
        config, ops = self.config, self.operations
        heads, kv_heads, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        stacked = linear(x, layer.qkv).view(-1, heads + 2 * kv_heads, size)
        query, key, value = torch.split(stacked, [heads, kv_heads, kv_heads], dim=1)
        query, key = ops.rope(place.positions, query, key, self.cos_sin)
        ops.store_kv(key, value, keys, values, place.slot_mapping)
        mixed = ops.paged_attention(
            query, keys, values, place.block_tables, place.cu_seqlens_q, place.context_lens, size**-0.5
        )
        return linear(mixed.reshape(-1, heads * size), layer.output)


class _Weights:
    """The tensors of a model folder, whichever of its files each one is in."""

    def __init__(self, folder: Path, device: torch.device, dtype: torch.dtype) -> None:
        self._device, self._dtype = device, dtype
        files = sorted(folder.glob("*.safetensors"))
        if not files:
            raise ModelError(f"{folder}: holds no *.safetensors file; copy the model's whole folder.")
        self._tensors: dict[str, tuple[Path, Tensor]] = {}
        for path in files:
            try:
                with safetensors.safe_open(path, framework="pt") as file:
                    self._tensors.update({name: (path, file.get_tensor(name)) for name in file.keys()})  # noqa: SIM118
            except (OSError, safetensors.SafetensorError) as error:
                raise ModelError(f"{path}: cannot be read ({error}); copy the file again.") from None
        self._folder = folder

    def take(self, name: str, *shape: int) -> Tensor:
        if name not in self._tensors:
            raise ModelError(f"{self._folder}: the weight {name} is missing; copy the model's whole folder.")
        path, tensor = self._tensors.pop(name)
        if tuple(tensor.shape) != shape:
            raise ModelError(
                f"{path}: {name} has the shape {tuple(tensor.shape)}, and config.json says {shape}; "
                "the two belong to different models."
            )
        return tensor.to(device=self._device, dtype=self._dtype)
