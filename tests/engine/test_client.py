from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ladder_engine.errors import EngineError
from ladder_engine.serving.client import AT_ONCE, EngineClient
from ladder_engine.tracing.events import Admitted, AnyEvent, RunEnded, RunStarted

SCENARIO = Path("scenario.yaml")

CHILD = """
import os, signal, sys, time
from ladder_engine.config import EngineConfig
from ladder_engine.serving.protocol import Failed, Run, Shutdown, Stop, decode_command, read_frame, write_frame
from ladder_engine.tracing.events import Admitted, RunEnded, RunStarted, SCHEMA

def hear():
    body = read_frame(sys.stdin.buffer)
    return sys.exit(0) if body is None else decode_command(body)

def say(*events):
    write_frame(sys.stdout.buffer, list(events))

def started(name):
    return RunStarted(step=0, time=0.0, schema=SCHEMA, scenario=name, model="m", kernels="torch", device="cpu", num_blocks=1,
        block_size=16, max_num_seqs=1, max_num_batched_tokens=16, max_model_len=16, kv_bytes_per_token=1,
        engine=EngineConfig(num_blocks=1, max_num_seqs=1, max_num_batched_tokens=16, max_model_len=16))
ended = RunEnded(step=0, time=1.0)
"""
HONEST = """
command = hear()
while not isinstance(command, Shutdown):
    following = None
    if isinstance(command, Run):
        say(started(command.scenario))
        if "long" in command.scenario:
            following = hear()
        say(ended)
    command = following or hear()
"""


@pytest.fixture
def clients() -> Iterator[list[EngineClient]]:
    """Clients that are closed at the end; then no process and no thread may be left."""
    made: list[EngineClient] = []
    yield made
    for client in made:
        client.close()
    assert [thread.name for thread in threading.enumerate() if thread.name == "engine-reader"] == []


def client_of(clients: list[EngineClient], script: str, answer_within: float = 60.0) -> EngineClient:
    client = EngineClient([sys.executable, "-c", CHILD + script], answer_within)
    clients.append(client)
    return client


def listen(client: EngineClient, seconds: float = 60.0) -> list[AnyEvent]:
    """Poll until the run has ended."""
    events: list[AnyEvent] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        events += client.poll()
        if events and isinstance(events[-1], RunEnded):
            return events
        time.sleep(0.005)
    raise AssertionError(f"no end of the run after {seconds} s, only {events}")


def pid_of(client: EngineClient) -> int:
    assert client._child is not None
    return client._child._process.pid


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_run_comes_through_whole_and_the_child_serves_the_next(clients: list[EngineClient]) -> None:
    client = client_of(clients, HONEST)
    assert client.poll() == []
    client.run(SCENARIO)
    assert client.starting
    first = listen(client)
    pid = pid_of(client)
    client.run(Path("other.yaml"))
    second = listen(client)

    assert [type(event) for event in first] == [RunStarted, RunEnded]
    assert isinstance(second[0], RunStarted)
    assert second[0].scenario == "other.yaml"
    assert pid_of(client) == pid
    assert not client.running


def test_what_comes_in_a_flood_is_handed_out_in_pieces_and_whole(clients: list[EngineClient]) -> None:
    flood = "hear(); say(started('a')); say(*[Admitted(step=0, time=0.0, seq_id=i) for i in range(4000)])\n"
    client = client_of(clients, flood + "say(RunEnded(step=0, time=0.0)); time.sleep(600)")
    client.run(SCENARIO)
    pieces: list[list[AnyEvent]] = [[]]
    while not any(isinstance(event, RunEnded) for event in pieces[-1]):
        assert client.running
        time.sleep(0.005)
        pieces.append(client.poll())
    assert max(map(len, pieces)) <= AT_ONCE
    said = [event.seq_id for piece in pieces for event in piece if isinstance(event, Admitted)]
    assert said == list(range(4000))
    assert not client.running


def test_a_new_run_replaces_the_one_before_and_its_events_are_dropped(clients: list[EngineClient]) -> None:
    client = client_of(clients, HONEST)
    client.run(Path("long.yaml"))
    while not client.poll():
        time.sleep(0.005)
    client.run(SCENARIO)
    events = listen(client)

    assert [type(event) for event in events] == [RunStarted, RunEnded]
    assert isinstance(events[0], RunStarted)
    assert events[0].scenario == "scenario.yaml"


