"""The Chrome trace of a run, against the format's rules and against the run itself."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from ladder_engine.errors import TraceFileError
from ladder_engine.fold import fold
from ladder_engine.perfetto import ENGINE, REQUESTS, write_chrome_trace

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
    tracks: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert (ENGINE, 1) in tracks
    for spans in tracks.values():
        spans.sort(key=lambda span: (span[0], -span[1]))
        open_ends: list[float] = []
        for begin, end in spans:
            while open_ends and open_ends[-1] <= begin + 0.01:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1] + 0.01
            open_ends.append(end)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match=r"no/run\.json: cannot be written"):
        write_chrome_trace(tmp_path / "no" / "run.json", STATE)
