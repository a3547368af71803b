"""A pack begun by the tool is the one that the README teaches, and a built one is what its folder says."""

from __future__ import annotations

from pathlib import Path

import pytest
from ladder_content.authoring import AuthoringError, build_pack, new_pack
from ladder_content.check import check_pack
from ladder_content.faults import PackError
from ladder_content.loader import load_pack


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_new_pack_is_the_example_of_the_readme(files: dict[str, str], tmp_path: Path) -> None:
    new_pack(tmp_path / "my-team")
    assert texts(tmp_path / "my-team") == files
    assert check_pack(tmp_path / "my-team") == []


def test_a_new_pack_takes_the_name_of_its_folder(tmp_path: Path) -> None:
    new_pack(tmp_path / "other-2")
    assert load_pack(tmp_path / "other-2").id == "other-2"


@pytest.mark.parametrize("name", ["My Team", "-x", "a--b", "ü", "a.b"])
def test_a_name_that_is_no_id(tmp_path: Path, name: str) -> None:
    with pytest.raises(AuthoringError, match="cannot be the id"):
        new_pack(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(AuthoringError, match="exists already"):
        new_pack(tmp_path / "mine")
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_built_pack_is_its_folder_and_always_the_same_bytes(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    for name in ("a.zip", "b.zip"):
        build_pack(tmp_path / "mine", tmp_path / name)
    assert load_pack(tmp_path / "a.zip") == load_pack(tmp_path / "mine")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_broken_pack_is_not_built_and_an_old_zip_stays(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    build_pack(tmp_path / "mine", tmp_path / "mine.zip")
    before = (tmp_path / "mine.zip").read_bytes()
    (tmp_path / "mine" / "facts.yaml").write_text("[]", "utf-8")
    with pytest.raises(PackError) as raised:
        build_pack(tmp_path / "mine", tmp_path / "mine.zip")
    assert raised.value.faults
    assert (tmp_path / "mine.zip").read_bytes() == before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    with pytest.raises(AuthoringError, match="cannot be written"):
        build_pack(tmp_path / "mine", tmp_path / "no such folder" / "mine.zip")


def test_a_pack_without_any_fact_must_not_cite_one(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    (tmp_path / "mine" / "facts.yaml").write_text("[]", "utf-8")
    assert any("M1.01" in fault.message for fault in check_pack(tmp_path / "mine"))
