"""A real model, SmolLM2-135M-Instruct: the engine says what transformers says, from the same GGUF file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.config import EngineConfig
from ladder_engine.sampling import SamplingParams
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.weights.chat_template import ChatTemplate, Message

from tests.engine.conftest import Machine
from tests.engine.smollm2 import fetch_or_skip, transformers_model

pytestmark = pytest.mark.xdist_group("smollm2")

PROMPTS = [
    "The KV cache of a transformer holds",
    "Once upon a time there was a scheduler that",
    "def fibonacci(n):\n    ",
    "1, 1, 2, 3, 5, 8, 13,",
    "The capital of France is",
    "<|im_start|>user\nWhat is gravity?<|im_end|>\n<|im_start|>assistant\n",
    "Water boils at 100 degrees because",
    "Überall, wo 東京 steht,",
    "A B A B A B A B",
    "In 1969, two people",
]
NUM_TOKENS = 64


@pytest.fixture(scope="module")
def smollm2() -> Path:
    return fetch_or_skip()


@pytest.fixture(scope="module")
def theirs(smollm2: Path) -> Any:
    return transformers_model(smollm2, torch.float32)


def test_ten_greedy_answers_are_those_of_transformers(smollm2: Path, theirs: Any) -> None:
    """Each token is the one that transformers puts first after the same text; so, by induction, is the whole answer."""
    machine = Machine(
        smollm2,
        EngineConfig(num_blocks=128, max_num_seqs=10, max_num_batched_tokens=64, max_model_len=160),
    )
    seqs = [
        machine.engine.add(f"r{index}", prompt, NUM_TOKENS, SamplingParams(ignore_eos=True))
        for index, prompt in enumerate(PROMPTS)
    ]
    machine.run()
    for seq in seqs:
        assert seq.num_answer_tokens == NUM_TOKENS
        with torch.no_grad():
            logits = theirs(torch.tensor([seq.token_ids[:-1]])).logits[0]
        assert logits.argmax(-1)[seq.num_prompt_tokens - 1 :].tolist() == seq.answer


def test_the_tokenizer_is_the_one_that_transformers_builds(smollm2: Path) -> None:
    from transformers.integrations.gguf import convert_gguf_tokenizer, get_gguf_tokenizer

    ours, (theirs, _) = Tokenizer.load(smollm2), convert_gguf_tokenizer(*get_gguf_tokenizer(smollm2)[:2])
    for text in (*PROMPTS, "  x = 12345\n\n\t'tis  don't<|endoftext|> 🙂", ""):
        assert ours.encode(text) == theirs.encode(text).ids


def test_its_chat_template_opens_the_answer(smollm2: Path) -> None:
    template = ChatTemplate.load(smollm2)
    assert template is not None
    assert template.render([Message("user", "What is gravity?")]) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nWhat is gravity?<|im_end|>\n<|im_start|>assistant\n"
    )
