"""The Chrome trace of a run, against the format's rules and against the run itself."""

from __future__ import annotations

import json
from collections import defaultdict
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from ladder_engine.errors import TraceFileError
from ladder_engine.tracing.events import KernelsRan
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.kernel_trace import KernelCalls, KernelLaunch
from ladder_engine.tracing.perfetto import ENGINE, REQUESTS, chrome_trace, write_chrome_trace
from ladder_engine.tracing.trace_file import write_trace
from msgspec.structs import replace

from tests.traces import busy_trace

STATE = fold(busy_trace())


@pytest.fixture
def events(tmp_path: Path) -> list[dict[str, Any]]:
    write_chrome_trace(tmp_path / "run.json", STATE)
    data = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert data["displayTimeUnit"] == "ms"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    return list(data["traceEvents"])


def test_every_event_has_what_its_phase_asks_for(events: list[dict[str, Any]]) -> None:
    wanted = {
        "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
        "i": {"name", "cat", "pid", "tid", "ts", "s"},
        "C": {"name", "pid", "tid", "ts", "args"},
        "M": {"name", "pid", "tid", "args"},
    }
    for event in events:
        assert event.keys() - {"ph"} == wanted[event["ph"]]
        assert event.get("ts", 0) >= 0
        assert event.get("dur", 0) >= 0
        if event["ph"] == "C":
            assert all(isinstance(value, int) for value in event["args"].values())
        if event["ph"] == "i":
            assert event["s"] == "t"


def test_each_request_has_a_named_track_and_a_slice_for_each_step_that_worked_on_it(
    events: list[dict[str, Any]],
) -> None:
    names = {
        e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == REQUESTS
    }
    assert names == {seq.seq_id + 1: f"{seq.seq_id + 1} {seq.name}" for seq in STATE.sequences.values()}
    slices = [
        e for e in events if e["ph"] == "X" and e["pid"] == REQUESTS and e["cat"] in ("prefill", "decode")
    ]
    found = sorted((e["tid"] - 1, e["cat"], e["args"]["from"], e["args"]["tokens"]) for e in slices)
    assert found == sorted(
        (w.seq_id, w.kind, w.start, w.num_tokens) for step in STATE.steps for w in step.work
    )
    steps = [e for e in events if e["ph"] == "X" and e["cat"] == "step"]
    assert [e["name"] for e in steps] == [f"step {step.number}" for step in STATE.steps]
    assert sum(e["ph"] == "i" and e["name"] == "preempted" for e in events) == sum(
        seq.preemptions for seq in STATE.sequences.values()
    )


def test_slices_of_one_track_are_apart_or_one_within_the_other(events: list[dict[str, Any]]) -> None:
    """As Perfetto reads them: in whole nanoseconds, by begin and then as they stand in the file, an instant as a slice of
    no length; one that begins within another and ends after it would go to a track of its own."""
    tracks: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for event in events:
        if event["ph"] in ("X", "i"):
            begin = round(event["ts"] * 1000)
            tracks[event["pid"], event["tid"]].append((begin, begin + round(event.get("dur", 0) * 1000)))
    assert (ENGINE, 1) in tracks
    for spans in tracks.values():
        open_ends: list[int] = []
        for begin, end in sorted(spans, key=itemgetter(0)):
            open_ends = [other for other in open_ends if other > begin]
            assert all(end <= other for other in open_ends)
            open_ends.append(end)


def test_kernels_of_watched_steps_stand_end_to_end_within_their_step(tmp_path: Path) -> None:
    launch = KernelLaunch("silu_mul_kernel", (5, 1), None, 64)
    calls = tuple(
        KernelCalls(name, "model", "[5, 2]", "float32", (launch,), 4, seconds)
        for name, seconds in (("linear", 2e-4), ("silu_mul", 1e-4))
    )
    steps = list(STATE.steps)
    steps[3] = replace(steps[3], execute_s=4e-4, kernels=KernelsRan(steps[3].number, 0.0, calls, ()))
    write_chrome_trace(tmp_path / "run.json", replace(STATE, steps=steps))
    events = json.loads((tmp_path / "run.json").read_text("utf-8"))["traceEvents"]
    first, second = (event for event in events if event.get("cat") == "kernel")
    (execute,) = (
        event
        for event in events
        if event["name"] == "execute"
        and event["ts"] <= first["ts"] + 0.01
        and first["ts"] < event["ts"] + event["dur"]
    )
    assert (first["name"], second["name"]) == ("linear", "silu_mul")
    assert first["ts"] == pytest.approx(execute["ts"], abs=0.01)
    assert second["ts"] == pytest.approx(first["ts"] + first["dur"], abs=0.01)
    assert second["ts"] + second["dur"] <= execute["ts"] + execute["dur"] + 0.01
    assert first["dur"] == pytest.approx(200, abs=0.01)
    assert first["args"]["silu_mul_kernel"] == "grid (5, 1), bytes a call: unknown, floor 64"
    assert not any(event.get("tid") == 2 and event["pid"] == ENGINE for event in chrome_trace(STATE))


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match=r"no/run\.json: cannot be written"):
        write_chrome_trace(tmp_path / "no" / "run.json", STATE)


def test_what_cannot_take_its_place_leaves_nothing_behind(tmp_path: Path) -> None:
    place = tmp_path / "run.json"
    place.mkdir()
    for write in (lambda: write_chrome_trace(place, STATE), lambda: write_trace(place, busy_trace())):
        with pytest.raises(TraceFileError, match=r"run\.json: cannot be written"):
            write()
        assert list(tmp_path.iterdir()) == [place]
