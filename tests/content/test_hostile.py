"""Packs from strangers: whatever the bytes, a Pack or a PackError comes out, and nothing outside the pack is read."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ladder_content import source, tree
from ladder_content.loader import Fault, PackError, load_pack
from ladder_content.model import Pack

CARDS = "studies/01-first/cards.yaml"
Write = Callable[..., Path]
Bytes = dict[str, bytes]
QUICK = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
SPICE = [b"&a ", b"*a", b"!!python/name:os.system ", b"{", b"[", b"- ", b": ", b"\t", b"\x00", b"\xff", b"---\n", b"...\n", b"?", b"|\n", b"<<: ", b"#", b"'", b"\xe2\x80\xa8", b"{#x}", b"```\n", b"## "]  # fmt: skip


def outcome(path: Path) -> Pack | tuple[Fault, ...]:
    try:
        return load_pack(path)
    except PackError as error:
        return error.faults


@st.composite
def mutations(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """A change to some bytes: a cut, a lost line, overwritten or inserted bytes, a line said twice."""
    kind = draw(
        st.sampled_from(["truncate", "cut", "drop line", "repeat line", "overwrite", "insert", "spice"])
    )
    at, length = draw(st.floats(0, 1)), draw(st.integers(1, 40))
    noise = draw(st.sampled_from(SPICE) if kind == "spice" else st.binary(min_size=1, max_size=8))

    def mutate(data: bytes) -> bytes:
        place = int(at * len(data))
        if kind == "truncate":
            return data[:place]
        if kind == "cut":
            return data[:place] + data[place + length :]
        if kind == "overwrite":
            return data[:place] + noise + data[place + len(noise) :]
        if kind in ("insert", "spice"):
            return data[:place] + noise + data[place:]
        lines = data.splitlines(keepends=True)
        row = min(int(at * len(lines)), len(lines) - 1) if lines else 0
        return b"".join(
            lines[:row] + lines[row : row + 1] * (2 if kind == "repeat line" else 0) + lines[row + 1 :]
        )

    return mutate


def folder_and_zip_agree(files: Bytes, write_folder: Write, write_zip: Write) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = write_folder(Path(name) / "pack", files)
        assert outcome(folder) == outcome(write_zip(Path(name) / "pack.zip", files))


@QUICK
@given(data=st.data(), changes=st.lists(mutations(), min_size=1, max_size=3))
def test_a_mutated_pack_loads_or_says_why(
    data: st.DataObject,
    changes: list[Callable[[bytes], bytes]],
    example: Bytes,
    write_folder: Write,
    write_zip: Write,
) -> None:
    files = dict(example)
    for change in changes:
        name = data.draw(st.sampled_from(sorted(files)))
        files[name] = change(files[name])
    folder_and_zip_agree(files, write_folder, write_zip)


@settings(QUICK, max_examples=15)
@given(data=st.data(), change=mutations())
def test_the_bundled_pack_mutated_loads_or_says_why(
    data: st.DataObject,
    change: Callable[[bytes], bytes],
    bundled: Bytes,
    write_folder: Write,
    write_zip: Write,
) -> None:
    name = data.draw(st.sampled_from(sorted(bundled)))
    folder_and_zip_agree({**bundled, name: change(bundled[name])}, write_folder, write_zip)


@QUICK
@given(
    text=st.text(max_size=200) | st.binary(max_size=200),
    name=st.sampled_from(["pack.yaml", "facts.yaml", CARDS]),
)
def test_any_bytes_in_a_file_load_or_say_why(
    text: str | bytes, name: str, example: Bytes, write_folder: Write
) -> None:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as root:
        outcome(write_folder(Path(root), {**example, name: data}))


@QUICK
@given(change=mutations())
def test_a_mutated_zip_loads_or_says_why(
    change: Callable[[bytes], bytes], example: Bytes, write_zip: Write
) -> None:
    with tempfile.TemporaryDirectory() as root:
        path = write_zip(Path(root) / "pack.zip", example)
        path.write_bytes(change(path.read_bytes()))
        outcome(path)


def test_the_bundled_pack_is_the_same_from_a_zip(
    bundled: Bytes, tmp_path: Path, write_folder: Write, write_zip: Write
) -> None:
    pack = outcome(write_folder(tmp_path / "folder", bundled))
    assert isinstance(pack, Pack)
    assert outcome(write_zip(tmp_path / "flat.zip", bundled)) == pack
    assert outcome(write_zip(tmp_path / "nested.zip", bundled, top="runtime-ladder/")) == pack


def test_without_libyaml_the_pack_is_the_same(
    bundled: Bytes, tmp_path: Path, write_folder: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_folder(tmp_path, bundled)
    pack = outcome(root)
    monkeypatch.setattr(tree, "_Loader", yaml.SafeLoader)
    assert isinstance(pack, Pack)
    assert outcome(root) == pack
    (root / "facts.yaml").write_text("[" * 100_000)
    assert isinstance(outcome(root), tuple)


def only_fault(path: Path) -> Fault:
    faults = outcome(path)
    assert isinstance(faults, tuple)
    (fault,) = faults
    return fault


@pytest.mark.parametrize(
    "name", ["../evil.yaml", "studies/../../evil", "/etc/evil", "c:/evil", "a\\..\\..\\evil"]
)
def test_a_zip_that_points_out_of_itself_is_refused(
    name: str, example: Bytes, tmp_path: Path, write_zip: Write
) -> None:
    fault = only_fault(write_zip(tmp_path / "p.zip", {**example, name: b"x"}))
    assert "points out of the pack" in fault.message
    assert sorted(one.name for one in tmp_path.iterdir()) == ["p.zip"]


def test_a_link_in_a_zip_is_refused(example: Bytes, tmp_path: Path, write_zip: Write) -> None:
    path = write_zip(tmp_path / "p.zip", example)
    link = zipfile.ZipInfo("studies/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(link, "/etc/passwd")
    assert "points out of the pack" in only_fault(path).message


def test_a_zip_with_an_entry_twice_is_refused(example: Bytes, tmp_path: Path, write_zip: Write) -> None:
    path = write_zip(tmp_path / "p.zip", example)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr(CARDS, "[]")
    assert "holds an entry twice" in only_fault(path).message


def test_a_zip_bomb_is_not_unpacked(example: Bytes, tmp_path: Path, write_zip: Write) -> None:
    path = write_zip(tmp_path / "p.zip", {**example, CARDS: b"#" * (64 << 20)})
    assert path.stat().st_size < 1 << 20
    assert only_fault(path) == Fault(CARDS, 1, "", "is larger than 1 MiB")


def test_the_files_together_are_bounded(
    example: Bytes, tmp_path: Path, write_folder: Write, write_zip: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_TOTAL_BYTES", sum(map(len, example.values())) - 1)
    folder = outcome(write_folder(tmp_path / "folder", example))
    assert isinstance(folder, tuple)
    assert ["makes the pack larger than" in fault.message for fault in folder] == [True]
    assert outcome(write_zip(tmp_path / "p.zip", example)) == folder


def test_the_number_of_entries_is_bounded(example: Bytes, tmp_path: Path, write_zip: Write) -> None:
    many = {f"x/{number}": b"" for number in range(source.MAX_ZIP_ENTRIES)}
    assert (
        only_fault(write_zip(tmp_path / "p.zip", {**example, **many})).message == "holds more than 2000 files"
    )


def test_other_packings_and_encryption_are_refused(example: Bytes, tmp_path: Path, write_zip: Write) -> None:
    path = write_zip(tmp_path / "p.zip", {name: data for name, data in example.items() if name != CARDS})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_LZMA) as file:
        file.writestr(CARDS, example[CARDS])
    assert "packed in another way than deflate" in only_fault(path).message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "neither a folder nor a zip"),
        (b"PK\x03\x04 and then nothing", "neither a folder nor a zip"),
        (None, "does not exist"),
    ],
    ids=["empty", "no zip", "missing"],
)
def test_what_is_no_pack_at_all(data: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    if data is not None:
        path.write_bytes(data)
    fault = only_fault(path)
    assert (fault.file, fault.line) == (".", 1)
    assert message in fault.message
    with pytest.raises(PackError, match=r"^The pack \S+pack\.zip cannot be used: [^\n]+\.$"):
        load_pack(path)


def test_a_path_that_no_system_can_hold() -> None:
    assert "cannot be opened" in only_fault(Path("no\0path")).message or os.name == "nt"


@pytest.mark.skipif(os.name == "nt", reason="links and pipes want rights on Windows")
@pytest.mark.parametrize("target", ["file", "folder"])
def test_links_in_a_folder_are_not_followed(
    target: str, example: Bytes, tmp_path: Path, write_folder: Write
) -> None:
    root = write_folder(tmp_path / "pack", example)
    if target == "file":
        secret = tmp_path / "secret"
        secret.write_bytes(example[CARDS])
        (root / CARDS).unlink()
        (root / CARDS).symlink_to(secret)
    else:
        (root / "studies").rename(tmp_path / "elsewhere")
        (root / "studies").symlink_to(tmp_path / "elsewhere")
    faults = outcome(root)
    assert isinstance(faults, tuple)
    assert {fault.message for fault in faults} == {"is a link; a pack holds plain files only"}


@pytest.mark.skipif(os.name == "nt", reason="links and pipes want rights on Windows")
def test_a_pipe_or_a_folder_in_place_of_a_file_does_not_hang(
    example: Bytes, tmp_path: Path, write_folder: Write
) -> None:
    files = {name: data for name, data in example.items() if name not in (CARDS, "facts.yaml")}
    root = write_folder(tmp_path, files)
    os.mkfifo(root / CARDS)
    (root / "facts.yaml").mkdir()
    faults = outcome(root)
    assert isinstance(faults, tuple)
    assert [(fault.file, fault.message) for fault in faults] == [
        ("facts.yaml", "is not a file"),
        (CARDS, "is not a file"),
    ]


def test_the_list_of_faults_is_bounded(example: Bytes, tmp_path: Path, write_folder: Write) -> None:
    faults = outcome(write_folder(tmp_path, {**example, CARDS: b"- x\n" * 20_000}))
    assert isinstance(faults, tuple)
    assert len(faults) == 500
