"""What is sampled, in distribution: against the dense model's own probabilities, whatever the engine does meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ladder_engine.sampling import SamplingParams
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import Preempted, SwappedIn

PROMPT = "Continuous batching fills a slot."
TEMPERATURE = 0.4
REQUESTS, N = 30, 12


@pytest.fixture(scope="module")
def probabilities(checkpoint: Path) -> Callable[[list[int]], np.ndarray[Any, Any]]:
    from transformers import LlamaForCausalLM

    model: Any = LlamaForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation="eager"
    )

    def after(tokens: list[int]) -> np.ndarray[Any, Any]:
        with torch.no_grad():
            logits = model(torch.tensor([tokens])).logits[0, -1].double()
        return (logits / TEMPERATURE).softmax(-1).numpy()

    return after


def improbable(counts: Counter[int], expected: np.ndarray[Any, Any]) -> float:
    """How often right sampling would be further off: the p-value of a chi-square test, rare tokens taken together."""
    total = sum(counts.values())
    often = [token for token in range(len(expected)) if expected[token] * total >= 8]
    seen = np.array([*(counts[token] for token in often), total - sum(counts[token] for token in often)])
    hoped = np.array([*(expected[token] for token in often), 1 - expected[often].sum()]) * total
    squares = torch.tensor(((seen - hoped) ** 2 / hoped).sum())
    return float(torch.special.gammaincc(torch.tensor(len(often) / 2, dtype=torch.float64), squares / 2))


@pytest.mark.parametrize(
    "limits",
    [
        {"num_blocks": 400, "max_num_seqs": 64, "max_num_batched_tokens": 256},
        {"num_blocks": 12, "block_size": 4, "max_num_batched_tokens": 23, "composition": "prefill_first",
         "preemption": "swap", "num_host_blocks": 8},
    ],
    ids=["roomy", "chunked, forked, swapped and recomputed"],
)  # fmt: skip
def test_answers_of_one_request_are_independent_draws_from_the_model(
    machine: Callable[..., Any], probabilities: Any, limits: dict[str, Any]
) -> None:
    box = machine(**limits)
    roots = [
        box.engine.add(
            f"r{seed}", PROMPT, 5, SamplingParams(temperature=TEMPERATURE, seed=seed, n=N, ignore_eos=True)
        )
        for seed in range(REQUESTS)
    ]
    box.run()
    tight = limits["num_blocks"] == 12
    modes = {event.mode for event in box.events if isinstance(event, Preempted)}
    assert modes == ({"swap", "recompute"} if tight else set())
    assert any(isinstance(event, SwappedIn) for event in box.events) == tight

    prompt = box.tokenizer.encode(PROMPT)
    everyone: list[Sequence] = [one for root in roots for one in (root, *root.forks)]
    assert len(everyone) == REQUESTS * N
    first = Counter(one.answer[0] for one in everyone)
    at_first = probabilities(prompt)
    assert improbable(first, at_first) > 1e-4
    (most, _), *_ = first.most_common(1)
    then = Counter(one.answer[1] for one in everyone if one.answer[0] == most)
    assert improbable(then, probabilities([*prompt, most])) > 1e-4

    pairs = [(root.answer[0], fork.answer[0]) for root in roots for fork in root.forks]
    same = sum(a == b for a, b in pairs) / len(pairs)
    expected = float((at_first**2).sum())
    assert abs(same - expected) < 5 * (expected / REQUESTS) ** 0.5, (
        "forks say the same more often than chance"
    )


def test_the_test_sees_a_wrong_distribution(probabilities: Any) -> None:
    """Draws at another temperature, as many as above."""
    flat = probabilities([5, 6, 7])
    sharp = flat**1.5 / (flat**1.5).sum()
    draws = np.random.default_rng(0).choice(len(flat), REQUESTS * N, p=sharp)
    assert improbable(Counter(draws.tolist()), flat) < 1e-4
