"""A scenario file from end to end, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.engine import Engine
from ladder_engine.errors import EngineError, TraceFileError
from ladder_engine.lab import runner, scenario
from ladder_engine.lab.runner import run_scenario
from ladder_engine.tracing.events import SCHEMA, AnyEvent, Arrived, Finished, Preempted, RunEnded, RunStarted
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.summary import summarize
from ladder_engine.tracing.trace_file import TraceWriter, read_trace


@pytest.fixture(autouse=True)
def tiny_stands_for_the_bundled_model(monkeypatch: pytest.MonkeyPatch, checkpoint: Path) -> None:
    monkeypatch.setattr(scenario, "find_model", lambda name, models_dir: checkpoint)


def write(tmp_path: Path, requests: str, **limits: int) -> Path:
    roomy = {"num_blocks": 64, "max_num_seqs": 4, "max_num_batched_tokens": 32, "max_model_len": 256} | limits
    path = tmp_path / "case.yaml"
    path.write_text(f"id: case\ntitle: t\nstory: s\nlook_at: []\nengine: {roomy}\nrequests:\n{requests}")
    return path


def run(path: Path, **options: Any) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    run_scenario(path, events.extend, "torch", **options)
    return events


def arrivals(events: list[AnyEvent]) -> dict[str, int]:
    return {event.name: event.step for event in events if isinstance(event, Arrived)}


def test_the_third_bundled_scenario_preempts_and_everybody_is_served() -> None:
    events = run(scenario.find_scenario("more-than-fits"))
    assert isinstance(events[0], RunStarted)
    assert events[-1] == RunEnded(step=events[-1].step, time=events[-1].time, error=None)
    assert [event.step for event in events] == sorted(event.step for event in events)
    assert [event.time for event in events] == sorted(event.time for event in events)
    assert sum(isinstance(event, Preempted) for event in events) >= 1
    summary = summarize(events)
    assert (summary.requests, summary.finished, summary.preemptions > 0) == (14, 14, True)
    assert summary.kv_use_peak == 1.0
    text = "\n".join(summary.lines())
    assert "tokens/s measured on this machine, kernels torch" in text


def test_requests_arrive_just_before_their_step_or_when_the_engine_is_idle(tmp_path: Path) -> None:
    events = run(
        write(
            tmp_path,
            "- {name: late, prompt: a, max_tokens: 2, arrive_at_step: 90}\n"
            "- {name: first, prompt: a, max_tokens: 8, sampling: {ignore_eos: true}}\n"
            "- {name: fifth, prompt: a, max_tokens: 3, arrive_at_step: 5, sampling: {ignore_eos: true}}\n",
        )
    )
    assert arrivals(events) == {"first": 0, "fifth": 5, "late": 9}


def test_breaking_off_aborts_everybody_and_ends_the_trace(tmp_path: Path) -> None:
    path = write(tmp_path, "".join(f"- {{name: r{i}, prompt: abc, max_tokens: 50}}\n" for i in range(6)))
    steps = iter([True] * 3 + [False])
    events = run(path, attend=lambda engine: next(steps))
    finished = [event for event in events if isinstance(event, Finished)]
    assert [event.reason for event in finished] == ["aborted"] * 6
    assert isinstance(events[-1], RunEnded)
    state = fold(events)
    assert state.num_free_blocks == 64
    assert summarize(events).aborted == 6


def broken_in_step_3(tmp_path: Path, happens: Callable[[], object]) -> tuple[list[AnyEvent], str]:
    """Run a scenario in which something goes wrong in its third step; return the trace and the sentence."""
    path = write(tmp_path, "- {name: r, prompt: abc, max_tokens: 50}")
    events: list[AnyEvent] = []

    def attend(engine: Engine) -> bool:
        if engine.recorder.step == 3:
            happens()
        return True

    with pytest.raises(EngineError) as error:
        run_scenario(path, events.extend, "torch", attend)
    assert isinstance(events[-1], RunEnded)
    assert events[-1].error == str(error.value)
    return events, str(error.value)


def test_a_run_that_breaks_says_so_in_the_trace_and_to_the_caller(tmp_path: Path) -> None:
    def fail() -> None:
        raise RuntimeError("the device is gone")

    events, said = broken_in_step_3(tmp_path, fail)
    assert "case.yaml: the run broke off in step 3 " in said
    assert "the device is gone" in said
    assert summarize(events).lines()[-1].startswith("broke off")


@pytest.mark.parametrize(
    "allocate", [lambda: bytearray(2**62), lambda: torch.empty(2**46)], ids=["python", "torch"]
)
def test_memory_that_runs_out_in_the_midst_is_said_plainly_and_the_trace_ends_with_it(
    tmp_path: Path, allocate: Callable[[], object]
) -> None:
    events, said = broken_in_step_3(tmp_path, allocate)
    assert "broke off in step 3 (the engine ran out of memory; give" in said
    assert len(fold(events).steps) == 2


def test_an_interrupt_ends_the_trace_honestly(tmp_path: Path) -> None:
    def attend(engine: Engine) -> bool:
        raise KeyboardInterrupt

    events: list[AnyEvent] = []
    with pytest.raises(KeyboardInterrupt):
        run_scenario(
            write(tmp_path, "- {name: r, prompt: abc, max_tokens: 50}"), events.extend, "torch", attend
        )
    assert "interrupted" in events[-1].error


def test_a_sink_that_fails_is_the_error(tmp_path: Path) -> None:
    def sink(events: list[AnyEvent]) -> None:
        if events[0].step == 2:
            raise TraceFileError(
                "run.jsonl: cannot be written (No space left on device); choose another place."
            )

    with pytest.raises(TraceFileError, match="No space left"):
        run_scenario(write(tmp_path, "- {name: r, prompt: abc, max_tokens: 50}"), sink, "torch")


def test_faults_are_found_before_the_run_starts(tmp_path: Path, make_checkpoint: Callable[..., Path]) -> None:
    for limits, words in (({"num_blocks": 2}, "can never run"), ({"max_model_len": 600}, "512 positions")):
        path = write(tmp_path, "- {name: r, prompt: abc, max_tokens: 50}", **limits)
        events: list[AnyEvent] = []
        with pytest.raises(EngineError, match=words) as error:
            run_scenario(path, events.extend, "torch")
        assert str(error.value).startswith(f"{path}: ")
        assert events == []


def test_a_trace_file_gives_back_what_was_recorded(tmp_path: Path) -> None:
    path = write(tmp_path, '- {name: r, prompt: "東京 \\u2028 x", max_tokens: 5}')
    events: list[AnyEvent] = []
    with TraceWriter(tmp_path / "run.jsonl") as writer:
        run_scenario(path, lambda step: (events.extend(step), writer(step)), "torch")
    assert read_trace(tmp_path / "run.jsonl") == events


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda lines: lines[:-1], "breaks off after step"),
        (lambda lines: [*lines[:-1], lines[-1][:9]], "breaks off after step"),
        (lambda lines: lines[:1], "breaks off after step 0"),
        (lambda lines: [lines[0], b'{"type": "Arrived"}', *lines[1:]], "line 2 is damaged"),
        (lambda lines: [lines[0].replace(b'"schema":%d' % SCHEMA, b'"schema":99'), *lines[1:]], "version 99"),
        (lambda lines: lines[1:], "is not a trace"),
        (lambda lines: [b"PK\x03\x04"], "is not a trace"),
        (lambda lines: [], "is not a trace"),
    ],
)
def test_a_cut_or_foreign_trace_file_says_what_is_wrong(tmp_path: Path, damage: Any, words: str) -> None:
    path = tmp_path / "run.jsonl"
    with TraceWriter(path) as writer:
        run_scenario(write(tmp_path, "- {name: r, prompt: abc, max_tokens: 5}"), writer, "torch")
    path.write_bytes(b"\n".join(damage(path.read_bytes().splitlines())))
    with pytest.raises(TraceFileError) as error:
        read_trace(path)
    assert str(error.value).startswith(f"{path}: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_trace_file_that_cannot_be_written_or_read(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match="cannot be written"):
        TraceWriter(tmp_path / "no" / "run.jsonl")
    with pytest.raises(TraceFileError, match="cannot be read"):
        read_trace(tmp_path / "none.jsonl")


def test_a_kernel_mode_that_cannot_run_here_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise runner.KernelError("Triton is not installed.")

    monkeypatch.setattr(runner, "choose", refuse)
    with pytest.raises(EngineError, match=r"^Triton is not installed\.$"):
        run(write(tmp_path, "- {name: r, prompt: abc, max_tokens: 5}"))
