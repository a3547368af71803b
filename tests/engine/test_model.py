"""The paged forward pass against transformers' own Llama on the same files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.batch import Work
from ladder_engine.config import EngineConfig, ModelConfig
from ladder_engine.errors import ModelError
from ladder_engine.inputs import prepare
from ladder_engine.model import KVCache, Llama, Placement
from ladder_engine.sampling import SamplingParams
from ladder_engine.sequence import Sequence
from ladder_engine.tokenizer import Tokenizer
from ladder_kernels.dispatch import choose

CPU = torch.device("cpu")


def oracle(folder: Path) -> Any:
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")


def sequence(folder: Path, seq_id: int, tokens: list[int], blocks: list[int]) -> Sequence:
    stream = Tokenizer.load(folder).stream()
    seq = Sequence.start(seq_id, f"r{seq_id}", tokens, 8, SamplingParams(), (), stream)
    seq.block_table = blocks
    return seq


def paged_logits(folder: Path, prompts: list[list[int]], chunk: int) -> list[torch.Tensor]:
    """Logits after every token, all prompts in one batch, `chunk` tokens of each a step, in scattered blocks."""
    model = Llama.load(folder, choose(CPU, "torch"), CPU, torch.float32)
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


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_logits_equal_transformers(make_checkpoint: Callable[..., Path], kv_heads: int, tied: bool) -> None:
    folder = make_checkpoint(num_key_value_heads=kv_heads, tie_word_embeddings=tied, head_dim=12)
    prompts = [list(range(5, 5 + size)) for size in (1, 7, 16, 30)]
    theirs = oracle(folder)
    for chunk in (99, 5, 1):
        for prompt, ours in zip(prompts, paged_logits(folder, prompts, chunk), strict=True):
            with torch.no_grad():
                expected = theirs(torch.tensor([prompt])).logits[0]
            torch.testing.assert_close(ours, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    "changes",
    [
        {"shards": 2, "tie_word_embeddings": False},
        {"dtype": torch.float16},
        {"rope_theta": 500.0},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
        {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 64}},
    ],
    ids=["sharded", "fp16", "rope_theta", "rope_parameters", "llama3"],
)  # fmt: skip
def test_published_layouts_load(make_checkpoint: Callable[..., Path], changes: dict[str, Any]) -> None:
    folder = make_checkpoint(**changes)
    prompt = list(range(3, 40))
    (ours,) = paged_logits(folder, [prompt], 16)
    with torch.no_grad():
        expected = oracle(folder)(torch.tensor([prompt])).logits[0]
    torch.testing.assert_close(ours, expected, atol=1e-4, rtol=1e-4)


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
        (lambda folder: edit(folder, model_type="qwen3"), ["config.json", "'qwen3'", "'llama'"]),
        (lambda folder: edit(folder, attention_bias=True), ["config.json", "attention_bias"]),
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
        Llama.load(folder, choose(CPU, "torch"), CPU, torch.float32)
    for word in [str(folder), *words]:
        assert word in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_a_broken_tokenizer_says_why(make_checkpoint: Callable[..., Path]) -> None:
    folder = make_checkpoint()
    (folder / "tokenizer.json").write_text("[]")
    with pytest.raises(ModelError, match=r"tokenizer\.json: cannot be read"):
        Tokenizer.load(folder)
