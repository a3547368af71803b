"""The paged forward pass against transformers' own Llama on the same files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.batch import Work
from ladder_engine.config import EngineConfig
from ladder_engine.errors import ModelError
from ladder_engine.inputs import prepare
from ladder_engine.model import Decoder, KVCache, Placement
from ladder_engine.sampling import SamplingParams
from ladder_engine.sequence import Sequence
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.weights.model_config import ModelConfig
from ladder_kernels.dispatch import choose

CPU = torch.device("cpu")


def oracle(folder: Path) -> Any:
    """transformers' own model of the folder; it must know every tensor that our writer wrote, and miss none."""
    from transformers import AutoModelForCausalLM

    model, info = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True
    )
    assert not any(info.values()), info
    return model


def sequence(folder: Path, seq_id: int, tokens: list[int], blocks: list[int]) -> Sequence:
    stream = Tokenizer.load(folder).stream()
    seq = Sequence.start(seq_id, f"r{seq_id}", tokens, 8, SamplingParams(), (), stream)
    seq.block_table = blocks
    return seq


def paged_logits(folder: Path, prompts: list[list[int]], chunk: int) -> list[torch.Tensor]:
    """Logits after every token, all prompts in one batch, `chunk` tokens of each a step, in scattered blocks."""
    model = Decoder.load(folder, choose(CPU, "torch"), CPU, torch.float32)
    config = EngineConfig(
        num_blocks=40, block_size=4, max_num_seqs=8, max_num_batched_tokens=99, max_model_len=99
    )
    cache = KVCache.empty(model.config, config.num_blocks, config.block_size, like=model.embedding)
    cache.key.fill_(float("nan"))  # a read outside a sequence's own KV shows
    cache.value.fill_(float("nan"))
    scattered = torch.randperm(config.num_blocks, generator=torch.Generator().manual_seed(1)).tolist()
    seqs = []
    for index, prompt in enumerate(prompts):
        need = config.blocks_for(len(prompt))
        seqs.append(sequence(folder, index, prompt, [scattered.pop() for _ in range(need)]))
    rows: list[list[torch.Tensor]] = [[] for _ in prompts]
    while live := [seq for seq in seqs if seq.num_computed_tokens < seq.num_tokens]:
        batch = [Work.next(seq, chunk) for seq in live]
        inputs = prepare(batch, config.block_size)
        place = Placement(
            *(
                torch.from_numpy(array)
                for array in (inputs.positions, inputs.slot_mapping, inputs.block_tables, inputs.cu_seqlens_q,
                              inputs.context_lens)
            )
        )  # fmt: skip
        tokens = torch.from_numpy(inputs.token_ids)
        logits = model.forward(tokens, place, cache, torch.arange(len(tokens)))
        for work, part in zip(batch, logits.split([work.num_tokens for work in batch]), strict=True):
            rows[work.seq.seq_id].append(part)
            work.seq.num_computed_tokens += work.num_tokens
    return [torch.cat(parts) for parts in rows]


PROMPTS = [[(7 * token + 3) % 320 for token in range(size)] for size in (1, 7, 16, 41)]
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}


