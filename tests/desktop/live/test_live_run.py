"""The live panel over the real engine in its real process, with a tiny random checkpoint."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.theme import load_theme
from ladder_engine.lab.scenario import Scenario, load_scenario
from ladder_engine.serving.client import EngineClient
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.engine.checkpoints import write_checkpoint

# The offscreen platform cannot tell a window its least size, and says so for every page with a layout.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)

SCENARIO = """
id: tiny
title: Tiny
story: Five requests and blocks for three of them.
look_at: [The rows that break off]
model: ./model
engine: {num_blocks: 12, block_size: 4, max_num_seqs: 4, max_num_batched_tokens: 12, max_model_len: 64}
requests:
  - {name: one, prompt: "Static batching", max_tokens: 16, sampling: {ignore_eos: true}}
  - {name: two, prompt: "holds every slot", max_tokens: 16, sampling: {ignore_eos: true}}
  - {name: three, prompt: "until the longest", max_tokens: 16, sampling: {ignore_eos: true}}
  - {name: four, prompt: "answer ends", max_tokens: 12, arrive_at_step: 3, sampling: {ignore_eos: true}}
  - {name: five, prompt: "a block table", max_tokens: 12, arrive_at_step: 5, sampling: {ignore_eos: true}}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    write_checkpoint(tmp_path / "model")
    (tmp_path / "tiny.yaml").write_text(SCENARIO)
    return load_scenario(tmp_path / "tiny.yaml")


def test_a_real_run_is_shown_to_its_end_and_leaves_nothing_behind(qtbot: QtBot, scenario: Scenario) -> None:
    page = LivePage([scenario], load_theme("dark"), EngineClient)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.activate()
    page.player.speed = 120
    page.run()
    assert page.head.message.text() == "Starting the engine…"
    qtbot.waitUntil(lambda: page.player.ended, timeout=120_000)

    assert page.head.message.text() == ""
    state = page.player.state
    assert [sequence.status for sequence in state.sequences.values()] == ["finished"] * 5
    assert [sequence.num_output_tokens for sequence in state.sequences.values()] == [16, 16, 16, 12, 12]
    assert sum(sequence.preemptions for sequence in state.sequences.values()) > 0
    assert state.num_free_blocks == 12
    assert "cpu" in page.source.text()
    page.select(2)
    assert page.watch.answer.text.toPlainText() == state.sequences[2].prompt + state.sequences[2].text

    child = page._client._child
    assert child is not None
    page.shutdown()
    assert child._process.poll() is not None
    assert "engine-reader" not in [thread.name for thread in threading.enumerate()]
    if os.name == "posix":
        with pytest.raises(ProcessLookupError):
            os.killpg(child._process.pid, 0)


def test_launches_are_recorded_while_the_lens_is_open_and_the_keyboard_opens_it(
    qtbot: QtBot, scenario: Scenario
) -> None:
    page = LivePage([scenario], load_theme("light"), EngineClient)
    qtbot.addWidget(page, before_close_func=LivePage.shutdown)
    page.resize(1280, 800)
    with qtbot.waitExposed(page):
        page.show()
    page.activate()
    qtbot.keyClick(page, Qt.Key.Key_L)
    page.run()
    page.player.pause()
    for step in (1, 2, 3):
        page.step_by(1)
        qtbot.waitUntil(lambda step=step: page.player.position == step, timeout=120_000)
    qtbot.keyClick(page, Qt.Key.Key_L)
    for step in (4, 5):
        page.step_by(1)
        qtbot.waitUntil(lambda step=step: page.player.position == step, timeout=120_000)
    watched = [step.number for step in page.player.state.steps if step.kernels is not None]
    assert watched == [1, 2, 3]
    qtbot.keyClick(page, Qt.Key.Key_L)
    assert "were not recorded" in page.watch.lens.note.text()
    page.seek(2)
    state = page.player.state
    picture = page.watch.lens.picture
    running = [work.seq_id for work in state.steps[-1].work]
    for seq_id in running:
        page.select(seq_id)
        table = state.sequences[seq_id].block_table
        assert list(picture.block_ids) == list(table[: len(picture.block_ids)])
        assert len(picture.block_ids) == -(-state.sequences[seq_id].num_computed_tokens // 4)
