"""What the engine's tests share: tiny random checkpoints in Hugging Face's layout, and engines over them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from ladder_engine.config import EngineConfig, ModelConfig
from ladder_engine.engine import Engine
from ladder_engine.executor import TorchExecutor
from ladder_engine.model import Llama
from ladder_engine.recorder import Recorder
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.trace import AnyEvent
from ladder_kernels.dispatch import choose
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


def write_checkpoint(
    folder: Path, shards: int = 1, dtype: torch.dtype = torch.float32, **changes: Any
) -> Path:
    """Random weights large enough that the likeliest token is clear, in the layout of a published Llama folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {**SHAPE, **changes}
    (folder / "config.json").write_text(
        json.dumps(
            {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", **config}
        )
    )
    write_tokenizer(folder)
    generator = torch.Generator().manual_seed(7)
    hidden, inner, size = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = config["num_attention_heads"] * size, config["num_key_value_heads"] * size
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], hidden), "model.norm.weight": (hidden,)}
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (config["vocab_size"], hidden)
    for index in range(config["num_hidden_layers"]):
        at = f"model.layers.{index}."
        shapes |= {
            at + "input_layernorm.weight": (hidden,),
            at + "post_attention_layernorm.weight": (hidden,),
            at + "self_attn.q_proj.weight": (queries, hidden),
            at + "self_attn.k_proj.weight": (keys, hidden),
            at + "self_attn.v_proj.weight": (keys, hidden),
            at + "self_attn.o_proj.weight": (hidden, queries),
            at + "mlp.gate_proj.weight": (inner, hidden),
            at + "mlp.up_proj.weight": (inner, hidden),
            at + "mlp.down_proj.weight": (hidden, inner),
        }
    weights = {
        name: (torch.randn(shape, generator=generator) * (0.3 if len(shape) == 2 else 0.1)
               + (1.0 if len(shape) == 1 else 0.0)).to(dtype)
        for name, shape in shapes.items()
    }  # fmt: skip
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


class Machine:
    """An engine over a checkpoint, with everything it said."""

    def __init__(self, folder: Path, config: EngineConfig) -> None:
        self.events: list[AnyEvent] = []
        self.config = config
        self.model = Llama.load(
            folder, choose(torch.device("cpu"), "torch"), torch.device("cpu"), torch.float32
        )
        self.tokenizer = Tokenizer.load(folder)
        self.engine = Engine(
            config,
            TorchExecutor(self.model, config),
            self.tokenizer,
            ModelConfig.load(folder).eos_token_ids,
            Recorder(self.events.extend),
        )

    def run(self) -> None:
        while self.engine.has_work:
            self.engine.step()


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def make_checkpoint(tmp_path: Path) -> Callable[..., Path]:
    return lambda **changes: write_checkpoint(tmp_path / "model", **changes)


@pytest.fixture
def machine(checkpoint: Path) -> Callable[..., Machine]:
    """Build an engine over the tiny checkpoint: machine(num_blocks=..., ...)."""

    def build(folder: Path = checkpoint, **limits: int) -> Machine:
        roomy = {"num_blocks": 64, "block_size": 16, "max_num_seqs": 16, "max_num_batched_tokens": 64,
                 "max_model_len": 512}  # fmt: skip
        return Machine(folder, EngineConfig(**(roomy | limits)))

    return build