def check_against_transformers(folder: Path, chunks: tuple[int, ...] = (99, 5)) -> None:
    theirs = oracle(folder)
    with torch.no_grad():
        expected = [theirs(torch.tensor([prompt])).logits[0] for prompt in PROMPTS]
    for chunk in chunks:
        for ours, wanted in zip(paged_logits(folder, PROMPTS, chunk), expected, strict=True):
            torch.testing.assert_close(ours, wanted, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_logits_equal_transformers(make_checkpoint: Callable[..., Path], kv_heads: int, tied: bool) -> None:
    folder = make_checkpoint(num_key_value_heads=kv_heads, tie_word_embeddings=tied, head_dim=12)
    check_against_transformers(folder, (99, 5, 1))


@pytest.mark.parametrize(
    "changes",
    [
        {"shards": 2, "tie_word_embeddings": False},
        {"dtype": torch.float16},
        {"rope_theta": 500.0},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
        {"rope_scaling": LLAMA3},
        {"rope_scaling": YARN},
        {"rope_scaling": {"type": "linear", "factor": 2.5}},
        {"attention_bias": True, "mlp_bias": True},
        {"model_type": "mistral", "sliding_window": 6},
        {"model_type": "qwen2"},
        {"model_type": "qwen2", "shards": 2, "tie_word_embeddings": False, "rope_scaling": YARN},
        {"model_type": "qwen2", "use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1},
        {"model_type": "qwen3", "head_dim": 16},
        {"model_type": "qwen3", "tie_word_embeddings": False, "attention_bias": True, "rope_scaling": YARN},
        {"model_type": "qwen3", "use_sliding_window": True, "sliding_window": 5,
         "layer_types": ["sliding_attention", "full_attention"]},
        {"model_type": "mixtral", "tie_word_embeddings": False},
        {"model_type": "mixtral", "shards": 2, "sliding_window": 6},
        {"model_type": "qwen3_moe", "tie_word_embeddings": False, "shards": 2},
        {"model_type": "qwen3_moe", "norm_topk_prob": False, "rope_scaling": YARN},
        {"model_type": "qwen3_moe", "decoder_sparse_step": 2, "use_sliding_window": True, "sliding_window": 5},
        {"model_type": "qwen3_moe", "mlp_only_layers": [1], "attention_bias": True},
    ],
    ids=lambda changes: "-".join(str(part) for part in changes.values() if not isinstance(part, dict))[:40],
)  # fmt: skip
def test_every_familys_published_layout_gives_transformers_logits(
    make_checkpoint: Callable[..., Path], changes: dict[str, Any]
) -> None:
    check_against_transformers(make_checkpoint(**changes))


def test_end_tokens_are_those_of_both_files(make_checkpoint: Callable[..., Path]) -> None:
    folder = make_checkpoint(eos_token_id=[4, 2])
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 9}))
    assert ModelConfig.load(folder).eos_token_ids == (2, 4, 9)


def edit(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda folder: edit(folder, model_type="gemma3"), ["config.json", "'gemma3'", "llama", "qwen3_moe"]),
        (lambda folder: edit(folder, attention_bias=True), ["q_proj.bias", "missing"]),
        (lambda folder: edit(folder, model_type="qwen3"), ["q_norm.weight", "missing"]),
        (lambda folder: edit(folder, num_hidden_layers=1), ["model.layers.1.", "does not have"]),
        (lambda folder: edit(folder, partial_rotary_factor=0.5), ["config.json", "partial_rotary_factor"]),
        (lambda folder: edit(folder, head_dim=7), ["config.json", "head_dim is 7"]),
        (
            lambda folder: edit(folder, quantization_config={"bits": 4}),
            ["config.json", "quantization_config"],
        ),
        (lambda folder: edit(folder, num_attention_heads=3), ["config.json", "num_attention_heads is 3"]),
        (lambda folder: edit(folder, hidden_size="wide"), ["config.json", "wide"]),
        (lambda folder: edit(folder, rope_scaling={"rope_type": "longrope"}), ["config.json", "longrope"]),
        (lambda folder: edit(folder, intermediate_size=40), ["model.safetensors", "gate_proj", "(40, 32)"]),
        (lambda folder: edit(folder, tie_word_embeddings=False), ["lm_head.weight", "missing"]),
        (lambda folder: (folder / "config.json").write_text("{"), ["config.json", "JSON"]),
        (lambda folder: (folder / "config.json").unlink(), ["config.json", "cannot be read"]),
        (lambda folder: (folder / "model.safetensors").unlink(), ["safetensors"]),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"short"), ["model.safetensors"]),
    ],
)
def test_a_folder_that_cannot_load_says_why(
    make_checkpoint: Callable[..., Path], break_it: Callable[[Path], object], words: list[str]
) -> None:
    folder = make_checkpoint()
    break_it(folder)
    with pytest.raises(ModelError) as error:
        Decoder.load(folder, choose(CPU, "torch"), CPU, torch.float32)
    for word in [str(folder), *words]:
        assert word in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_a_broken_tokenizer_says_why(make_checkpoint: Callable[..., Path]) -> None:
    folder = make_checkpoint()
    (folder / "tokenizer.json").write_text("[]")
    with pytest.raises(ModelError, match=r"tokenizer\.json: cannot be read"):
        Tokenizer.load(folder)
