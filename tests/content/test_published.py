"""An id that was published stays: the checker misses it when it is changed, gone, or of another kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ladder_content.__main__ import main
from ladder_content.authoring import build_pack, new_pack
from ladder_content.check import check_pack
from ladder_content.loader import bundled_pack, load_pack, read_draft
from ladder_content.published import KINDS, NAME, ids_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pack that has been built once."""
    new_pack(tmp_path / "mine")
    build_pack(tmp_path / "mine", tmp_path / "mine.zip")
    return tmp_path / "mine"


def ids(folder: Path, kind: str) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(ids_of(load_pack(folder)), kind)
    return found


def renamed(text: str, one: str, other: str) -> str:
    return re.sub(rf"(?<![\w-]){re.escape(one)}(?![\w-])", other, text)


def rewrite(folder: Path, change: Callable[[str], str]) -> None:
    for path in (*folder.rglob("*.yaml"), *folder.rglob("*.md")):
        if path.name != NAME:
            path.write_text(change(path.read_text("utf-8")), "utf-8")


def test_a_built_pack_notes_all_its_ids_and_stays_sound(folder: Path) -> None:
    assert read_draft(folder).published == ids_of(load_pack(folder))
    assert check_pack(folder) == []
    assert load_pack(folder.with_name("mine.zip")) == load_pack(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_id_is_missed_where_it_was_noted(folder: Path, kind: str) -> None:
    one = ids(folder, kind)[0]
    line = next(
        number
        for number, text in enumerate((folder / NAME).read_text("utf-8").splitlines(), start=1)
        if text == f"- {one}"
    )
    tail = one.rpartition("/")[2]
    rewrite(folder, lambda text: renamed(text, tail, f"{tail}-2"))
    faults = [str(fault) for fault in check_pack(folder) if fault.file == NAME]
    assert any(fault.startswith(f"{NAME}:{line}: {kind}[0]: was published and is gone") for fault in faults)


def test_new_ids_are_added_and_old_ones_kept_in_their_order(folder: Path) -> None:
    before = ids(folder, "cards")
    cards = folder / "studies/01-first/cards.yaml"
    text = cards.read_text("utf-8")
    entry = text[text.index("- id:") :].partition("\n- id:")[0]
    cards.write_text(f"{renamed(entry, before[0], 'aaa-new')}\n{text}", "utf-8")
    assert main(["publish", str(folder)]) == 0
    assert read_draft(folder).published.cards == (*before, "aaa-new")


def test_an_id_that_becomes_another_kind_is_a_fault(folder: Path) -> None:
    card, ticket = ids(folder, "cards")[0], ids(folder, "tickets")[0]
    rewrite(folder, lambda text: renamed(renamed(text, card, f"{card}-2"), ticket, card))
    messages = [fault.message for fault in check_pack(folder) if fault.file == NAME]
    assert any("stands in tickets now" in message for message in messages)


def test_a_retired_id_may_be_gone_and_never_comes_back(folder: Path) -> None:
    card = ids(folder, "cards")[0]
    noted = folder / NAME
    noted.write_text(
        noted.read_text("utf-8").replace(f"- {card}\n", "", 1) + f"retired:\n- {card}\n", "utf-8"
    )
    messages = [fault.message for fault in check_pack(folder)]
    assert [message for message in messages if "is retired and used again in cards" in message]
    rewrite(folder, lambda text: renamed(text, card, f"{card}-2"))
    assert [fault for fault in check_pack(folder) if fault.file == NAME] == []


def test_a_damaged_list_is_a_fault_with_its_line(folder: Path) -> None:
    (folder / NAME).write_text("cards:\n- one\nfoes: []\n", "utf-8")
    assert [(fault.file, fault.line) for fault in check_pack(folder)][:1] == [(NAME, 3)]


def test_every_id_of_the_bundled_pack_is_noted() -> None:
    published, today = read_draft(bundled_pack()).published, ids_of(load_pack(bundled_pack()))
    for kind in KINDS:
        assert set(getattr(published, kind)) == set(getattr(today, kind)), kind
