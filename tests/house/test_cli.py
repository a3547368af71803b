"""The command line as a person meets it: bad input ends in one sentence and exit status 2."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from ladder_content.loader import bundled_pack
from ladder_desktop import start, system_check
from ladder_desktop.cli import main
from ladder_desktop.study import Desk, Item, Rating

from tests.engine.checkpoints import write_checkpoint

ROOT = Path(__file__).resolve().parents[2]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def assert_one_sentence(result: Result, *parts: str) -> None:
    assert result.exit_code == 2, result.output
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].endswith("."), lines[0]
    for part in parts:
        assert part in lines[0]


def test_help_lists_the_subcommands() -> None:
    output = invoke("--help").output
    for command in ("open", "tour", "engine", "models", "export", "import", "content"):
        assert command in output


@pytest.mark.parametrize("suffix", [".apkg", ".zip", ".ladder"])
def test_export_writes_each_form(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"progress{suffix}"
    result = invoke("export", "--data", tmp_path / "data", out)
    assert result.exit_code == 0, result.output
    assert out.stat().st_size > 1000


def test_the_data_folder_may_be_named_before_the_command(tmp_path: Path) -> None:
    assert invoke("--data", tmp_path / "data", "export", tmp_path / "a.ladder").exit_code == 0
    assert (tmp_path / "data" / "progress.db").exists()


def test_models_are_added_listed_and_removed(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "tiny")
    data = ("--data", tmp_path / "data")
    added = invoke(*data, "models", "add", source, "--name", "mine")
    assert added.exit_code == 0, added.output
    assert added.output.startswith("mine: llama, 0 million parameters, context of 512 tokens, ")
    listed = invoke("models", "list", *data).output
    assert re.search(r"^mine  .*kB  llama, 2 layers of 32", listed, re.MULTILINE), listed
    assert "(bundled)" in listed
    assert_one_sentence(invoke("models", "add", source, "--name", "mine", *data), "'mine' already")
    assert invoke("models", "remove", "mine", *data).exit_code == 0
    assert_one_sentence(invoke("models", "remove", "mine", *data), "'mine'")
    assert_one_sentence(invoke("models", "remove", "ladder-3m", *data), "comes with the project")
    assert_one_sentence(invoke("models", "add", tmp_path / "nothing", *data), "nothing: is not there")


def test_export_to_an_unknown_form(tmp_path: Path) -> None:
    assert_one_sentence(
        invoke("export", "--data", tmp_path / "data", tmp_path / "progress.doc"), "progress.doc"
    )
    assert not (tmp_path / "progress.doc").exists()


def test_a_bundle_cut_short(tmp_path: Path) -> None:
    out = tmp_path / "progress.ladder"
    invoke("export", "--data", tmp_path / "data", out)
    out.write_bytes(out.read_bytes()[:-200])
    assert_one_sentence(invoke("import", "--data", tmp_path / "other", out), "progress.ladder")


def test_a_database_from_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    invoke("export", "--data", tmp_path, tmp_path / "a.ladder")
    database = tmp_path / "progress.db"
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA user_version = 9999")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = database.read_bytes()
    assert_one_sentence(invoke("export", "--data", tmp_path, tmp_path / "b.ladder"), "progress.db")
    assert database.read_bytes() == before


def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    result = invoke("import", "--data", tmp_path / "data" / "deeper", tmp_path / "x.ladder")
    assert_one_sentence(result, "data")


def test_a_broken_pack_names_file_and_line(tmp_path: Path) -> None:
    shutil.copytree(bundled_pack(), tmp_path, dirs_exist_ok=True)
    (tmp_path / "pack.yaml").write_text("id: [unclosed\n")
    result = invoke("content", "check", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith("pack.yaml:2: ")
    assert_one_sentence(
        invoke("export", "--data", tmp_path / "data", "--pack", tmp_path, tmp_path / "a.ladder"), "pack.yaml"
    )


def test_a_scenario_that_does_not_exist() -> None:
    assert_one_sentence(invoke("engine", "run", "--scenario", "no-such-thing"), "no-such-thing")


@pytest.mark.parametrize("named", [{}, {"DISPLAY": ":4711"}, {"WAYLAND_DISPLAY": "nobody-listens"}])
def test_without_a_display_the_window_says_so(tmp_path: Path, named: dict[str, str]) -> None:
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    paths = os.pathsep.join(str(ROOT / room) for room in ("desktop", "content", "engine", "kernels"))
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "from ladder_desktop.cli import main; main()",
            "open",
            "--data",
            str(tmp_path),
        ],
        env={**environment, **named, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "display" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_pack_from_an_empty_folder_to_a_zip(tmp_path: Path) -> None:
    pack = tmp_path / "my-team"
    assert invoke("content", "new", pack).exit_code == 0
    assert invoke("content", "check", pack).exit_code == 0
    assert invoke("content", "build", pack).exit_code == 0
    assert invoke("content", "check", tmp_path / "my-team.zip").exit_code == 0
    out = tmp_path / "mine.apkg"
    result = invoke("export", "--data", tmp_path / "data", "--pack", tmp_path / "my-team.zip", out)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_pack_that_is_not_there(tmp_path: Path, command: str) -> None:
    assert_one_sentence(invoke("content", command, tmp_path / "nowhere"), "nowhere", "does not exist")


def test_a_pack_with_faults_is_not_built(tmp_path: Path) -> None:
    pack = tmp_path / "my-team"
    invoke("content", "new", pack)
    (pack / "facts.yaml").write_text("[]\n")
    result = invoke("content", "build", pack)
    assert result.exit_code == 2
    assert "gist.md:" in result.stderr
    assert not (tmp_path / "my-team.zip").exists()


def test_a_program_that_does_not_give_what_it_promises(tmp_path: Path) -> None:
    pack = tmp_path / "my-team"
    invoke("content", "new", pack)
    snippets = pack / "studies" / "01-first" / "snippets.yaml"
    text = snippets.read_text("utf-8")
    changed = re.sub(r"expected: [\d.]+", "expected: 123456789", text, count=1)
    assert changed != text
    snippets.write_text(changed, "utf-8")
    for command in ("check", "build"):
        result = invoke("content", command, pack)
        assert result.exit_code == 2
        assert "123456789" in result.stderr.splitlines()[0]
    assert not (tmp_path / "my-team.zip").exists()


def test_a_tour_into_a_place_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "tour").write_text("in the way")
    assert_one_sentence(invoke("tour", "--out", tmp_path / "tour"), "tour")


def test_an_export_says_what_it_lacks(tmp_path: Path) -> None:
    with Desk.open(tmp_path / "data") as desk:
        desk.register([Item("elsewhere/a-card", "card", "elsewhere")])
        desk.answer("elsewhere/a-card", Rating.GOOD, timedelta(seconds=5))
    assert (
        "lacks 1 card or ticket" in invoke("export", "--data", tmp_path / "data", tmp_path / "a.apkg").output
    )
    assert "lacks" not in invoke("export", "--data", tmp_path / "data", tmp_path / "a.ladder").output


@pytest.mark.parametrize("arguments", [("--data", "{}"), ("open", "--data", "{}"), ("--data", "{}", "open")])
def test_the_window_opens_on_the_data_folder_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(system_check, "has_display", lambda: True)
    monkeypatch.setattr(start, "run", lambda data_dir, *_: opened.append(data_dir) or 0)
    assert invoke(*(argument.format(tmp_path) for argument in arguments)).exit_code == 0
    assert opened == [tmp_path]
