"""The table of `make bench-engine` keeps what it has when a part of it fails, and says which targets are missed."""

from __future__ import annotations

import pytest

from tests.engine import bench_engine


def test_what_fails_is_told_and_the_others_are_still_measured_in_turn(capsys, monkeypatch):
    monkeypatch.setattr(bench_engine, "FAILED", [])
    seconds = iter([3.0, 2.0, 4.0])

    def fails() -> float:
        raise ImportError("psutil is not there")

    assert bench_engine.least({"theirs": fails, "ours": lambda: next(seconds)}, 3) == {"ours": 2.0}
    assert capsys.readouterr().out == "theirs: not measured: ImportError: psutil is not there\n"
    assert bench_engine.FAILED == ["theirs"]


@pytest.mark.parametrize(("bound", "said"), [(2.6, "out of reach without drafts"), (3.1, "within reach")])
def test_a_missed_target_comes_with_its_reason(capsys, bound, said):
    bench_engine.row("engine / other", 14.3, 10, "tokens/s", 3.0)
    bench_engine.explain(0.55, bound, 3.0)
    out = capsys.readouterr().out
    assert "1.43 x  target 3: MISSED" in out
    assert "55% of the engine's time" in out
    assert said in out
