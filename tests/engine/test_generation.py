"""Greedy tokens of the whole engine against a dense loop over one sequence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.sampling import SamplingParams
from ladder_engine.trace import Preempted, Scheduled

GREEDY = SamplingParams(ignore_eos=True)
PROMPTS = [
    "What is the KV cache?",
    "Static batching holds every slot until the longest answer ends. " * 3,
    "a",
    "Why does a block table help when sequences grow at different speeds?",
    "Continuous batching fills a slot.",
    "東京 🙂 naïve",
]


@pytest.fixture(scope="module")
def dense(checkpoint: Path) -> Callable[[list[int], int], list[int]]:
    """The oracle: transformers, one sequence, no cache, the whole text computed again for every token."""
    from transformers import LlamaForCausalLM

    model: Any = LlamaForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation="eager"
    )

    def generate(prompt: list[int], max_tokens: int) -> list[int]:
        tokens = list(prompt)
        with torch.no_grad():
            for _ in range(max_tokens):
                tokens.append(int(model(torch.tensor([tokens])).logits[0, -1].argmax()))
        return tokens[len(prompt) :]

    return generate


@pytest.mark.parametrize(
    ("limits", "preempts", "chunks"),
    [
        ({"max_num_batched_tokens": 512}, False, False),
        ({"max_num_batched_tokens": 7, "block_size": 3, "num_blocks": 200}, False, True),
        ({"num_blocks": 15, "block_size": 8}, True, True),
        ({"num_blocks": 110, "block_size": 1, "max_num_batched_tokens": 16}, True, True),
        ({"max_num_seqs": 1}, False, True),
    ],
    ids=["batched", "chunked", "preempted", "one-token-blocks", "alone"],
)
def test_greedy_tokens_equal_the_dense_oracle(
    machine: Callable[..., Any], dense: Any, limits: dict[str, int], preempts: bool, chunks: bool
) -> None:
    box = machine(**limits)
    seqs = [
        box.engine.add(f"r{index}", prompt, 16 + 4 * index, GREEDY) for index, prompt in enumerate(PROMPTS)
    ]
    box.run()
    for prompt, seq in zip(PROMPTS, seqs, strict=True):
        assert seq.answer == dense(box.tokenizer.encode(prompt), seq.max_tokens), seq.name
        assert seq.finish_reason == "length"
    assert any(isinstance(event, Preempted) for event in box.events) == preempts
    partial = [e for e in box.events if isinstance(e, Scheduled) and e.kind == "prefill" and e.start > 0]
    assert bool(partial) == chunks
