"""What an engine and a model are made of: sizes only, no tensors, no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ladder_engine.errors import EngineError, ModelError

Positive = Annotated[int, msgspec.Meta(ge=1)]


class EngineConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pool and the limits of one engine.

    `num_blocks` blocks of `block_size` tokens hold all KV. A step computes at most `max_num_batched_tokens` tokens of
    at most `max_num_seqs` sequences; a sequence (prompt and answer) has at most `max_model_len` tokens.
    `admission` says who enters first (admission.py); who arrives while `max_num_waiting` wait is refused.
    `num_speculative_tokens` is the length of the drafts (ngram.py), 0 for none; nobody drafts while more than
    `max_num_speculating` run, because then the step has no arithmetic to spare.
    `prefix_caching` keeps the KV of full blocks after their owners have gone, and shares it with whoever has the same
    prefix.

    Two fields are there for comparison with how it used to be done. `batching="static"` lets nobody in until everybody
    in the batch is done. `kv_layout="slab"` reserves room for max_model_len tokens, in one piece, for every sequence.
    """

    num_blocks: Positive
    max_num_seqs: Positive
    max_num_batched_tokens: Positive
    max_model_len: Positive
    block_size: Positive = 16
    admission: Literal["fcfs", "priority", "fair"] = "fcfs"
    max_num_waiting: Positive | None = None
    num_speculative_tokens: Annotated[int, msgspec.Meta(ge=0, le=32)] = 0
    max_num_speculating: Positive | None = None
    prefix_caching: bool = False
    batching: Literal["continuous", "static"] = "continuous"
    kv_layout: Literal["paged", "slab"] = "paged"

    def __post_init__(self) -> None:
        slab = self.blocks_for(self.max_model_len)
        if self.kv_layout == "slab" and self.num_blocks % slab:
            raise ValueError(
                f"kv_layout slab takes {slab} blocks for each sequence of max_model_len {self.max_model_len}, "
                f"and num_blocks {self.num_blocks} is no multiple of that"
            )
        if self.kv_layout == "slab" and self.prefix_caching:
            raise ValueError("kv_layout slab holds each sequence in one piece, so prefix_caching must be off")

    def blocks_for(self, num_tokens: int) -> int:
        """Blocks that hold the KV of `num_tokens` tokens."""
        return -(-num_tokens // self.block_size)

    def why_never(self, num_prompt_tokens: int, max_tokens: int) -> str | None:
        """Why a request can never run here, as the rest of a sentence that starts with its name; None if it can.

        The KV of the last token of an answer is never needed: nothing is computed after it.
        """
        if num_prompt_tokens < 1:
            return "has an empty prompt, and the first token needs something to follow"
        asked = f"{num_prompt_tokens} prompt tokens and up to {max_tokens} more"
        if num_prompt_tokens + max_tokens > self.max_model_len:
            return f"needs {asked}, and max_model_len is {self.max_model_len}"
        needed = self.blocks_for(num_prompt_tokens + max_tokens - 1)
        if needed > self.num_blocks:
            return (
                f"needs {needed} blocks of {self.block_size} tokens ({asked}), "
                f"and the whole pool has {self.num_blocks}"
            )
        return None


CHANGEABLE = (
    "max_num_seqs",
    "max_num_batched_tokens",
    "admission",
    "max_num_waiting",
    "num_speculative_tokens",
    "max_num_speculating",
    "prefix_caching",
    "batching",
)
"""Settings that can change while the engine runs: those the scheduler reads in each step, not those the pool is built from."""


def reconfigured(config: EngineConfig, changes: Mapping[str, object], num_running: int) -> EngineConfig:
    """The settings with these changes. Raises EngineError, one sentence, when they cannot be."""
    if fixed := changes.keys() - set(CHANGEABLE):
        raise EngineError(f"{min(fixed)} is fixed while the engine runs; these can change: {', '.join(CHANGEABLE)}.")
    try:
        changed = msgspec.convert({**msgspec.to_builtins(config), **changes}, EngineConfig)
    except msgspec.ValidationError as error:
        what, _, place = str(error).replace("`", "").partition(" - at $.")
        raise EngineError(f"The engine stays as it was: {place or 'settings'}: {what}.") from None
    if changed.max_num_batched_tokens < num_running:
        raise EngineError(
            f"The engine stays as it was: {num_running} requests run, and each needs one token of max_num_batched_tokens."
        )
    return changed


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a Llama decoder, in the names of Hugging Face's config.json.

    `rope_scaling` is that file's object of the same name (or its `rope_parameters`), {} when there is none.
    """

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

    @staticmethod
    def load(folder: Path) -> ModelConfig:
        """Read `config.json` (and the extra end tokens of `generation_config.json`).

        Both spellings are read: `rope_theta` and `rope_scaling` at the top, or folded into `rope_parameters` as
        transformers 5 writes them. Raises ModelError naming the file and the key.
        """
        path = folder / "config.json"
        config = _read_object(path)
        generation = folder / "generation_config.json"
        try:
            return _from_hf(config, _read_object(generation) if generation.exists() else {})
        except KeyError as missing:
            raise ModelError(
                f"{path}: the key {missing} is missing; copy the model's whole folder."
            ) from None
        except (TypeError, ValueError) as error:
            raise ModelError(f"{path}: {error}.") from None

    def kv_bytes_per_token(self, bytes_per_element: int) -> int:
        """Bytes of keys and values that one token leaves in the cache, over all layers."""
        return 2 * self.num_hidden_layers * self.num_key_value_heads * self.head_dim * bytes_per_element


def _read_object(path: Path) -> dict[str, Any]:
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
    if config["model_type"] != "llama":
        raise ValueError(f"model_type is {config['model_type']!r}, and this engine runs 'llama' only")
    for key, wanted in (
        ("attention_bias", False),
        ("mlp_bias", False),
        ("hidden_act", "silu"),
        ("quantization_config", None),
    ):
        if config.get(key, wanted) != wanted:
            raise ValueError(f"{key} is {config[key]!r}, and this engine runs {wanted!r} only")
    rope = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    heads = int(config["num_attention_heads"])
    shape = ModelConfig(
        vocab_size=int(config["vocab_size"]),
        hidden_size=int(config["hidden_size"]),
        intermediate_size=int(config["intermediate_size"]),
        num_hidden_layers=int(config["num_hidden_layers"]),
        num_attention_heads=heads,
        num_key_value_heads=int(config.get("num_key_value_heads") or heads),
        head_dim=int(config.get("head_dim") or int(config["hidden_size"]) // heads),
        max_position_embeddings=int(config["max_position_embeddings"]),
        rms_norm_eps=float(config["rms_norm_eps"]),
        rope_theta=float(rope.get("rope_theta") or config.get("rope_theta") or 10_000.0),
        rope_scaling=rope,
        tie_word_embeddings=bool(config.get("tie_word_embeddings", False)),
        eos_token_ids=_union(config.get("eos_token_id"), generation.get("eos_token_id")),
    )
    if shape.num_attention_heads % shape.num_key_value_heads:
        raise ValueError(
            f"num_attention_heads is {heads}, which {shape.num_key_value_heads} num_key_value_heads do not divide"
        )
    return shape


def _union(*eos: int | list[int] | None) -> tuple[int, ...]:
    found: set[int] = set()
    for value in eos:
        found.update(value if isinstance(value, list) else [] if value is None else [value])
    return tuple(sorted(found))
