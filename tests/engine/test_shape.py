"""The shape of a run, recomputed from the raw events; and what the trace says of the machine."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean

import pytest
import torch
from ladder_engine.lab.machine_facts import COPIED, copy_rate, weight_bytes
from ladder_engine.lab.runner import run_scenario
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.lab.shape import shape_of, shareable
from ladder_engine.model import Decoder
from ladder_engine.tracing.events import Admitted, Arrived, Finished, Preempted, Sampled, Scheduled, StepTimed
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import SequenceState
from ladder_kernels.dispatch import choose
from msgspec.structs import replace
from safetensors import safe_open

from tests.traces import busy_trace


@pytest.fixture(scope="module")
def events():
    return busy_trace()


@pytest.fixture(scope="module")
def shape(events):
    shape = shape_of(fold(events))
    return {figure.name: figure.value for figure in (*shape.asked, *shape.beside)}


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


def test_a_long_run_is_measured_where_it_is_now(events, monkeypatch):
    monkeypatch.setattr("ladder_engine.lab.shape.LAST_STEPS", 5)
    shape = shape_of(fold(events))
    timed = [event for event in events if isinstance(event, StepTimed)]
    assert (shape.num_steps, shape.of_steps) == (5, len(timed))
    figures = {figure.name: figure.value for figure in (*shape.asked, *shape.beside)}
    assert figures["waiting"] == pytest.approx(mean(event.num_waiting for event in timed[-5:]))
    since = timed[-5].time
    late = {event.seq_id for event in events if isinstance(event, Finished) and event.time >= since}
    said = defaultdict(list)
    for event in events:
        if isinstance(event, Sampled) and event.seq_id in late:
            said[event.seq_id].append(event.time)
    tpots = [(times[-1] - times[0]) / (len(times) - 1) for times in said.values() if len(times) > 1]
    assert len(late) < len({event.seq_id for event in events if isinstance(event, Arrived)})
    assert figures["tpot_ms"] == pytest.approx(1000 * mean(tpots))


def asks(*prompts: str, told: bool = True) -> list[SequenceState]:
    """Requests whose tokens are all four characters long, whether the trace tells so or not."""
    return [
        SequenceState(seq_id=at, name=str(at), prompt=text, num_prompt_tokens=len(text) // 4, max_tokens=1,
                      num_tokens=len(text) // 4, arrived=0.0, lengths=bytes([4] * (len(text) // 4)) * told)
        for at, text in enumerate(prompts)
    ]  # fmt: skip


@pytest.mark.parametrize("told", [True, False])
def test_what_could_be_shared_are_full_blocks_that_an_earlier_prompt_began_with(told):
    head = "0123456789abcdef" * 8  # 32 tokens

    def share(*prompts, block_size=16):
        return shareable(asks(*prompts, told=told), block_size)

    assert share(head + "x" * 64, head + "y" * 64) == 32 / 96
    assert share(head + "x" * 64, "y" + head + "x" * 63) == 0  # the same words, one place later
    assert share(head, head) == 16 / 64  # the last token is always computed, and with it its block
    assert share(head + "x" * 64, head + "y" * 64, block_size=64) == 0  # less than a block
    assert share() is None


def test_tokens_are_cut_where_the_trace_says():
    """The same sixteen characters, a token each or four: what follows differs, and the blocks end elsewhere."""
    fine, coarse = asks("abcdefghijklmnop" * 4, "abcdefghijklmnop" * 4)
    fine = replace(fine, num_prompt_tokens=64, lengths=bytes([1] * 64))
    assert shareable([fine, coarse], 4) == 0
    assert shareable([coarse, coarse], 4) == 12 / 32


def test_what_could_be_shared_is_what_a_cache_that_loses_nothing_finds():
    path = next(one.path for one in bundled_scenarios() if one.id == "shared-prompt")
    events = []
    run_scenario(path, events.extend, "torch")
    found = {figure.name: figure.value for figure in shape_of(fold(events)).asked}
    assert 0 < found["hit_rate"] <= found["shareable"] < 1


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


def test_where_there_is_no_room_to_copy_the_rate_is_unknown(monkeypatch):
    monkeypatch.setitem(COPIED, "cpu", 1 << 60)
    assert copy_rate.__wrapped__(torch.device("cpu")) == 0.0
