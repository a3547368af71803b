"""The shape of a model: which decoder its files hold. Sizes only, no tensors, no torch.

The families are one decoder. `FAMILIES` holds what a `model_type` settles by itself; the rest stands in config.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ladder_engine.errors import ModelError


@dataclass(frozen=True, slots=True)
class ExpertNames:
    """Where a family keeps its mixture of experts: below `block` a router `gate`, and in `experts.{e}` three matrices."""

    block: str
    gate: str
    up: str
    down: str


@dataclass(frozen=True, slots=True)
class Family:
    """What a model_type settles.

    `qkv_bias` is whether q, k and v have biases and the output projection has none; None where attention_bias of
    config.json says it, for all four. `qk_norm` is a norm over each head of q and k, before the positions.
    """

    qkv_bias: bool | None = None
    qk_norm: bool = False
    experts: ExpertNames | None = None


FAMILIES = {
    "llama": Family(),
    "mistral": Family(qkv_bias=False),
    "qwen2": Family(qkv_bias=True),
    "qwen3": Family(qk_norm=True),
    "mixtral": Family(qkv_bias=False, experts=ExpertNames("block_sparse_moe", "w1", "w3", "w2")),
    "qwen3_moe": Family(qk_norm=True, experts=ExpertNames("mlp", "gate_proj", "up_proj", "down_proj")),
}


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A decoder in the names of Hugging Face's config.json.

    `rope_scaling` is that file's object of the same name (or its `rope_parameters`), {} when there is none.
    `sliding_windows` says for each layer how many of the newest tokens a token sees, None for all; `sparse_layers`
    which layers have experts in place of one feed-forward.
    """

    family: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    max_position_embeddings: int
    rms_norm_eps: float
    rope_theta: float
    rope_scaling: dict[str, Any]
    tie_word_embeddings: bool
    eos_token_ids: tuple[int, ...]
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    sliding_windows: tuple[int | None, ...] = ()
    sparse_layers: tuple[bool, ...] = ()
    num_experts: int = 0
    num_experts_per_tok: int = 0
    moe_intermediate_size: int = 0
    norm_topk_prob: bool = True

    @staticmethod
    def load(folder: Path) -> ModelConfig:
        """Read `config.json` (and the extra end tokens of `generation_config.json`).

        Both spellings are read: `rope_theta` and `rope_scaling` at the top, or folded into `rope_parameters` as
        transformers 5 writes them. Raises ModelError naming the file and the key.
        """
        path = folder / "config.json"
        generation = folder / "generation_config.json"
        return ModelConfig.read(
            path, read_object(path), read_object(generation) if generation.exists() else {}
        )

    @staticmethod
    def read(path: Path, config: Mapping[str, Any], generation: Mapping[str, Any]) -> ModelConfig:
        """The same from the objects themselves; `path` is where they stand, for the sentence of a ModelError."""
        try:
            return _from_hf(config, generation)
        except KeyError as missing:
            raise ModelError(
                f"{path}: the key {missing} is missing; copy the model's whole folder."
            ) from None
        except (TypeError, ValueError) as error:
            raise ModelError(f"{path}: {error}.") from None

    def kv_bytes_per_token(self, bytes_per_element: int) -> int:
        """Bytes of keys and values that one token leaves in the cache, over all layers."""
        return 2 * self.num_hidden_layers * self.num_key_value_heads * self.head_dim * bytes_per_element


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object of a file. Raises ModelError."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be read ({error.strerror}); name a model folder that holds it."
        ) from None
    except ValueError as error:
        raise ModelError(f"{path}: is not valid JSON ({error}); copy the file again.") from None
    if not isinstance(value, dict):
        raise ModelError(f"{path}: holds no JSON object; copy the file again.")
    return value


