"""Adding, listing and removing models: checked first, copied whole or not at all."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ladder_engine.errors import ModelError
from ladder_engine.lab.runner import run_scenario
from ladder_engine.models import find_model
from ladder_engine.tracing.events import AnyEvent, Finished
from ladder_engine.weights.model_store import ModelStore

from tests.engine.checkpoints import write_checkpoint
from tests.engine.test_gguf import to_gguf


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "data" / "models")


def inside(store: ModelStore) -> list[str]:
    return sorted(path.name for path in store.folder.iterdir()) if store.folder.exists() else []


def test_an_added_folder_stands_alone_and_runs_in_scenarios(tmp_path: Path, store: ModelStore) -> None:
    source = write_checkpoint(tmp_path / "My Llama", shards=2)
    (source / "notes.txt").write_text("not part of the model")
    name, facts = store.add(source)
    assert name == "my-llama"
    assert (facts.family, facts.max_position_embeddings) == ("llama", 512)
    assert facts.num_parameters == 320 * 32 + 32 + 2 * (2 * 32 + 2 * 32 * 32 + 2 * 16 * 32 + 3 * 32 * 48)
    shutil.rmtree(source)
    assert not (store.folder / name / "notes.txt").exists()
    scenario = tmp_path / "mine.yaml"
    scenario.write_text(
        "id: mine\ntitle: Mine\nstory: It runs.\nlook_at: []\nmodel: my-llama\n"
        "engine: {num_blocks: 8, max_num_seqs: 2, max_num_batched_tokens: 32, max_model_len: 64}\n"
        "requests: [{name: ada, prompt: A slot, max_tokens: 4, sampling: {ignore_eos: true}}]\n"
    )
    events: list[AnyEvent] = []
    run_scenario(scenario, events.extend, "torch", models_dir=store.folder)
    assert [event.reason for event in events if isinstance(event, Finished)] == ["length"]
    with pytest.raises(ModelError, match=r"no model 'my-llama'; there are: ladder-3m, ladder-draft"):
        run_scenario(scenario, events.extend, "torch")


def test_a_gguf_file_is_added_listed_and_removed(tmp_path: Path, store: ModelStore) -> None:
    path = to_gguf(
        write_checkpoint(tmp_path / "hf", intermediate_size=64), tmp_path / "Tiny.Q8_0.gguf", "Q8_0"
    )
    name, facts = store.add(path)
    assert (name, facts.num_bytes) == ("tiny.q8_0", path.stat().st_size)
    rows = {row.name: row for row in store.rows()}
    assert rows[name].num_bytes == facts.num_bytes
    assert rows[name].what == "llama, 2 layers of 32, context of 512 tokens"
    assert rows["ladder-3m"].what.endswith("(bundled)")
    assert find_model(name, store.folder) == store.folder / name
    store.remove(name)
    assert inside(store) == []
    with pytest.raises(ModelError, match=r"no added model 'tiny\.q8_0'"):
        store.remove(name)


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda folder: (folder / "model.safetensors").write_bytes(b"short"), "cannot be read"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json"),
        (lambda folder: (folder / "config.json").unlink(), "config.json"),
        (lambda folder: edit(folder, model_type="gemma3"), "'gemma3'"),
        (lambda folder: edit(folder, intermediate_size=40), "gate_proj"),
        (lambda folder: edit(folder, rope_scaling={"rope_type": "longrope"}), "longrope"),
        (shutil.rmtree, "is not there"),
        (lambda folder: (shutil.rmtree(folder), folder.write_text("hello")), "neither a folder nor"),
    ],
)
def test_what_cannot_run_is_not_added(
    tmp_path: Path, store: ModelStore, break_it: Callable[[Path], object], words: str
) -> None:
    source = write_checkpoint(tmp_path / "hf")
    break_it(source)
    check_refused(store, source, words)
    assert inside(store) == []


def edit(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_tokenizer_of_another_model_is_noticed(tmp_path: Path, store: ModelStore) -> None:
    check_refused(store, write_checkpoint(tmp_path / "hf", vocab_size=300), "320 tokens")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_copy_that_breaks_off_leaves_nothing(
    tmp_path: Path, store: ModelStore, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    source = write_checkpoint(tmp_path / "hf", shards=2)
    real, copied = shutil.copyfile, []

    def copyfile(file: Path, to: Path) -> None:
        if len(copied) == 2:
            Path(to).write_bytes(b"half")
            raise OSError(code, "broken off")
        copied.append(real(file, to))

    monkeypatch.setattr(shutil, "copyfile", copyfile)
    check_refused(store, source, "not enough room" if code == errno.ENOSPC else "broken off")
    assert len(copied) == 2
    assert inside(store) == []


def test_too_little_room_is_said_before_anything_is_copied(
    tmp_path: Path, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9 - 5000, 5000)
    )  # type: ignore[attr-defined]
    check_refused(store, write_checkpoint(tmp_path / "hf"), "5 kB are free")
    assert inside(store) == []


def test_what_an_interrupted_copy_left_is_no_model(tmp_path: Path, store: ModelStore) -> None:
    half = store.folder / ".adding-hf"
    half.mkdir(parents=True)
    (half / "config.json").write_text("{")
    assert [row.name for row in store.rows() if "bundled" not in row.what] == []
    store.add(write_checkpoint(tmp_path / "hf"))
    assert inside(store) == ["hf"]


@pytest.mark.parametrize("name", ["../out", "A", "", "a/b", ".hidden", "ladder-3m", "hf"])
def test_names_are_plain_and_taken_once(tmp_path: Path, store: ModelStore, name: str) -> None:
    source = write_checkpoint(tmp_path / "hf")
    store.add(source)
    with pytest.raises(ModelError, match=r"name|already"):
        store.add(source, name)
    with pytest.raises(ModelError):
        store.remove(name if name != "hf" else "other")
    assert inside(store) == ["hf"]


def check_refused(store: ModelStore, source: Path, words: str) -> None:
    with pytest.raises(ModelError) as error:
        store.add(source)
    assert words in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