def test_stop_ends_the_run(clients: list[EngineClient]) -> None:
    client = client_of(clients, HONEST)
    client.run(Path("long.yaml"))
    client.stop()
    assert isinstance(listen(client)[-1], RunEnded)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("hear(); say(started('a')); raise RuntimeError('the pool is gone')",
         "The engine stopped with exit status 1: RuntimeError: the pool is gone."),
        ("hear(); say(started('a')); os.kill(os.getpid(), 9)", "The engine was killed by the system or another program, as happens when memory runs out."),
        ("hear(); sys.exit(0)", "The engine stopped with exit status 0."),
        ("hear(); say(Failed(message='No file scenario.yaml'))", "No file scenario.yaml."),
        ("hear(); print('hello, this is a banner', flush=True); time.sleep(60)", "not part of the protocol"),
        ("hear(); sys.stdout.buffer.write(b'\\x03\\0\\0\\0abc'); sys.stdout.flush(); time.sleep(60)", "not part of the protocol"),
        ("hear(); say(started('a')); sys.stdout.buffer.write(b'\\x09\\0\\0\\0abc')", "The engine stopped with exit status 0."),
        ("import no_such_module", "The engine stopped with exit status 1: ModuleNotFoundError: No module named 'no_such_module'."),
    ],
)  # fmt: skip
def test_a_child_that_fails_gives_one_sentence(
    clients: list[EngineClient], script: str, sentence: str
) -> None:
    client = client_of(clients, script)
    client.run(SCENARIO)
    with pytest.raises(EngineError) as error:
        listen(client)

    assert sentence in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
    assert not client.running
    assert client.poll() == [], "the sentence comes once"


def test_events_before_a_death_are_delivered_first(clients: list[EngineClient]) -> None:
    client = client_of(clients, "hear(); say(started('a')); sys.exit(3)")
    client.run(SCENARIO)
    events: list[AnyEvent] = []

    def until_the_end() -> None:
        while True:
            events.extend(client.poll())
            time.sleep(0.005)

    with pytest.raises(EngineError):
        until_the_end()
    assert [type(event) for event in events] == [RunStarted]


def test_a_child_that_never_answers_is_ended(clients: list[EngineClient]) -> None:
    client = client_of(clients, "time.sleep(600)", answer_within=0.2)
    client.run(SCENARIO)
    pid = pid_of(client)
    with pytest.raises(EngineError, match="has not answered"):
        listen(client)
    assert not exists(pid)


def test_after_a_death_the_next_run_starts_a_new_child(clients: list[EngineClient], tmp_path: Path) -> None:
    mark = tmp_path / "was-here"
    script = f"""
import pathlib
if not pathlib.Path({str(mark)!r}).exists():
    pathlib.Path({str(mark)!r}).touch()
    sys.exit(1)
"""
    client = client_of(clients, script + HONEST)
    client.run(SCENARIO)
    with pytest.raises(EngineError):
        listen(client)
    client.run(SCENARIO)
    assert isinstance(listen(client)[-1], RunEnded)


def test_a_command_that_is_not_there_gives_one_sentence() -> None:
    with pytest.raises(EngineError, match=r"^The engine cannot be started: .*\.$"):
        EngineClient(["/no/such/engine"]).run(SCENARIO)


@pytest.mark.parametrize(
    "script",
    [
        HONEST,
        "hear(); say(started('a'))\nwhile True: pass",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); hear(); say(started('a')); time.sleep(600)",
        "hear(); say(started('a'))\nwhile True: say(*[started('flood')] * 100)",
        "import subprocess; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); hear(); say(started('a')); time.sleep(600)",
    ],
    ids=["idle", "busy", "deaf", "flood", "grandchild"],
)
def test_close_leaves_no_process_and_no_thread(clients: list[EngineClient], script: str) -> None:
    client = client_of(clients, script)
    client.run(Path("long.yaml"))
    while client.starting:
        client.poll()
        time.sleep(0.005)
    pid = pid_of(client)
    client.close()

    assert not exists(pid)
    assert "engine-reader" not in [thread.name for thread in threading.enumerate()]
    client.close()


def test_importing_the_client_imports_no_torch() -> None:
    import subprocess

    code = (
        "import sys, ladder_engine.serving.client; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
