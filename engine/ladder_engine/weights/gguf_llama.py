"""What a GGUF file of the Llama family means: its config and its tensors, in Hugging Face's names and order of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ladder_engine.errors import ModelError
from ladder_engine.weights.gguf_file import GgufFile
from ladder_engine.weights.model_config import ModelConfig

_ENDS = ("tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id")
_TOP = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def gguf_in(folder: Path) -> Path | None:
    """The GGUF file that a model is kept in: the path itself, or the only one in its folder; None if there is none."""
    if folder.suffix == ".gguf":
        return folder
    files = sorted(folder.glob("*.gguf")) if not (folder / "config.json").exists() else []
    if len(files) > 1:
        raise ModelError(f"{folder}: holds {len(files)} GGUF files; name one of them.")
    return files[0] if files else None


def read_config(file: GgufFile) -> ModelConfig:
    """The shape of the model. Raises ModelError for what is not of the Llama family, or needs what is not here."""
    architecture = file.metadata.get("general.architecture")
    if architecture != "llama":
        raise ModelError(
            f"{file.path}: holds a model of the architecture {architecture!r}, and of GGUF files this engine reads "
            "'llama' only; take the model's Hugging Face folder."
        )
    shape = {
        key.removeprefix("llama."): value for key, value in file.metadata.items() if key.startswith("llama.")
    }
    heads = shape.get("attention.head_count")
    if not isinstance(heads, int) or heads < 1:
        raise ModelError(f"{file.path}: llama.attention.head_count is {heads!r}, and one number is needed.")
    size = shape.get("attention.key_length") or shape.get("embedding_length", 0) // heads
    for key, wanted in (
        ("expert_count", 0),
        ("rope.dimension_count", size),
        ("attention.value_length", size),
    ):
        if shape.get(key, wanted) != wanted:
            raise ModelError(f"{file.path}: llama.{key} is {shape[key]}, and this engine runs {wanted} only.")
    config = {
        "model_type": "llama",
        "vocab_size": shape.get("vocab_size") or len(file.metadata.get("tokenizer.ggml.tokens", [])),
        "num_attention_heads": heads,
        "num_key_value_heads": shape.get("attention.head_count_kv"),
        "head_dim": size,
        "rope_parameters": {"rope_theta": shape.get("rope.freq_base", 10000.0), **_scaling(file, shape)},
        "tie_word_embeddings": "output.weight" not in file.tensors,
        "attention_bias": "blk.0.attn_q.bias" in file.tensors,
        "eos_token_id": [file.metadata[key] for key in _ENDS if key in file.metadata],
    }
    for ours, theirs in (
        ("hidden_size", "embedding_length"),
        ("intermediate_size", "feed_forward_length"),
        ("num_hidden_layers", "block_count"),
        ("max_position_embeddings", "context_length"),
        ("rms_norm_eps", "attention.layer_norm_rms_epsilon"),
    ):
        if theirs not in shape:
            raise ModelError(f"{file.path}: the key llama.{theirs} is missing; copy the file again.")
        config[ours] = shape[theirs]
    return ModelConfig.read(file.path, config, {})


def tensor_names(file: GgufFile) -> dict[str, str]:
    """Each tensor's name in a Hugging Face folder, and its name here. Raises ModelError if one cannot be read."""
    names = {}
    for name in file.tensors:
        if name == "rope_freqs.weight":  # in the config already
            continue
        file.check(name)
        names[_hugging_face(name)] = name
    return names


def read_tensor(file: GgufFile, config: ModelConfig, name: str) -> NDArray[np.float32]:
    """The values of a tensor, by its name here. Raises ModelError."""
    values = file.read(name)
    if ".attn_q." in name:
        return _unpermuted(values, config.num_attention_heads)
    if ".attn_k." in name:
        return _unpermuted(values, config.num_key_value_heads)
    return values


def _unpermuted(values: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """llama.cpp rotates neighbours, so in its files the two halves of each head's rows are interleaved."""
    pairs = values.reshape(heads, -1, 2, *values.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(values.shape)


def _hugging_face(name: str) -> str:
    part, _, rest = name.removeprefix("blk.").partition(".")
    if not name.startswith("blk."):
        return _TOP.get(name, name)
    stem, _, kind = rest.rpartition(".")
    return f"model.layers.{part}.{_IN_LAYER.get(stem, stem)}.{kind}"


def _scaling(file: GgufFile, shape: dict[str, Any]) -> dict[str, Any]:
    """Llama 3's rule stands in the file as a factor for each frequency."""
    if "rope_freqs.weight" in file.tensors:
        file.check("rope_freqs.weight")
        return {"rope_type": "factors", "factors": file.read("rope_freqs.weight").tolist()}
    kind = shape.get("rope.scaling.type", "none")
    if kind == "linear":
        return {"rope_type": "linear", "factor": shape.get("rope.scaling.factor", 1.0)}
    if kind != "none":
        raise ModelError(
            f"{file.path}: llama.rope.scaling.type is {kind!r}, and this engine runs 'linear' only."
        )
    return {}
