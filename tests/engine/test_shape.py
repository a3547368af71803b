"""The shape of a run, recomputed from the raw events; and what the trace says of the machine."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean

import pytest
import torch
from ladder_engine.fold import fold
from ladder_engine.machine_facts import copy_rate, weight_bytes
from ladder_engine.model import Decoder
from ladder_engine.shape import beside, reading, shareable
from ladder_engine.state import SequenceState
from ladder_engine.trace import Admitted, Arrived, Preempted, Sampled, Scheduled, StepTimed
from ladder_kernels.dispatch import choose
from safetensors import safe_open

from tests.traces import busy_trace


@pytest.fixture(scope="module")
def events():
    return busy_trace()


@pytest.fixture(scope="module")
def shape(events):
    state = fold(events)
    return {figure.name: figure.value for figure in (*reading(state), *beside(state))}


def test_times_of_a_request_are_those_of_its_events(events, shape):
    arrived = {event.seq_id: event.time for event in events if isinstance(event, Arrived)}
    entered, said = {}, defaultdict(list)
    for event in events:
        if isinstance(event, Admitted):
            entered.setdefault(event.seq_id, event.time)
        if isinstance(event, Sampled):
            said[event.seq_id].append(event.time)
    assert shape["queue_ms"] == pytest.approx(1000 * mean(entered[key] - arrived[key] for key in said))
    assert shape["prefill_ms"] == pytest.approx(
        1000 * mean(times[0] - entered[key] for key, times in said.items())
    )
    tpots = [(times[-1] - times[0]) / (len(times) - 1) for times in said.values() if len(times) > 1]
    assert shape["tpot_ms"] == pytest.approx(1000 * mean(tpots))


def test_who_runs_and_what_they_hold(events, shape):
    decodes = defaultdict(list)
    lost = {(event.step, event.seq_id) for event in events if isinstance(event, Preempted)}
    for event in events:
        if isinstance(event, Scheduled) and event.kind == "decode" and (event.step, event.seq_id) not in lost:
            decodes[event.step].append(event.start + event.num_tokens)
    assert shape["running"] == pytest.approx(mean(len(held) for held in decodes.values()))
    assert shape["context"] == pytest.approx(mean(tokens for held in decodes.values() for tokens in held))
    assert lost
    timed = [event for event in events if isinstance(event, StepTimed)]
    assert shape["waiting"] == pytest.approx(mean(event.num_waiting for event in timed))
    total = events[0].num_blocks
    assert shape["KV in use"] == pytest.approx(
        100 * mean((total - one.num_free_blocks) / total for one in timed)
    )


def asks(*prompts: str) -> list[SequenceState]:
    """Requests whose tokens are all four characters long."""
    return [
        SequenceState(seq_id=at, name=str(at), prompt=text, num_prompt_tokens=len(text) // 4, max_tokens=1,
                      num_tokens=len(text) // 4, arrived=0.0)
        for at, text in enumerate(prompts)
    ]  # fmt: skip


def test_what_could_be_shared_are_full_blocks_that_an_earlier_prompt_began_with():
    head = "0123456789abcdef" * 8  # 32 tokens
    assert shareable(asks(head + "x" * 64, head + "y" * 64), 16) == 32 / 96
    assert shareable(asks(head + "x" * 64, "y" + head + "x" * 63), 16) == 0  # the same words, one place later
    assert (
        shareable(asks(head, head), 16) == 16 / 64
    )  # the last token is always computed, and with it its block
    assert shareable(asks(head + "x" * 64, head + "y" * 64), 64) == 0  # less than a block
    assert shareable([], 16) is None


@pytest.mark.parametrize("tied", [True, False])
def test_a_step_reads_every_weight_but_an_embedding_that_is_no_head(make_checkpoint, tied):
    folder = make_checkpoint(tie_word_embeddings=tied)
    cpu = torch.device("cpu")
    model = Decoder.load(folder, choose(cpu, "torch"), cpu, torch.float32)
    sizes = {}
    for path in folder.glob("*.safetensors"):
        with safe_open(path, "pt") as file:
            sizes |= {name: file.get_tensor(name).numel() for name in file.keys()}  # noqa: SIM118
    if not tied:
        del sizes["model.embed_tokens.weight"]
    assert weight_bytes(model) == 4 * sum(sizes.values())


def test_the_copy_rate_is_measured_once_in_bytes_a_second():
    cpu = torch.device("cpu")
    assert copy_rate(cpu) == copy_rate(cpu)
    assert 1e8 < copy_rate(cpu) < 1e13
