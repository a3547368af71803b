"""The plain text of a pack."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ladder_content.loader import bundled_pack, load_pack
from ladder_content.text import plain, plain_text


def test_markup_and_citations_are_gone() -> None:
    text = "**Bold** and `code`, a [link](https://x.org) <b>and</b> 4.5 ms [F1.13, F1.13a].\nSame paragraph.\n\n- one\n- two [F1.01]"
    assert plain(text) == "Bold and code, a link and 4.5 ms. Same paragraph.\none\ntwo"


def test_a_table_row_is_read_with_its_columns() -> None:
    table = "Before.\n\n| Lever | Gain | Cost |\n|---|---|---|\n| **Paging** | a batch [F1.01] | Indirection. |\n\nAfter."
    assert plain(table) == "Before.\nPaging. Gain: a batch. Cost: Indirection.\nAfter."


def test_html_and_code_blocks() -> None:
    assert plain("<script>alert(1)</script>\n\n```\nx = 1\n```\n\nEnd.") == "x = 1\nEnd."


def test_the_whole_of_a_pack(
    files: dict[str, str], tmp_path: Path, write_folder: Callable[..., Path]
) -> None:
    text = plain_text(load_pack(write_folder(tmp_path, files)).studies)
    assert "\f\nThe floor of a step\nA decode step reads every weight once." in text
    assert (
        "\f\nQ: How fast can one stream of an 8B model be on an H100?\nA: A step streams all weights, so"
        in text
    )
    assert "Which lever first? CUDA graphs. They remove the launches between kernels." in text
    assert "Not: A bigger batch. There is nobody to put into it." in text
    assert "From Read weights to Sample: One row of scores for each request." in text
    assert "the step takes longer.\n\f\n" in text
    assert text.endswith("and run it again.\n")


def test_every_kind_of_card_says_its_answer(
    files: dict[str, str], tmp_path: Path, write_folder: Callable[..., Path]
) -> None:
    text = plain_text(load_pack(write_folder(tmp_path, files)).studies)
    assert "at least, in milliseconds?\nA: 4.48 ms. Bytes over bandwidth is 4.5 ms.\n" in text
    assert (
        "Q: A decode step reads every weight once, so here it takes at least 4.5 ms.\nA: Each layer" in text
    )
    assert "Which lever first?\nA: Smaller weights. The step is bound by the bytes it reads" in text
    assert "\f\nThe floor of a decode step\nBytes over bandwidth. Change the weights" in text
    assert "def floor_ms" not in text


def test_the_bundled_pack_as_text() -> None:
    pack = load_pack(bundled_pack())
    text = plain_text(pack.studies)
    assert len(re.findall(r"^Q: .+\nA: .+$", text, re.MULTILINE)) == sum(
        len(study.cards) for study in pack.studies
    )
    assert not re.search(r"\[[A-Z]+\d+\.\d+|\*\*|^#|^\||`", text, re.MULTILINE)
