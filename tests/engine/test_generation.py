"""Greedy tokens of the whole engine against a dense loop over one sequence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import BlocksShared, Preempted, Sampled, Scheduled

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


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"block_size": 1},
        {"max_num_batched_tokens": 7, "block_size": 3},
        {"num_blocks": 15, "block_size": 8},
    ],
    ids=["roomy", "one-token-blocks", "chunked", "preempted"],
)
def test_a_warm_cache_changes_no_token(
    machine: Callable[..., Any], dense: Any, limits: dict[str, int]
) -> None:
    """Each prompt is asked three times, twice at once; the second and third time its KV is mostly there."""
    box = machine(**({"num_blocks": 400, "prefix_caching": True} | limits))
    first = [box.engine.add(f"cold{i}", text, 12, GREEDY) for i, text in enumerate(PROMPTS[:4])]
    box.run()
    more = [
        box.engine.add(f"warm{i}", text, 12, GREEDY) for i, text in enumerate([*PROMPTS[:4], *PROMPTS[:4]])
    ]
    box.run()
    expected = [dense(box.tokenizer.encode(text), 12) for text in PROMPTS[:4]]
    assert [seq.answer for seq in (*first, *more)] == expected * 3
    assert any(isinstance(event, BlocksShared) for event in box.events)


def sampled(seed: int) -> SamplingParams:
    return SamplingParams(temperature=1.3, top_k=60, top_p=0.95, min_p=0.01, seed=seed, ignore_eos=True)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_num_batched_tokens": 5, "block_size": 3},
        {"num_blocks": 15, "block_size": 8},
        {"max_num_seqs": 2},
    ],
    ids=["crowd", "chunked", "preempted", "few at a time"],
)
@pytest.mark.parametrize("place", [0, 3])
def test_a_seeded_request_says_the_same_alone_and_in_any_crowd(
    machine: Callable[..., Any], limits: dict[str, int], place: int
) -> None:
    alone = machine()
    expected = alone.engine.add("alone", PROMPTS[0], 30, sampled(5))
    alone.run()

    box = machine(**limits)
    crowd = [*PROMPTS[1:][:place], PROMPTS[0], *PROMPTS[1:][place:]]
    seqs = [
        box.engine.add(f"r{i}", text, 30, sampled(5 if i == place else 100 + i))
        for i, text in enumerate(crowd)
    ]
    box.run()
    assert seqs[place].answer == expected.answer


def test_seeds_differ(machine: Callable[..., Any]) -> None:
    box = machine()
    seqs = [box.engine.add(f"r{seed}", PROMPTS[0], 20, sampled(seed)) for seed in (1, 2, 3)]
    unseeded = [
        box.engine.add(f"u{i}", PROMPTS[0], 20, SamplingParams(temperature=1.3, ignore_eos=True))
        for i in (0, 1)
    ]
    box.run()
    assert len({tuple(seq.answer) for seq in (*seqs, *unseeded)}) == 5


def test_the_streamed_text_is_the_answer(machine: Callable[..., Any]) -> None:
    box = machine()
    seqs = [box.engine.add(f"r{i}", text, 40, sampled(i)) for i, text in enumerate(PROMPTS)]
    box.run()
    for seq in seqs:
        said = [event for event in box.events if isinstance(event, Sampled) and event.seq_id == seq.seq_id]
        assert [event.token_id for event in said] == seq.answer
        assert "".join(event.text for event in said) == box.tokenizer.decode(seq.answer)


def test_the_end_token_ends_an_answer(machine: Callable[..., Any], dense: Any, make_checkpoint: Any) -> None:
    free = machine()
    prompt = free.tokenizer.encode(PROMPTS[0])
    third = dense(prompt, 3)[2]
    box = machine(folder=make_checkpoint(eos_token_id=[300, third]))
    stops = box.engine.add("stops", PROMPTS[0], 20, SamplingParams())
    goes_on = box.engine.add("goes on", PROMPTS[0], 20, GREEDY)
    box.run()
    assert (stops.answer, stops.finish_reason) == (dense(prompt, 3), "stop")
    assert (goes_on.answer, goes_on.finish_reason) == (dense(prompt, 20), "length")


@pytest.mark.parametrize(
    "narrow", [{"top_k": 1}, {"top_p": 1e-6}, {"min_p": 1.0}, {"temperature": 1e-6}], ids=str
)
def test_a_filter_that_leaves_one_token_is_greedy(
    machine: Callable[..., Any], narrow: dict[str, Any]
) -> None:
    box = machine()
    wish = SamplingParams(**({"temperature": 1.5, "seed": 3, "ignore_eos": True} | narrow))
    greedy, filtered, free = (
        box.engine.add(name, PROMPTS[3], 20, sampling)
        for name, sampling in (("greedy", GREEDY), ("filtered", wish), ("free", sampled(3)))
    )
    box.run()
    assert filtered.answer == greedy.answer != free.answer
