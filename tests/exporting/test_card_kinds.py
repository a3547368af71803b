"""Numeric, cloze and lever cards in programs that know only a front and a back."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from ladder_content.model import Card, Expected, Option, Pack
from ladder_desktop.exporting import export
from ladder_desktop.exporting.anki_notes import CARD, notes_of
from ladder_desktop.study import Desk, items_of
from msgspec.structs import replace

from .conftest import HandClock, Oracle

HOSTILE = "[sound:x.mp3]<script>1</script>[l](javascript:x)"
OPTIONS = (
    Option(text="Chunked `prefill`", why="Decode gets in between.", correct=True),
    Option(text="More ranks", why="The queue stays."),
    Option(text=HOSTILE, why=HOSTILE),
)


@pytest.fixture
def kinds(pack: Pack) -> Pack:
    """The sample pack with a card of each kind in the place of its first ones."""
    study = pack.studies[0]
    numeric, cloze, lever, hostile, *rest = study.cards
    cards = (
        replace(numeric, kind="numeric", expected=Expected(value=131072, unit="B/token", tolerance=0.02)),
        replace(cloze, kind="cloze", question="A step reads {{all **weights**}}(once) at {{1}} FLOP/B."),
        replace(lever, kind="lever", question="Which lever?", options=OPTIONS),
        replace(hostile, kind="cloze", question=f"{{{{{HOSTILE}}}}} and [sou{{{{nd:y.mp3]}}}}"),
        *rest,
    )
    return replace(pack, studies=(replace(study, cards=cards),))


def fields(pack: Pack, name: str) -> dict[str, str]:
    note = next(note for note in notes_of(pack) if note.guid == f"sample/{name}")
    return dict(zip(CARD.fields, note.fields, strict=True))


def test_a_numeric_note_asks_for_a_unit_and_gives_value_and_solution(kinds: Pack) -> None:
    note = fields(kinds, "card-0")
    assert note["Question"] == "<p>What bounds decode, case 0?</p><p>In B/token.</p>"
    assert note["Answer"].startswith("<p><strong>131,072 B/token</strong> (within 2 %)</p><p>Memory <strong>")


def test_a_cloze_note_hides_and_fills_its_parts(kinds: Pack) -> None:
    note = fields(kinds, "card-1")
    assert note["Question"] == "<p>A step reads [...](once) at [...] FLOP/B.</p>"
    assert note["Answer"].startswith(
        "<p>A step reads all <strong>weights</strong>(once) at 1 FLOP/B.</p><p>Memory"
    )


def test_a_lever_note_lists_its_options_and_tells_on_the_back(kinds: Pack) -> None:
    note = fields(kinds, "card-2")
    assert note["Question"].startswith("<p>Which lever?</p><ul><li>")
    assert note["Question"].count("<li>") == 3
    assert "Decode gets in between" not in note["Question"]
    assert note["Answer"].startswith(
        "<p><strong>Chunked <code>prefill</code></strong><br>Decode gets in between.</p>"
    )
    assert "More ranks<br>The queue stays." in note["Answer"]
    assert note["Answer"].endswith("each step reads all weights [F1.01].</p>")


def test_options_stand_in_the_same_order_in_every_export(kinds: Pack) -> None:
    card: Card = kinds.studies[0].cards[2]
    turned = replace(card, options=card.options[::-1])
    study = replace(kinds.studies[0], cards=(turned,))
    again = replace(kinds, studies=(study,))
    assert fields(again, "card-2")["Question"] == fields(kinds, "card-2")["Question"]


def test_what_a_stranger_wrote_commands_nothing(kinds: Pack) -> None:
    for name in ("card-2", "card-3"):
        for text in fields(kinds, name).values():
            assert "[sound" not in text
            assert "<script" not in text
            assert "javascript:x)" not in text.replace("[l](javascript:x)", "")
            assert 'href="javascript' not in text


def test_anki_takes_them_as_plain_notes(
    tmp_path: Path, kinds: Pack, clock: HandClock, ask_anki: Oracle
) -> None:
    with Desk.open(tmp_path / "kinds", clock) as desk:
        desk.register(items_of(kinds))
        export(tmp_path / "deck.apkg", desk, kinds, clock)
    found = ask_anki(tmp_path / "deck.apkg", "UTC")
    cloze, lever = found["cards"]["sample/card-1"], found["cards"]["sample/card-2"]
    assert "weights" not in cloze["question"]
    assert "weights" in cloze["answer"]
    assert "More ranks" in lever["question"]
    assert "The queue stays" not in lever["question"]
    assert [found["cards"][f"sample/card-{number}"]["sounds"] for number in range(4)] == [0] * 4


def test_the_table_names_a_cloze_card_by_its_blanks(tmp_path: Path, kinds: Pack, clock: HandClock) -> None:
    with Desk.open(tmp_path / "kinds", clock) as desk:
        desk.register(items_of(kinds))
        export(tmp_path / "progress.zip", desk, kinds, clock)
    with zipfile.ZipFile(tmp_path / "progress.zip") as archive:
        text = archive.read("cards.csv").decode("utf-8-sig")
    rows = {row["item_id"]: row["question"] for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert rows["sample/card-1"] == "A step reads [...](once) at [...] FLOP/B."
    assert rows["sample/card-0"] == "What bounds decode, case 0?"
