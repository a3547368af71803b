"""Tiny random checkpoints in the exact layout of each family's published folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors.torch import save_file

TEXT = """Static batching holds every slot until the longest answer ends. Continuous batching fills a slot as soon as
it is free. The KV cache of a sequence lives in blocks; a block table says where. Überlauf, naïve, 東京, 🙂."""

SHAPE = {"vocab_size": 320, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "head_dim": 8,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
         "rope_theta": 10000.0, "tie_word_embeddings": True, "eos_token_id": 0}  # fmt: skip


def write_tokenizer(folder: Path) -> None:
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<|end|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator([TEXT], trainer)
    backend.save(str(folder / "tokenizer.json"))


FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {"architectures": ["LlamaForCausalLM"]},
    "mistral": {"architectures": ["MistralForCausalLM"], "sliding_window": None},
    "qwen2": {"architectures": ["Qwen2ForCausalLM"], "use_sliding_window": False, "max_window_layers": 2,
              "sliding_window": 4096},
    "qwen3": {"architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "use_sliding_window": False,
              "max_window_layers": 2, "sliding_window": None},
    "mixtral": {"architectures": ["MixtralForCausalLM"], "num_local_experts": 5, "num_experts_per_tok": 2,
                "sliding_window": None, "router_aux_loss_coef": 0.02},
    "qwen3_moe": {"architectures": ["Qwen3MoeForCausalLM"], "attention_bias": False, "decoder_sparse_step": 1,
                  "mlp_only_layers": [], "moe_intermediate_size": 20, "norm_topk_prob": True, "num_experts": 6,
                  "num_experts_per_tok": 3, "use_sliding_window": False, "sliding_window": None},
}  # fmt: skip


def shapes_of(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every tensor of a published folder of this config, as the family's own files name them."""
    hidden, size, kind = config["hidden_size"], config["head_dim"], config["model_type"]
    queries, keys = config["num_attention_heads"] * size, config["num_key_value_heads"] * size
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (config["vocab_size"], hidden),
        "model.norm.weight": (hidden,),
    }
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (config["vocab_size"], hidden)

    def feed_forward(at: str, inner: int, gate: str, up: str, down: str) -> None:
        shapes[f"{at}{gate}.weight"] = shapes[f"{at}{up}.weight"] = (inner, hidden)
        shapes[f"{at}{down}.weight"] = (hidden, inner)

    for index in range(config["num_hidden_layers"]):
        at = f"model.layers.{index}."
        shapes[at + "input_layernorm.weight"] = shapes[at + "post_attention_layernorm.weight"] = (hidden,)
        for name, rows in (("q", queries), ("k", keys), ("v", keys)):
            shapes[f"{at}self_attn.{name}_proj.weight"] = (rows, hidden)
            if kind == "qwen2" or config.get("attention_bias"):
                shapes[f"{at}self_attn.{name}_proj.bias"] = (rows,)
        shapes[at + "self_attn.o_proj.weight"] = (hidden, queries)
        if config.get("attention_bias"):
            shapes[at + "self_attn.o_proj.bias"] = (hidden,)
        if kind in ("qwen3", "qwen3_moe"):
            shapes[at + "self_attn.q_norm.weight"] = shapes[at + "self_attn.k_norm.weight"] = (size,)
        sparse = (index + 1) % config.get("decoder_sparse_step", 1) == 0
        if kind == "mixtral":
            shapes[at + "block_sparse_moe.gate.weight"] = (config["num_local_experts"], hidden)
            for expert in range(config["num_local_experts"]):
                where = f"{at}block_sparse_moe.experts.{expert}."
                feed_forward(where, config["intermediate_size"], "w1", "w3", "w2")
        elif kind == "qwen3_moe" and sparse and index not in config["mlp_only_layers"]:
            shapes[at + "mlp.gate.weight"] = (config["num_experts"], hidden)
            for expert in range(config["num_experts"]):
                where = f"{at}mlp.experts.{expert}."
                feed_forward(where, config["moe_intermediate_size"], "gate_proj", "up_proj", "down_proj")
        else:
            inner = config["intermediate_size"]
            feed_forward(at + "mlp.", inner, "gate_proj", "up_proj", "down_proj")
            if config.get("mlp_bias"):
                for name, rows in (("gate", inner), ("up", inner), ("down", hidden)):
                    shapes[f"{at}mlp.{name}_proj.bias"] = (rows,)
    return shapes


def write_checkpoint(
    folder: Path,
    shards: int = 1,
    dtype: torch.dtype = torch.float32,
    model_type: str = "llama",
    **changes: Any,
) -> Path:
    """Random weights large enough that the likeliest token is clear."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": model_type, "hidden_act": "silu", **SHAPE, **FAMILIES[model_type], **changes}
    (folder / "config.json").write_text(json.dumps(config))
    write_tokenizer(folder)
    generator = torch.Generator().manual_seed(7)

    def weight(name: str, shape: tuple[int, ...]) -> torch.Tensor:
        scale = 0.3 if len(shape) == 2 else 0.1
        values = torch.randn(shape, generator=generator) * scale
        return (values + (1.0 if name.endswith("norm.weight") else 0.0)).to(dtype)

    weights = {name: weight(name, shape) for name, shape in shapes_of(config).items()}
    names = list(weights)
    files = ["model.safetensors"]
    if shards > 1:
        files = [f"model-{index + 1:05}-of-{shards:05}.safetensors" for index in range(shards)]
        where = {name: files[index % shards] for index, name in enumerate(names)}
        (folder / "model.safetensors.index.json").write_text(
            json.dumps({"metadata": {}, "weight_map": where})
        )
    for index, file in enumerate(files):
        save_file(
            {name: weights[name] for name in names[index::shards]}, folder / file, metadata={"format": "pt"}
        )
    return folder
