"""Classify what you saw: the pack's own program decides, over what was measured, and the dialog shows how."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ladder_content.bundled import bundled_pack
from ladder_content.loader import load_pack
from ladder_desktop.lessons.sandbox import Sandbox, Switch
from ladder_desktop.live.classify_dialog import ClassifyDialog
from ladder_desktop.live.classifying import NO_MACHINE, NOBODY, program, read_verdict, why_not
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.theme import Theme
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.lab.shape import Figure, shape_of
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import RunState
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import RecordedClient, with_run
from tests.traces import busy_trace

LINKS = ("study:hub/gist/signatures", "study:hub/sandbox/hub-classifier")


@pytest.fixture(scope="module")
def pack():
    return load_pack(bundled_pack())


@pytest.fixture(scope="module")
def snippet(pack):
    return next(one for study in pack.studies for one in study.snippets if one.id == "hub-classifier")


@pytest.fixture(scope="module")
def state() -> RunState:
    """A run on a machine that is known."""
    first, *rest = busy_trace()
    return fold([replace(first, weight_bytes=4_000_000, bytes_per_second=1e10), *rest])


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


def by_hand(snippet, config, readings: dict[str, float]) -> dict[str, object]:
    """The pack's program run by Python itself, in the test alone."""
    space: dict[str, object] = {}
    exec(snippet.code, space)  # the bundled pack is ours
    space.update(
        WEIGHTS=config.weight_bytes, KV_PER_TOKEN=config.kv_bytes_per_token, BANDWIDTH=config.bytes_per_second
    )
    return space | {
        "says": space["classify"](**readings),
        "found": space["scores"](space["reading"](**readings)),
    }


@pytest.mark.parametrize(
    "targets",
    [
        {},
        {"tpot_target_ms": 1.0},
        {"ttft_target_ms": 1.0},
        {"itl_target_ms": 0.5},
        {"ttft_target_ms": 1.0, "tpot_target_ms": 0.1, "itl_target_ms": 0.1},
    ],
)
def test_the_verdict_is_that_of_the_packs_program(sandbox, snippet, state, targets):
    figures = shape_of(state).asked
    outcome = sandbox.run(program(snippet.code, state.config, figures, targets), Switch())
    verdict = read_verdict(outcome.output)
    assert verdict is not None, outcome.sentence
    known = {figure.name: figure.value for figure in figures if figure.value is not None}
    space = by_hand(snippet, state.config, known | targets)
    assert verdict.bound == space["says"]
    assert [rule.bound for rule in verdict.rules] == space["RULES"]
    assert {rule.bound: rule.share for rule in verdict.rules} == pytest.approx(space["found"])
    floor = (4e6 + known["running"] * known["context"] * 1024) / 1e10 * 1000
    assert verdict.floor_ms == pytest.approx(floor)
    assert verdict.healthy["ttft_target_ms"] == 1000


def test_readings_that_the_pack_knows_the_answer_to_come_out_so(sandbox, snippet, state):
    """The pack's vectors, through our door: on the pack's own machine each names the bound that it promises."""
    h100 = replace(
        state.config, weight_bytes=15_010_000_000, kv_bytes_per_token=131072, bytes_per_second=3.35e12
    )
    asked = [one for one in snippet.vectors if one.call.startswith("classify(") and "=" in one.call]
    assert len(asked) > 8
    for vector in asked:
        pairs = vector.call.removeprefix("classify(").rstrip(")").split(", ")
        figures = [Figure(name, float(value), "", "") for name, value in (pair.split("=") for pair in pairs)]
        verdict = read_verdict(sandbox.run(program(snippet.code, h100, figures, {}), Switch()).output)
        assert verdict.bound == vector.expected, vector.call


def test_what_cannot_be_classified_is_said_in_a_sentence(state):
    old = fold(busy_trace())
    assert why_not(old.config, shape_of(old).asked) == NO_MACHINE
    begun = fold([replace(busy_trace()[0], weight_bytes=1, bytes_per_second=1.0)])
    assert why_not(begun.config, shape_of(begun).asked) == NOBODY
    assert why_not(state.config, shape_of(state).asked) == ""
    assert read_verdict("the program broke before it came so far") is None


@pytest.fixture
def dialog(qtbot: QtBot, theme: Theme, snippet) -> Iterator[ClassifyDialog]:
    dialog = ClassifyDialog(snippet, LINKS, theme)
    qtbot.addWidget(dialog)
    yield dialog
    dialog.shutdown()


def ask(qtbot: QtBot, dialog: ClassifyDialog, doing) -> None:
    with qtbot.waitSignal(dialog.runner.ended, timeout=20_000):
        doing()


def test_the_dialog_shows_the_rule_that_fires_and_a_target_asks_again(qtbot, dialog, state):
    ask(qtbot, dialog, lambda: dialog.classify({"": state}))
    assert dialog.sentence.text().startswith("All targets are met")
    assert dialog.targets["ttft_target_ms"].value() == 1000  # the program's own, until a person sets one
    shown = {row[0]: row[1] for row in dialog.readings.table.rows}
    assert float(shown["running"]) == pytest.approx(
        next(one.value for one in shape_of(state).asked if one.name == "running"), rel=0.01
    )
    ask(qtbot, dialog, lambda: dialog.targets["tpot_target_ms"].setValue(0.1))
    fires = [row for row in dialog.rules.table.rows if "fires" in row[4]]
    assert len(fires) == 1
    assert dialog.sentence.text() == (
        f"The binding mechanism: {fires[0][1]}. Runner-up: {dialog.verdict.runner_up}."
    )
    assert (
        fires[0][1] == dialog.verdict.bound == "KV capacity"
    )  # the run was preempted, and that is asked first
    assert dialog.rules.selected_row() == 0


def test_a_broken_program_is_said_so(qtbot, theme, snippet, state):
    broken = replace(snippet, code="RULES = []")
    dialog = ClassifyDialog(broken, LINKS, theme)
    qtbot.addWidget(dialog)
    ask(qtbot, dialog, lambda: dialog.classify({"": state}))
    assert dialog.sentence.text().startswith("The classifier of this pack could not be asked. ")
    assert "reading" in dialog.sentence.text()
    dialog.shutdown()


def test_the_links_lead_to_what_is_there(pack, dialog, qtbot):
    hub = next(study for study in pack.studies if study.id == "hub")
    assert any(section.id == "signatures" for section in hub.sections)
    assert any(one.id == "hub-classifier" for one in hub.snippets)
    went = []
    dialog.go.connect(went.append)
    dialog.lesson.click()
    dialog.program.click()
    assert tuple(went) == LINKS


def test_the_lab_asks_about_the_run_that_it_shows(qtbot: QtBot, theme: Theme, pack):
    page = LivePage(bundled_scenarios(), theme, RecordedClient, pack)
    qtbot.addWidget(page)
    page.diagnosis.ask()
    assert page.head.message.text() == "There is no run to classify yet."
    with_run(page)
    page.diagnosis.ask()
    assert page.diagnosis.dialog.isVisible()
    assert page.diagnosis.dialog.sentence.text() == NO_MACHINE
    page.shutdown()


def test_without_a_classifier_the_lab_says_so(make):
    page = with_run(make())
    page.diagnosis.ask()
    assert page.head.message.text() == "This pack has no bottleneck classifier to put the run to."
