"""Bias, penalties and logprobs against a dense loop that does the same by hand, one sequence, one token at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import Preempted, Sampled

PROMPTS = ["What is the KV cache?", "Continuous batching fills a slot.", "a"]
WISHES = [
    {"repetition_penalty": 1.6, "logit_bias": {7: 6.5}},
    {"repetition_penalty": 0.7},
    {"frequency_penalty": -1.6},
    {"presence_penalty": -2.0},
    {"logit_bias": {7: 6.5, 40: -100.0, 300: 3.0}},
    {"repetition_penalty": 1.3, "frequency_penalty": 0.5, "presence_penalty": -0.8, "logit_bias": {12: 4.0}},
]


@pytest.fixture(scope="module")
def dense(checkpoint: Path) -> Callable[[list[int]], list[float]]:
    from transformers import LlamaForCausalLM

    model: Any = LlamaForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation="eager"
    )
    with torch.no_grad():
        return lambda tokens: model(torch.tensor([tokens])).logits[0, -1].detach().double().tolist()


def by_hand(logits: list[float], prompt: list[int], answer: list[int], wish: dict[str, Any]) -> list[float]:
    changed = [logit + wish.get("logit_bias", {}).get(token, 0.0) for token, logit in enumerate(logits)]
    factor = wish.get("repetition_penalty", 1.0)
    counts = Counter(answer)
    for token in range(len(changed)):
        if token in prompt or token in answer:
            changed[token] = changed[token] / factor if changed[token] > 0 else changed[token] * factor
        if token in counts:
            changed[token] -= wish.get("frequency_penalty", 0.0) * counts[token]
            changed[token] -= wish.get("presence_penalty", 0.0)
    return changed


def best(values: list[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


@pytest.mark.parametrize("limits", [{}, {"num_blocks": 8, "block_size": 8}], ids=["roomy", "preempted"])
def test_greedy_tokens_equal_the_ones_found_by_hand(
    machine: Callable[..., Any], dense: Any, limits: dict[str, int]
) -> None:
    box = machine(**limits)
    asked = [(PROMPTS[0], wish) for wish in [*WISHES, {}]]
    seqs = [
        box.engine.add(f"r{i}", text, 20, SamplingParams(ignore_eos=True, **wish))
        for i, (text, wish) in enumerate(asked)
    ]
    box.run()
    answers = set()
    for seq, (text, wish) in zip(seqs, asked, strict=True):
        prompt, answer = box.tokenizer.encode(text), []
        for _ in range(20):
            answer.append(best(by_hand(dense(prompt + answer), prompt, answer, wish)))
        assert seq.answer == answer, wish
        answers.add(tuple(answer))
    assert len(answers) == len(asked), "each wish has changed something"
    assert any(isinstance(event, Preempted) for event in box.events) == bool(limits)


def test_logprobs_are_the_models_own_whatever_else_is_asked_for(
    machine: Callable[..., Any], dense: Any
) -> None:
    box = machine()
    wish = SamplingParams(temperature=1.5, seed=4, top_k=5, presence_penalty=1.0, logprobs=3, ignore_eos=True)
    seq = box.engine.add("asks", PROMPTS[0], 8, wish)
    silent = box.engine.add("silent", PROMPTS[1], 8, SamplingParams(ignore_eos=True))
    none = box.engine.add("own only", PROMPTS[1], 8, SamplingParams(ignore_eos=True, logprobs=0))
    box.run()
    prompt = box.tokenizer.encode(PROMPTS[0])
    said = [event for event in box.events if isinstance(event, Sampled) and event.seq_id == seq.seq_id]
    for index, event in enumerate(said):
        logits = dense(prompt + seq.answer[:index])
        total = math.log(sum(math.exp(logit) for logit in logits))
        likeliest = sorted(range(len(logits)), key=logits.__getitem__, reverse=True)[:3]
        assert [token for token, _ in event.logprobs] == [seq.answer[index], *likeliest]
        for token, logprob in event.logprobs:
            assert logprob == pytest.approx(logits[token] - total, abs=1e-4)
    assert all(not e.logprobs for e in box.events if isinstance(e, Sampled) and e.seq_id == silent.seq_id)
    own = [e.logprobs for e in box.events if isinstance(e, Sampled) and e.seq_id == none.seq_id]
    assert [len(pairs) for pairs in own] == [1] * 8


def test_a_bias_of_minus_100_forbids_and_of_100_forces(machine: Callable[..., Any]) -> None:
    box = machine()
    free = box.engine.add("free", PROMPTS[0], 10, SamplingParams(ignore_eos=True))
    box.run()
    forbidden = box.engine.add(
        "forbidden", PROMPTS[0], 10, SamplingParams(ignore_eos=True, logit_bias={free.answer[0]: -100.0})
    )
    forced = box.engine.add(
        "forced", PROMPTS[0], 10, SamplingParams(temperature=1.0, ignore_eos=True, logit_bias={33: 100.0})
    )
    box.run()
    assert free.answer[0] not in forbidden.answer
    assert forced.answer == [33] * 10


def test_neighbours_change_nothing(machine: Callable[..., Any]) -> None:
    wish = SamplingParams(
        temperature=1.0, seed=8, frequency_penalty=1.0, repetition_penalty=1.2, ignore_eos=True
    )
    alone = machine()
    expected = alone.engine.add("alone", PROMPTS[0], 16, wish)
    alone.run()
    box = machine()
    for index in range(3):
        other = SamplingParams(logit_bias={index: 50.0}, repetition_penalty=2.0, ignore_eos=True)
        box.engine.add(f"other{index}", PROMPTS[0], 16, other)
    seq = box.engine.add("in a crowd", PROMPTS[0], 16, wish)
    box.run()
    assert seq.answer == expected.answer
