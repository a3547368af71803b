"""`python -m ladder_content`: what it prints and how it exits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ladder_content import loader
from ladder_content.__main__ import main

Write = Callable[..., Path]


def test_a_clean_pack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(loader.bundled_pack())]) == 0
    assert capsys.readouterr().out == f"{loader.bundled_pack()}: no faults\n"


def test_one_line_a_fault(
    files: dict[str, str], tmp_path: Path, write_folder: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    del files["studies/01-first/maps.yaml"]
    files["pack.yaml"] = files["pack.yaml"].replace("title:", "titel:")
    root = write_folder(tmp_path, files)
    assert main(["check", str(root)]) == 2
    out, err = capsys.readouterr()
    assert out.splitlines()[:2] == [
        f"{root / 'pack.yaml'}:1: title: is missing",
        f"{root / 'pack.yaml'}:2: titel: is not a field; the fields here are id, title, version, language, licence, studies",
    ]
    assert err == ""


def test_a_path_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().out == f"{tmp_path / 'none'}:1: does not exist\n"
    assert main(["text", str(tmp_path / "none")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"The pack {tmp_path / 'none'} cannot be used: does not exist.\n"


def test_the_text_of_a_pack(
    files: dict[str, str], tmp_path: Path, write_folder: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["text", str(write_folder(tmp_path, files))]) == 0
    assert capsys.readouterr().out.startswith("The first study\n")


def test_the_module_runs_and_a_wrong_call_is_refused() -> None:
    path = str(Path(loader.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "ladder_content", "check"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "path" in done.stderr
