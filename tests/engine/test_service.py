"""The engine's process, spoken to over its pipes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ladder_engine.serving.client import EngineClient
from ladder_engine.serving.protocol import (
    Abort,
    Advance,
    Failed,
    Run,
    Shutdown,
    Stop,
    WatchKernels,
    decode_messages,
    read_frame,
    write_frame,
)
from ladder_engine.tracing.events import (
    Arrived,
    Finished,
    KernelsRan,
    RunEnded,
    RunStarted,
    Sampled,
    StepTimed,
)
from ladder_engine.tracing.fold import fold

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}


class Child:
    def __init__(self) -> None:
        command = [sys.executable, "-m", "ladder_engine.serving.service"]
        self.process: Any = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
        )

    def say(self, command: Any) -> None:
        write_frame(self.process.stdin, command)

    def raw(self, body: bytes) -> None:
        self.process.stdin.write(len(body).to_bytes(4, "little") + body)
        self.process.stdin.flush()

    def hear(self, until: type) -> list[Any]:
        messages: list[Any] = []
        while not any(isinstance(message, until) for message in messages):
            body = read_frame(self.process.stdout)
            assert body is not None, "the process has left"
            messages += decode_messages(body)
        return messages


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child()
    yield child
    child.process.kill()
    child.process.wait()
    child.process.stdin.close()
    child.process.stdout.close()


@pytest.fixture
def scenario(tmp_path: Path, checkpoint: Path) -> Path:
    """Two requests that do not fit together; a long run."""
    (tmp_path / "model").symlink_to(checkpoint, target_is_directory=True)
    path = tmp_path / "two.yaml"
    path.write_text(
        "id: two\ntitle: t\nstory: s\nlook_at: []\nmodel: ./model\n"
        "engine: {num_blocks: 30, max_num_seqs: 2, max_num_batched_tokens: 32, max_model_len: 512}\n"
        "requests:\n"
        "  - {name: a, prompt: abc, max_tokens: 400, sampling: {ignore_eos: true}}\n"
        "  - {name: b, prompt: abc, max_tokens: 400, sampling: {ignore_eos: true}}\n"
    )
    return path


def test_commands_good_and_bad_in_one_life(child: Child, scenario: Path, tmp_path: Path) -> None:
    child.raw(b"\xc1 not msgpack")
    assert "does not know" in child.hear(Failed)[-1].message
    child.raw(b"\x81\xa4type\xa5Dance")
    assert "Dance" in child.hear(Failed)[-1].message
    child.say(Stop())
    child.say(Abort(3))
    child.say(Run(str(tmp_path / "none.yaml")))
    assert child.hear(Failed)[-1].message.startswith(f"{tmp_path / 'none.yaml'}: cannot be read")

    child.say(Run(str(scenario), "torch"))
    events = child.hear(Sampled)
    assert isinstance(events[0], RunStarted)
    child.raw(b"\xc1 noise in the middle of a run")
    child.say(Abort(0))
    child.say(Abort(77))
    events += child.hear(Failed)
    child.say(Stop())
    events += child.hear(RunEnded)
    events = [event for event in events if not isinstance(event, Failed)]
    ends = [(event.seq_id, event.reason) for event in events if isinstance(event, Finished)]
    assert ends == [(0, "aborted"), (1, "aborted")]
    assert fold(events).num_free_blocks == 30

    child.say(Run(str(scenario), "torch"))
    child.say(Run(str(scenario), "torch"))
    first = child.hear(RunEnded)
    second = child.hear(RunEnded)
    assert {event.reason for event in first if isinstance(event, Finished)} <= {"aborted"}
    assert [event.reason for event in second if isinstance(event, Finished)] == ["length", "length"]
    assert sum(isinstance(event, Arrived) for event in second) == 2
    state = fold(second)
    assert state.num_output_tokens == 800
    assert sum(seq.preemptions for seq in state.sequences.values()) >= 1

    child.say(Shutdown())
    assert child.process.wait(30) == 0


def test_the_process_leaves_when_its_parent_is_gone(child: Child, scenario: Path) -> None:
    child.say(Run(str(scenario), "torch"))
    child.hear(RunStarted)
    child.process.stdin.close()
    assert child.process.wait(30) == 0


def test_the_client_and_the_service_understand_each_other(scenario: Path) -> None:
    client = EngineClient()
    try:
        client.run(scenario, "torch")
        events: list[Any] = []
        until = time.monotonic() + 60
        while not (events and isinstance(events[-1], RunEnded)):
            assert time.monotonic() < until
            events += client.poll()
            time.sleep(0.005)
        assert fold(events).num_output_tokens == 800
    finally:
        client.close()


def test_kernels_are_watched_from_the_next_step_on_and_no_longer_when_told(
    child: Child, scenario: Path
) -> None:
    child.say(Run(scenario=str(scenario), kernels="torch", until=2, watch_kernels=True))
    messages = child.hear(StepTimed)
    while messages[-1].step < 2:
        messages += child.hear(StepTimed)
    child.say(WatchKernels(on=False))
    child.say(Advance(until=4))
    while messages[-1].step < 4:
        messages += child.hear(StepTimed)
    child.say(Run(scenario=str(scenario), kernels="torch", until=1))
    messages += child.hear(RunEnded)
    again = child.hear(StepTimed)
    assert [message.step for message in messages if isinstance(message, KernelsRan)] == [1, 2]
    assert not any(isinstance(message, KernelsRan) for message in again)


def test_more_blocks_than_there_is_memory_for_is_a_sentence_and_the_next_run_runs(
    child: Child, scenario: Path, tmp_path: Path
) -> None:
    huge = tmp_path / "huge.yaml"
    huge.write_text(scenario.read_text().replace("num_blocks: 30", "num_blocks: 4000000000"))
    child.say(Run(str(huge), "torch"))
    said = child.hear(Failed)[-1].message
    assert said.startswith(f"{huge}: cannot be run (the engine ran out of memory; give it fewer blocks")
    child.say(Run(str(scenario), "torch"))
    assert isinstance(child.hear(Sampled)[0], RunStarted)
