"""The kernels of a step in the trace: only while watched, whose tokens they computed, and what they moved."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.executor import TorchExecutor
from ladder_engine.model import Decoder
from ladder_engine.sampling import SamplingParams
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import AnyEvent, KernelsRan, StepTimed
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.kernel_log import KernelLog
from ladder_engine.tracing.recorder import Recorder
from ladder_engine.tracing.trace_file import TraceReader, read_trace, write_trace
from ladder_kernels.dispatch import choose
from ladder_kernels.observing import observed

from tests.traces import busy_trace


class Watched:
    """An engine over a checkpoint, whose kernels can be watched."""

    def __init__(self, folder: Path, draft: bool = False, **limits: object) -> None:
        config = EngineConfig(
            **({"num_blocks": 40, "block_size": 4, "max_num_seqs": 4, "max_num_batched_tokens": 16,
                "max_model_len": 100} | limits)  # type: ignore[arg-type]
        )  # fmt: skip
        self.log, self.events = KernelLog(), list[AnyEvent]()
        cpu = torch.device("cpu")
        operations = observed(choose(cpu, "torch"), self.log)
        self.model = Decoder.load(folder, operations, cpu, torch.float32)
        executor = TorchExecutor(self.model, config, self.model if draft else None, self.log)
        recorder = Recorder(self.events.extend)
        self.engine = Engine(config, executor, Tokenizer.load(folder), (), recorder, self.log)

    def step(self) -> list[KernelsRan]:
        """What the next step said of its kernels."""
        known = len(self.events)
        self.engine.step()
        assert isinstance(self.events[-1], StepTimed)
        return [event for event in self.events[known:] if isinstance(event, KernelsRan)]


GREEDY = SamplingParams()


def test_a_step_speaks_of_its_kernels_only_while_they_are_watched(checkpoint):
    box = Watched(checkpoint)
    box.engine.add("a", "abcdefgh", 6, GREEDY)
    assert box.step() == []
    box.log.watching = True
    (ran,) = box.step()
    assert ran.calls
    box.log.watching = False
    assert box.step() == []


def test_every_operation_of_the_model_is_there_as_often_as_it_has_layers(checkpoint):
    box = Watched(checkpoint)
    box.log.watching = True
    box.engine.add("a", "abcdefgh", 6, GREEDY)
    (ran,) = box.step()
    layers = len(box.model.layers)
    count = {}
    for calls in ran.calls:
        count[calls.operation] = count.get(calls.operation, 0) + calls.count
        assert calls.seconds > 0
        assert calls.role == "model"
    assert count == {"rms_norm": 2 * layers + 1, "linear": 4 * layers + 1, "rope": layers, "store_kv": layers,
                     "paged_attention": layers, "silu_mul": layers, "sample": 1}  # fmt: skip


def test_attention_names_the_sequences_and_the_blocks_that_hold_their_tokens(checkpoint):
    box = Watched(checkpoint)
    box.log.watching = True
    box.engine.add("a", "abcdefgh" * 2, 6, GREEDY)
    box.step()
    box.engine.add("b", "abcdef", 6, GREEDY)
    box.step()
    (ran,) = box.step()
    (reads,) = ran.attention
    running = box.engine.scheduler.running
    assert reads.count == len(box.model.layers)
    assert [row.seq_id for row in reads.rows] == [seq.seq_id for seq in running]
    for row, seq in zip(reads.rows, running, strict=True):
        computed = (
            seq.num_tokens - 1
        )  # the newest token was said in this step, and its KV comes with the next
        assert row.context_len == computed
        assert row.block_ids == tuple(seq.block_table[: -(-computed // 4)])
    read = {(program.row, place) for program in reads.programs for place in range(program.begin, program.end)}
    assert read == {(at, place) for at, row in enumerate(reads.rows) for place in range(row.context_len)}


def test_the_draft_model_is_told_apart(checkpoint):
    box = Watched(checkpoint, draft=True, num_speculative_tokens=2, draft_model="itself")
    box.log.watching = True
    box.engine.add("a", "abcdefgh", 8, GREEDY)
    box.step()
    (ran,) = box.step()
    assert {reads.role for reads in ran.attention} == {"model", "draft"}
    assert {calls.role for calls in ran.calls if calls.operation == "verify_draft"} == {"model"}
    assert {calls.role for calls in ran.calls if calls.operation == "linear"} == {"model", "draft"}


def test_what_is_computed_does_not_change_while_watched(checkpoint):
    answers = []
    for watching in (False, True):
        box = Watched(checkpoint)
        box.log.watching = watching
        seq = box.engine.add("a", "abcdefgh", 6, GREEDY)
        while box.engine.has_work:
            box.engine.step()
        answers.append(seq.token_ids)
    assert answers[0] == answers[1]


def test_the_fold_keeps_them_with_their_step_and_a_file_brings_them_back(checkpoint, tmp_path):
    from ladder_engine.tracing.events import RunEnded, RunStarted

    box = Watched(checkpoint)
    config = box.engine.scheduler.config
    first = RunStarted(0, 0.0, 4, "s", "m", "torch", "cpu", 40, 4, 4, 16, 100, 64, config)
    box.engine.add("a", "abcdefgh", 3, GREEDY)
    box.step()
    box.log.watching = True
    (second,) = box.step()
    while box.engine.has_work:
        box.engine.step()
    events = [first, *box.events, RunEnded(box.engine.recorder.step - 1, 99.0)]
    state = fold(events)
    assert state.steps[0].kernels is None
    assert state.steps[1].kernels == second
    write_trace(tmp_path / "run.jsonl", events)
    assert read_trace(tmp_path / "run.jsonl") == events


def test_a_recording_of_the_version_before_is_read(tmp_path):
    path = tmp_path / "old.jsonl"
    write_trace(path, busy_trace())
    old = path.read_bytes().replace(b'"schema":4', b'"schema":3', 1)
    path.write_bytes(old)
    events = read_trace(path)
    assert fold(events).steps == fold(busy_trace()).steps
    path.write_bytes(old.replace(b'"schema":3', b'"schema":2', 1))
    with pytest.raises(Exception, match="version 2, and this program reads version 4"):
        TraceReader(path)
