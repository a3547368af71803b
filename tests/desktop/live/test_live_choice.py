"""Model and kernels of the next run: what is offered, what each costs, what the engine is told, and how it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from ladder_desktop.live.choice import KERNELS, Choice, model_words
from ladder_desktop.live.engine_choice import EngineChoice
from ladder_desktop.live.live_page import LivePage
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.models import find_model
from ladder_engine.serving.client import EngineClient
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import RecordedClient


class Told(RecordedClient):
    """Remembers what runs are to compute with."""

    def run(self, scenario: Path, **options: object) -> None:  # type: ignore[override]
        self.calls.append(f"{options['model']} {options['kernels']}")
        super().run(scenario)


@pytest.fixture
def models_dir(tmp_path: Path) -> Path:
    """The bundled model once more under another name, which knows fewer positions."""
    shutil.copytree(find_model("ladder-3m"), tmp_path / "models" / "mine")
    path = tmp_path / "models" / "mine" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "max_position_embeddings": 64}))
    return tmp_path / "models"


@pytest.fixture
def page(qtbot: QtBot, theme, models_dir: Path) -> LivePage:
    client = Told()
    page = LivePage(bundled_scenarios(), theme, lambda: client, models_dir=models_dir)
    qtbot.addWidget(page, before_close_func=LivePage.shutdown)
    page.show()
    page.activate()
    page.head.choose("short-chats")
    return page


def test_the_dialog_offers_every_model_and_all_kernels_and_the_next_run_takes_them(page, qtbot):
    page.head.engine_button.click()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, EngineChoice)
    names = [dialog.models.itemData(at) for at in range(dialog.models.count())]
    assert names == ["", "ladder-3m", "ladder-draft", "mine"]
    assert [dialog.kernels.itemData(at) for at in range(dialog.kernels.count())] == list(KERNELS)
    dialog.models.setCurrentIndex(3)
    assert "64 positions" in dialog.model_cost.text()
    dialog.kernels.setCurrentIndex(2)
    assert "interpret" in dialog.choice.kernels
    dialog._accept()
    assert page.head.message.text() == "The next run: mine, kernels: Triton, interpreted."
    page.run()
    page.starter.stop()
    page.head.choose("long-prompt")
    page.starter.compare()
    for _ in range(6):
        page.frame()
    assert page._client.calls.count("mine interpret") == 3, "one run, and both sides of a comparison"


def test_without_a_choice_the_scenarios_own_model_runs(page):
    page.run()
    assert " auto" in page._client.calls
    assert page.head.engine_button.text() == "Engine…"


def test_the_cost_of_a_model_is_counted_from_its_config(models_dir):
    scenario = next(one for one in bundled_scenarios() if one.id == "short-chats")
    config = json.loads((find_model("ladder-3m") / "config.json").read_text())
    heads = config["num_key_value_heads"]
    size = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    token = 2 * config["num_hidden_layers"] * heads * size * 4
    words = model_words(Choice(), scenario, models_dir)
    assert f"KV: {token / 1000:.1f} kB a token" in words
    pool = token * scenario.engine.num_blocks * scenario.engine.block_size
    assert f"{pool / 1e6:.1f} MB for the scenario's pool" in words
    assert "There is no model 'gone'" in model_words(Choice(model="gone"), scenario, models_dir)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (Choice(kernels="triton"), "Compiled kernels need a GPU"),
        (Choice(model="mine"), "knows only 64 positions"),
        (Choice(model="gone"), "There is no model 'gone'"),
    ],
)
def test_what_cannot_run_is_refused_in_a_sentence(qtbot, theme, models_dir, choice, sentence):
    import torch

    if choice.kernels == "triton" and torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    page = LivePage(
        bundled_scenarios(), theme, lambda: EngineClient(models_dir=models_dir), models_dir=models_dir
    )
    qtbot.addWidget(page, before_close_func=LivePage.shutdown)
    page.show()
    page.activate()
    page.head.choose("short-chats")
    page.choosing.choose(choice)
    page.run()
    qtbot.waitUntil(lambda: sentence in page.head.message.text(), timeout=120_000)
    assert not page.busy


def test_the_real_engine_runs_the_interpreter_when_asked_and_goes_back(qtbot, theme):
    pytest.importorskip("triton", reason="the interpreter is Triton's")
    page = LivePage(bundled_scenarios(), theme, EngineClient)
    qtbot.addWidget(page, before_close_func=LivePage.shutdown)
    page.show()
    page.activate()
    page.head.choose("short-chats")
    for kernels in ("interpret", "torch"):
        page.choosing.choose(Choice(kernels=kernels))
        page.run()
        page.player.pause()
        qtbot.waitUntil(lambda: page.player.edge.config is not None, timeout=300_000)
        assert page.player.edge.config.kernels == kernels
        page.starter.stop()
