"""The parts of a decoder layer: weights, and how a feed-forward is computed from them.

Families differ in which of them are there: biases, norms over heads, a window, experts in place of one feed-forward.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from ladder_kernels.dispatch import Operations
from torch import Tensor

from ladder_engine.weights.checkpoint import Checkpoint
from ladder_engine.weights.model_config import FAMILIES, ExpertNames


@dataclass(frozen=True, slots=True)
class Linear:
    """y = x w^T + b. The weight is [out, in] as `pack_weight` leaves it, the bias [out] where there is one."""

    weight: Tensor
    bias: Tensor | None = None

    def __call__(self, x: Tensor, ops: Operations) -> Tensor:
        """Map x [T, in] to [T, out]."""
        return ops.linear(x, self.weight, self.bias)


@dataclass(frozen=True, slots=True)
class Dense:
    """A SwiGLU feed-forward; gate and up are stacked into one matrix [2 I, H]."""

    gate_up: Linear
    down: Linear

    def __call__(self, x: Tensor, ops: Operations) -> Tensor:
        """Map x [T, H] to [T, H]."""
        return self.down(ops.silu_mul(self.gate_up(x, ops)), ops)


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of E experts, each a SwiGLU feed-forward: router [E, H], gate_up [E, 2 I, H], down [E, H, I]."""

    router: Linear
    gate_up: Tensor
    down: Tensor
    per_token: int
    renormalise: bool

    def __call__(self, x: Tensor, ops: Operations) -> Tensor:
        """Map x [T, H] to [T, H]."""
        return ops.moe(x, self.router(x, ops), self.gate_up, self.down, self.per_token, self.renormalise)


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer. q, k, v are stacked into one matrix: fewer, larger products."""

    input_norm: Tensor  # [H]
    qkv: Linear  # [(Hq + 2 Hkv) D, H]
    query_norm: Tensor | None  # [D], over each head
    key_norm: Tensor | None  # [D]
    window: int | None
    output: Linear  # [H, Hq D]
    post_attention_norm: Tensor  # [H]
    feed_forward: Dense | Experts


class Loader:
    """Takes layers out of a checkpoint, by the names of Hugging Face's files, onto one device in one dtype."""

    def __init__(
        self, checkpoint: Checkpoint, operations: Operations, device: torch.device, dtype: torch.dtype
    ) -> None:
        self._checkpoint = checkpoint
        self._pack = operations.pack_weight
        self._config = checkpoint.config
        self._device, self._dtype = device, dtype

    def tensor(self, name: str, *shape: int) -> Tensor:
        """One tensor. Raises ModelError, see Checkpoint.take."""
        return self._checkpoint.take(name, shape, self._device).to(self._dtype)

    def layer(self, index: int) -> Layer:
        """Decoder layer `index`."""
        config, at = self._config, f"model.layers.{index}."
        hidden, size = config.hidden_size, config.head_dim
        queries, keys = config.num_attention_heads * size, config.num_key_value_heads * size
        attention = at + "self_attn."
        normed = FAMILIES[config.family].qk_norm
        rows = {attention + "q_proj": queries, attention + "k_proj": keys, attention + "v_proj": keys}
        return Layer(
            input_norm=self.tensor(at + "input_layernorm.weight", hidden),
            qkv=self._linear(rows, hidden, config.qkv_bias),
            query_norm=self.tensor(attention + "q_norm.weight", size) if normed else None,
            key_norm=self.tensor(attention + "k_norm.weight", size) if normed else None,
            window=config.sliding_windows[index],
            output=self._linear({attention + "o_proj": hidden}, queries, config.output_bias),
            post_attention_norm=self.tensor(at + "post_attention_layernorm.weight", hidden),
            feed_forward=self._feed_forward(index, at),
        )

    def _feed_forward(self, index: int, at: str) -> Dense | Experts:
        config = self._config
        hidden, inner = config.hidden_size, config.intermediate_size
        names = FAMILIES[config.family].experts
        if names and config.sparse_layers[index]:
            return self._experts(names, at + names.block)
        return Dense(
            gate_up=self._linear(
                {at + "mlp.gate_proj": inner, at + "mlp.up_proj": inner}, hidden, config.mlp_bias
            ),
            down=self._linear({at + "mlp.down_proj": hidden}, inner, config.mlp_bias),
        )

    def _experts(self, names: ExpertNames, block: str) -> Experts:
        config = self._config
        hidden, inner = config.hidden_size, config.moe_intermediate_size
        gate_up, down = [], []
        for expert in range(config.num_experts):
            at = f"{block}.experts.{expert}."
            gate_up.append(self._stacked({at + names.gate: inner, at + names.up: inner}, hidden))
            down.append(self.tensor(at + names.down + ".weight", hidden, inner))
        return Experts(
            router=Linear(self.tensor(f"{block}.gate.weight", config.num_experts, hidden)),
            gate_up=torch.stack(gate_up),
            down=torch.stack(down),
            per_token=config.num_experts_per_tok,
            renormalise=config.norm_topk_prob,
        )

    def _linear(self, rows: dict[str, int], inner: int, bias: bool) -> Linear:
        weight = self._pack(self._stacked(rows, inner))
        if not bias:
            return Linear(weight)
        return Linear(weight, torch.cat([self.tensor(f"{name}.bias", out) for name, out in rows.items()]))

    def _stacked(self, rows: dict[str, int], inner: int) -> Tensor:
        """The matrices of these names, one below the other; `rows` says how many rows each has."""
        return torch.cat([self.tensor(f"{name}.weight", out, inner) for name, out in rows.items()])