def _from_hf(config: Mapping[str, Any], generation: Mapping[str, Any]) -> ModelConfig:
    model_type = config["model_type"]
    family = FAMILIES.get(model_type)
    if family is None:
        raise ValueError(f"model_type is {model_type!r}, and this engine runs {', '.join(FAMILIES)}")
    for key, wanted in (("hidden_act", "silu"), ("quantization_config", None)):
        if config.get(key, wanted) != wanted:
            raise ValueError(f"{key} is {config[key]!r}, and this engine runs {wanted!r} only")
    rope = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    if (rope.get("partial_rotary_factor") or config.get("partial_rotary_factor") or 1) != 1:
        raise ValueError("partial_rotary_factor is set, and this engine rotates whole heads only")
    heads, layers = int(config["num_attention_heads"]), int(config["num_hidden_layers"])
    attention_bias = bool(config.get("attention_bias", False))
    shape = ModelConfig(
        family=model_type,
        vocab_size=int(config["vocab_size"]),
        hidden_size=int(config["hidden_size"]),
        intermediate_size=int(config["intermediate_size"]),
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=int(config.get("num_key_value_heads") or heads),
        head_dim=int(config.get("head_dim") or int(config["hidden_size"]) // heads),
        max_position_embeddings=int(config["max_position_embeddings"]),
        rms_norm_eps=float(config["rms_norm_eps"]),
        rope_theta=float(rope.get("rope_theta") or config.get("rope_theta") or 10_000.0),
        rope_scaling=rope,
        tie_word_embeddings=bool(config.get("tie_word_embeddings", False)),
        eos_token_ids=_union(config.get("eos_token_id"), generation.get("eos_token_id")),
        qkv_bias=attention_bias if family.qkv_bias is None else family.qkv_bias,
        output_bias=attention_bias and family.qkv_bias is None,
        mlp_bias=model_type == "llama" and bool(config.get("mlp_bias", False)),
        sliding_windows=tuple(_windows(config, layers)),
        **(_experts(config, layers) if family.experts else {}),
    )
    _check(shape)
    return shape


def _windows(config: Mapping[str, Any], layers: int) -> list[int | None]:
    """Qwen has a switch for its windows, and the first `max_window_layers` of a dense one do without; others have just
    the window."""
    window, kinds, family = config.get("sliding_window"), config.get("layer_types"), config["model_type"]
    if family == "llama" or not window or not config.get("use_sliding_window", not family.startswith("qwen")):
        return [None] * layers
    if kinds is None and family in ("qwen2", "qwen3"):
        full = int(config.get("max_window_layers", 28))
        kinds = ["full_attention"] * full + ["sliding_attention"] * (layers - full)
    if kinds is None:
        return [int(window)] * layers
    return [int(window) if kind == "sliding_attention" else None for kind in kinds[:layers]]


def _experts(config: Mapping[str, Any], layers: int) -> dict[str, Any]:
    """The keys of Mixtral, whose every layer has experts, or those of Qwen3-MoE."""
    dense = config.get("mlp_only_layers") or []
    every = int(config.get("decoder_sparse_step", 1))
    experts = int(config["num_local_experts" if "num_local_experts" in config else "num_experts"])
    per_token = int(config["num_experts_per_tok"])
    if not 1 <= per_token <= experts:
        raise ValueError(f"num_experts_per_tok is {per_token}, and there are {experts} experts")
    return {
        "num_experts": experts,
        "num_experts_per_tok": per_token,
        "moe_intermediate_size": int(config.get("moe_intermediate_size") or config["intermediate_size"]),
        "norm_topk_prob": bool(config.get("norm_topk_prob", config["model_type"] == "mixtral")),
        "sparse_layers": tuple(index not in dense and (index + 1) % every == 0 for index in range(layers)),
    }


def _check(shape: ModelConfig) -> None:
    if shape.num_attention_heads % shape.num_key_value_heads:
        raise ValueError(
            f"num_attention_heads is {shape.num_attention_heads}, "
            f"which {shape.num_key_value_heads} num_key_value_heads do not divide"
        )
    if shape.head_dim % 2:
        raise ValueError(f"head_dim is {shape.head_dim}, and rotary positions need an even one")


def _union(*eos: int | list[int] | None) -> tuple[int, ...]:
    found: set[int] = set()
    for value in eos:
        found.update(value if isinstance(value, list) else [] if value is None else [value])
    return tuple(sorted(found))
