"""Faults that larger engines have had with speculation, sampling, text and experts: each test is named by public numbers.

Others stand where their mechanism is tested: a draft model's KV behind a prefix hit (sglang #19897) and p / q (vllm #40149)
in test_draft_model.py, accepted counts (vllm #2658) in test_speculation.py, numbers that change with the batch (vllm
#53257, #39146, #27433) in test_batch_invariance.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_engine.models import find_model
from ladder_engine.sampling import SamplingParams
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import Sampled, Verified
from ladder_kernels.dispatch import choose
from ladder_kernels.moe_route import moe_align_torch

from tests.engine.conftest import Machine

OPS = choose(torch.device("cpu"), "torch")
BUNDLED = Tokenizer.load(find_model("ladder-3m"))


def kept(probs: list[float], top_k: int = 0, top_p: float = 1.0) -> list[int]:
    row, one = torch.tensor([probs]).log(), torch.ones(1)
    found = OPS.filter_probs(row, one, torch.tensor([top_k], dtype=torch.int32), one * top_p, one * 0)[0]
    assert abs(found.sum().item() - 1) < 1e-6
    return found.nonzero().flatten().tolist()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"top_p": 0.45}, [1]),  # the smallest set whose mass reaches p, not one more
        ({"top_p": 0.55}, [1, 3]),
        ({"top_k": 2, "top_p": 0.6}, [1]),  # 0.5 is 0.625 of what top-k leaves
        ({"top_p": 1e-9}, [1]),  # never nobody
        ({"top_k": 1, "top_p": 1e-9}, [1]),
    ],
    ids=str,
)
def test_vllm_1885_llama_cpp_1953_mlx_lm_388_tiny_llm_32_top_k_comes_before_top_p_on_what_is_left(
    filters: dict[str, Any], expected: list[int]
) -> None:
    assert kept([0.05, 0.5, 0.15, 0.3], **filters) == expected


def test_flashinfer_3774_ties_go_to_the_lower_id_in_every_row() -> None:
    logits = torch.zeros(5, 40)
    ones, two = torch.ones(5), torch.full((5,), 2, dtype=torch.int32)
    for draw in range(20):
        seeds = torch.arange(5) + 10 * draw
        assert OPS.sample(logits, ones, two, ones, ones * 0, seeds, seeds).max() <= 1


def test_vllm_51226_17524_2514_a_seeded_answer_does_not_know_its_neighbours(
    machine: Callable[..., Machine],
) -> None:
    texts = ["What is the KV cache?", "a", "Static batching holds every slot. " * 3]
    answers = []
    for order in ([0, 1, 2], [2, 1, 0], [1]):
        box = machine(max_num_batched_tokens=30, num_speculative_tokens=2)
        seqs = {
            i: box.engine.add(f"r{i}", texts[i], 12, SamplingParams(temperature=1.2, seed=i, ignore_eos=True))
            for i in order
        }
        box.run()
        answers.append({i: seq.answer for i, seq in seqs.items()})
    assert answers[0] == answers[1]
    assert answers[2][1] == answers[0][1]


@pytest.mark.parametrize("drafts", [0, 6])
def test_vllm_3574_2577_3672_45636_36830_a_stop_string_ends_text_and_tokens_at_the_same_place(
    machine: Callable[..., Machine], drafts: int
) -> None:
    """Also when one step says several tokens and the string is complete in the midst of them."""
    free = machine()
    whole = free.engine.add("free", "Static batching", 40, SamplingParams(ignore_eos=True))
    free.run()
    text = free.tokenizer.decode(whole.answer)
    for at in (3, 11, 17):
        stop = text[at : at + 4]
        box = machine(num_speculative_tokens=drafts)
        box.engine.scheduler.drafting.propose = lambda known, most: whole.token_ids[
            len(known) : len(known) + most
        ]
        seq = box.engine.add("r", "Static batching", 40, SamplingParams(ignore_eos=True, stop=(stop,)))
        box.run()
        said = [event for event in box.events if isinstance(event, Sampled)]
        assert "".join(event.text for event in said) == text[: text.index(stop)]
        assert [event.token_id for event in said] == seq.answer
        assert stop in box.tokenizer.decode(seq.answer)
        assert stop not in box.tokenizer.decode(seq.answer[:-1])
        assert bool(drafts) == any(isinstance(event, Verified) for event in box.events)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, BUNDLED.num_tokens - 1), min_size=1, max_size=24))
def test_vllm_17448_48853_any_tokens_at_all_stream_as_they_decode(token_ids: list[int]) -> None:
    """Halves of characters, special tokens and bytes that are no text included."""
    stream = BUNDLED.stream()
    pieces = [stream.push(token, last=place == len(token_ids) - 1) for place, token in enumerate(token_ids)]
    assert "".join(pieces) == BUNDLED.decode(token_ids)


@pytest.mark.parametrize("experts", [1, 3, 6])
@pytest.mark.parametrize("batch_invariant", [False, True])
def test_vllm_35161_sglang_24850_lightllm_1369_experts_that_nobody_chose_leave_no_trace(
    experts: int, batch_invariant: bool
) -> None:
    """Their weights are NaN here; all tokens go to one expert, and the number of experts is no power of two."""
    operations = choose(torch.device("cpu"), "torch", batch_invariant)
    chosen = experts - 1
    generator = torch.Generator().manual_seed(experts)
    x = torch.randn(9, 16, generator=generator)
    gate_up, down = torch.full((experts, 20, 16), torch.nan), torch.full((experts, 16, 10), torch.nan)
    gate_up[chosen], down[chosen] = (
        torch.randn(20, 16, generator=generator),
        torch.randn(16, 10, generator=generator),
    )
    logits = torch.zeros(9, experts)
    logits[:, chosen] = 9.0
    gate, up = (x @ gate_up[chosen].T).chunk(2, dim=-1)
    expected = (gate * torch.sigmoid(gate) * up) @ down[chosen].T
    torch.testing.assert_close(
        operations.moe(x, logits, gate_up, down, 1, True), expected, rtol=1e-4, atol=1e-4
    )


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.sampled_from([1, 4, 16]))
def test_lightllm_1369_every_token_has_one_place_and_padding_is_nobody(choices: list[int], tile: int) -> None:
    pairs, owners = moe_align_torch(torch.tensor(choices, dtype=torch.int32)[:, None], 5, tile)
    real = pairs[pairs >= 0].tolist()
    assert sorted(real) == list(range(len(choices)))
    for place, pair in enumerate(pairs.tolist()):
        assert pair == -1 or choices[pair] == owners[place // tile]
