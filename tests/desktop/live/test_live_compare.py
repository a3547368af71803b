"""Two variants side by side: the runs, the common clock, the verdict, and predictions."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.live.duet import TICKS, Duet
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.theme import Theme
from ladder_engine.errors import EngineError
from ladder_engine.lab.scenario import Scenario, load_scenario
from ladder_engine.tracing.events import StepTimed
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.trace_file import write_trace
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import RecordedClient
from tests.traces import LittleScheduler, Request

SCENARIO = """
id: two-ways
title: Two ways
story: s
look_at: []
engine: {num_blocks: 24, block_size: 4, max_num_seqs: 4, max_num_batched_tokens: 16, max_model_len: 96}
requests: [{name: a, prompt: p, max_tokens: 4}]
shows: concurrency-cap
explained_by: study:paging/gist/batching
variants:
  - {name: one, engine: {max_num_seqs: 1}}
  - {name: four}
prediction:
  question: How many steps does it take, against one at a time?
  measure: steps
  kind: number
  variant: four
  against: one
"""
REQUESTS = [Request(f"r{i}", 8, 10, 1) for i in range(6)]
RUNS = {name: LittleScheduler(REQUESTS, max_num_seqs=most).run() for name, most in (("one", 1), ("four", 4))}
STEPS = {name: sum(isinstance(event, StepTimed) for event in events) for name, events in RUNS.items()}


class TwoRuns(RecordedClient):
    def run(
        self,
        scenario: Path,
        kernels: object = "auto",
        variant: str = "",
        until: int | None = None,
        watch_kernels: bool = False,
        model: str = "",
    ) -> None:
        self.calls.append(f"run {variant} until {until}")
        events = RUNS[variant]
        self.queue = [events[:40], events[40:]]
        if self.failure:
            self.queue[1:] = [EngineError(self.failure)]


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    (tmp_path / "two.yaml").write_text(SCENARIO)
    return load_scenario(tmp_path / "two.yaml")


@pytest.fixture
def page(qtbot: QtBot, theme: Theme, scenario: Scenario) -> LivePage:
    client = TwoRuns()
    page = LivePage([scenario], theme, lambda: client)
    qtbot.addWidget(page, before_close_func=LivePage.shutdown)
    page.resize(1280, 800)
    page.show()
    page.activate()
    return page


def finish(page: LivePage) -> None:
    for _ in range(12):
        page.frame()
    page.deck.pause()


def test_both_variants_run_one_after_the_other_and_the_verdict_is_shown(page: LivePage, qtbot: QtBot) -> None:
    qtbot.keyClick(
        page, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    finish(page)
    assert page._client.calls == ["run one until None", "run four until None"]  # type: ignore[attr-defined]
    left, right = page.compare_panels.views
    assert left.head.text() == "one: max_num_seqs 1"
    assert right.head.text() == "four: max_num_seqs 4"
    assert page.compare_panels.sentence.text().startswith("The cap on running requests made the difference: ")
    table = page.compare_panels.table.table
    names = [table.headerData(section, Qt.Orientation.Horizontal) for section in (1, 2)]
    assert names == ["one", "four"]
    steps = next(row for row in table.rows if row[0].startswith("steps until all is done"))
    assert steps[1:3] == (str(STEPS["one"]), str(STEPS["four"]))
    assert steps[4] == "better"
    page.seek(9)
    for view, name in ((left, "one"), (right, "four")):
        assert view.grid.state.block_owner == fold([e for e in RUNS[name] if e.step <= 9]).block_owner
    page.select(2)
    assert {view.grid.selection for view in (left, right)} == {2}
    qtbot.keyClick(page, Qt.Key.Key_K)
    assert page.transport.counter.text().endswith(" s")


def test_a_run_that_fails_in_the_midst_of_a_comparison_is_said(page: LivePage) -> None:
    page._client.failure = "The engine was ended by signal 9."  # type: ignore[attr-defined]
    page.starter.compare()
    finish(page)
    assert page.head.message.text() == "The engine was ended by signal 9."
    assert page.duet.sides[0].last > 0
    assert not page.comparer.complete
    assert not page.compare_panels.sentence.text()


def test_a_target_leads_to_the_comparison_and_the_lab_leads_to_the_lesson(
    page: LivePage, qtbot: QtBot
) -> None:
    page.choose("two-ways?compare")
    assert page.comparing
    with qtbot.waitSignal(page.go) as went:
        qtbot.keyClick(page, Qt.Key.Key_E)
    assert went.args == ["study:paging/gist/batching"]


@pytest.mark.parametrize(("guess", "right"), [(round(STEPS["four"] / STEPS["one"], 2), True), (0.99, False)])
def test_a_prediction_runs_both_and_is_scored_by_what_was_measured(
    page: LivePage, qtbot: QtBot, guess: float, right: bool
) -> None:
    page.prediction.number.setValue(guess)
    page.prediction.number.setFocus()
    told: list[tuple[str, bool, dict[str, float]]] = []
    page.predicted.connect(lambda *args: told.append(args))
    qtbot.mouseClick(page.prediction.button, Qt.MouseButton.LeftButton)
    assert page.comparing
    finish(page)
    ((scenario_id, was_right, detail),) = told
    assert (scenario_id, was_right, detail["guess"]) == ("two-ways", right, guess)
    assert detail["measured"] == pytest.approx(STEPS["four"] / STEPS["one"])
    assert ("close enough" in page.prediction.result.text()) is right
    page.starter.compare()
    finish(page)
    assert len(told) == 1, "a run without a guess scores nothing"


def test_running_the_other_variant_alone(page: LivePage) -> None:
    page.head.choose_variant("four")
    page.run()
    finish(page)
    assert not page.comparing
    assert page._client.calls[-1].startswith("run four until ")  # type: ignore[attr-defined]
    page.head.choose_variant("one")
    assert page.head.message.text() == "The panels show Two ways (four) until this one is run."


@given(st.lists(st.integers(0, 400), max_size=12))
def test_on_the_clock_of_seconds_each_side_shows_the_steps_that_were_over(moments: list[int]) -> None:
    duet = Duet()
    for which, name in enumerate(("one", "four")):
        duet.feed(which, RUNS[name])
    duet.clock = "seconds"
    for moment in moments:
        duet.seek(moment)
        for side, name in zip(duet.sides, ("one", "four"), strict=True):
            begun = next(event.time for event in RUNS[name] if type(event).__name__ == "Arrived")
            over = [
                e for e in RUNS[name] if isinstance(e, StepTimed) and e.time - begun <= duet.position / TICKS
            ]
            assert side.position == len(over)


def test_home_and_end_on_the_timeline_of_either_go_to_the_ends_of_that_run(
    page: LivePage, qtbot: QtBot
) -> None:
    page.starter.compare()
    finish(page)
    for view, name in zip(page.compare_panels.views, ("one", "four"), strict=True):
        page.seek(9)
        qtbot.keyClick(view.timeline, Qt.Key.Key_End)
        assert page.duet.position == STEPS[name]
        qtbot.keyClick(view.timeline, Qt.Key.Key_Home)
        assert page.duet.position == 0


def test_single_steps_by_the_clock_of_seconds_stop_at_each_step_of_either(page: LivePage) -> None:
    duet = Duet()
    for which, events in enumerate(RUNS.values()):
        duet.feed(which, events)
    duet.clock = "seconds"
    seen = [(0, 0)]
    for _ in range(300):
        duet.step_by(1)
        seen.append((duet.sides[0].position, duet.sides[1].position))
    assert seen[-1] == (STEPS["one"], STEPS["four"])
    assert all(b[0] - a[0] <= 1 and b[1] - a[1] <= 1 for a, b in pairwise(seen))
    for _ in range(400):
        duet.step_by(-1)
    assert (duet.sides[0].position, duet.sides[1].position) == (0, 0)


def test_a_comparison_is_saved_and_opens_again_side_by_side(
    page: LivePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    page.starter.compare(("one", "four"))
    for _ in range(8):
        page.frame()
    sentence, rows = page.compare_panels.sentence.text(), page.compare_panels.table.table.rows
    assert sentence
    assert rows
    page.keeping.save(tmp_path / "both.jsonl")
    assert page.head.message.text() == "Saved as both.left.jsonl and both.right.jsonl."
    page.keeping.save(tmp_path / "both.csv")
    with (tmp_path / "both.csv").open(encoding="utf-8") as file:
        names, *told = csv.reader(file)
    assert names[:3] == ["Measured", "one", "four"]
    assert [tuple(row) for row in told] == list(rows)
    page.keeping.save(tmp_path / "both.png")
    assert QImage(str(tmp_path / "both.png")).size() == page.compare_panels.size()
    page.keeping.save(tmp_path / "both.json")
    assert page.head.message.text().endswith("a Chrome trace holds one run; run one of the two by itself.")

    page.run()
    page.frame()
    assert not page.comparing
    saved = [str(tmp_path / f"both.{which}.jsonl") for which in ("right", "left")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (saved, ""))
    page.keeping.ask_open()
    assert page.comparing
    assert [side.edge for side in page.duet.sides] == [fold(RUNS["one"]), fold(RUNS["four"])]
    again = {row[0]: row[1:4] for row in page.compare_panels.table.table.rows}
    assert again == {row[0]: row[1:4] for row in rows}
    page.seek(5)
    assert [len(side.state.steps) for side in page.duet.sides] == [5, 5]


def test_a_damaged_half_of_a_comparison_is_a_sentence(page: LivePage, tmp_path: Path) -> None:
    write_trace(tmp_path / "left.jsonl", RUNS["one"])
    (tmp_path / "right.jsonl").write_text("hello")
    page.keeping.open_pair(tmp_path / "left.jsonl", tmp_path / "right.jsonl")
    assert "is not a trace of this engine" in page.head.message.text()
    assert not page.comparing
