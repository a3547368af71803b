"""The lint for authors: figures without facts, lists of facts that do not match, maps that cannot be drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ladder_content.check import blocks, check_pack, figures
from ladder_content.faults import Fault

STUDY = "studies/01-first/"
Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("295 FLOP/B, 4.5 ms and 1,024 rows", ["295", "4.5", "1,024"]),
        ("gains 33.5% (or 2x), about ~7.", ["33.5", "2x", "7"]),
        ("H100, TP8, fp8, p99, F1.09, Llama-3.1-8B and a 70B model", []),
        ("the 99th percentile of 2023, dated 2025-09-05", []),
        ("`x = 42` and ``2 ` 3`` in code", []),
        (r"$E = 1 + \alpha^2$ and $$S = 4 / 5$$ give 3", ["3"]),
        ("$2 an hour and $3 at night", ["2", "3"]),
        ("[post](https://example.org/2024/7) and https://example.org/12", []),
        ("295 FLOP/B [F1.09]", ["295"]),
        ("between 10 and 20 µs; 64-way", ["10", "20", "64"]),
    ],
)
def test_what_counts_as_a_figure(text: str, found: list[str]) -> None:
    assert figures(text) == found


def test_a_text_is_cut_into_paragraphs_entries_and_rows() -> None:
    text = "One\ntwo.\n\n- a\n  b\n- c\n\n1. d\n| e |\n| f |\n\n```\n42\n```\ng"
    assert list(blocks(text)) == [
        (0, "One\ntwo."),
        (3, "a\n  b"),
        (5, "c"),
        (7, "d"),
        (8, "| e |"),
        (9, "| f |"),
        (14, "g"),
    ]


def lint(root: Path) -> list[tuple[str, int, str]]:
    return [(fault.file, fault.line, fault.message) for fault in check_pack(root)]


def test_the_example_of_the_readme_is_clean(
    files: dict[str, str], tmp_path: Path, write_folder: Write
) -> None:
    assert check_pack(write_folder(tmp_path, files)) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        ("gist.md", "- Tensor parallel divides it", "- Tensor parallel on 8 GPUs divides it", 6),
        ("gist.md", "4.5 ms [M1.01]", "4.5 ms", 3),
        ("cards.yaml", "The weights are read once a step.", "The weights are read 1 time a step.", 6),
        ("cards.yaml", "Bytes over bandwidth is 4.5 ms [M1.01].", "That is 4.5 ms.", 16),
        ("cards.yaml", "at least {{4.5 ms}} [M1.01]", "at least {{4.5 ms}}", 24),
        ("cards.yaml", "Fewer bytes are the only way", "2 bytes are 1 way", 35),
        ("snippets.yaml", "Change the weights to eight bits", "Change the weights to 8 bits", 3),
        ("tickets.yaml", "There is nobody to put into it.", "There is 1 user.", 21),
        ("tickets.yaml", "while the step takes longer [M1.01]", "while the step takes longer", 27),
        ("maps.yaml", "Each layer needs all of them.", "All 32 layers need them.", 6),
        ("study.yaml", "Why one stream", "Why 1 stream", 4),
        ("study.yaml", "Derives the step time", "Derives 3 step times", 9),
    ],
)
def test_a_figure_without_its_fact(
    file: str, old: str, new: str, line: int, files: dict[str, str], tmp_path: Path, write_folder: Write
) -> None:
    assert old in files[STUDY + file]
    files[STUDY + file] = files[STUDY + file].replace(old, new)
    found = [one for one in lint(write_folder(tmp_path, files)) if "figure without the id" in one[2]]
    assert [(name, at) for name, at, _ in found] == [(STUDY + file, line)]


def test_givens_need_no_facts(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    for file, old, new in (
        ("cards.yaml", "How fast can one stream", "How fast can 1 stream"),
        ("cards.yaml", "a second request", "2 requests"),
        ("tickets.yaml", "What binds?", "What binds 1 user?"),
    ):
        assert old in files[STUDY + file]
        files[STUDY + file] = files[STUDY + file].replace(old, new)
    assert lint(write_folder(tmp_path, files)) == []


def test_listed_facts_are_the_cited_ones(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    files["facts.yaml"] += files["facts.yaml"].replace("M1.01", "M1.02")
    files[STUDY + "cards.yaml"] = files[STUDY + "cards.yaml"].replace("facts: [M1.01]", "facts: [M1.02]", 1)
    assert lint(write_folder(tmp_path, files)) == [
        (STUDY + "cards.yaml", 11, "lacks M1.01, which a text here cites"),
        (STUDY + "cards.yaml", 11, "lists 'M1.02', which no text here cites"),
    ]


def test_a_map_that_cannot_be_drawn(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    maps = files[STUDY + "maps.yaml"]
    files[STUDY + "maps.yaml"] = maps.replace("order: 1}", "order: 0}").replace(
        "mechanism: decode", "mechanism: magic"
    )
    assert lint(write_folder(tmp_path, files)) == [
        (STUDY + "maps.yaml", 6, "is 'magic', which no theme has a colour for"),
        (STUDY + "maps.yaml", 7, "stands in the place of 'read': same lane, same order"),
    ]


def test_a_link_to_a_map_leads_somewhere(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    links = "\n\n[map](map:one-step), [box](map:one-step/read),\n[none](map:two-steps) and [none](map:one-step/write).\n"
    files[STUDY + "gist.md"] = files[STUDY + "gist.md"].rstrip() + links
    files[STUDY + "cards.yaml"] = files[STUDY + "cards.yaml"].replace("Real steps", "[Real](map:x) steps")
    assert lint(write_folder(tmp_path, files)) == [
        (STUDY + "cards.yaml", 3, "links to no map and no box of this study: 'x'"),
        (STUDY + "gist.md", 9, "links to no map and no box of this study: 'one-step/write'"),
        (STUDY + "gist.md", 9, "links to no map and no box of this study: 'two-steps'"),
    ]


def test_a_formula_wants_its_value(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    files["facts.yaml"] = files["facts.yaml"].replace("  value: 4.48\n", "")
    assert lint(write_folder(tmp_path, files)) == [
        ("facts.yaml", 5, "comes without the `value` that it gives")
    ]


def test_faults_of_the_loader_and_of_the_lint_come_together(
    files: dict[str, str], tmp_path: Path, write_folder: Write
) -> None:
    cards = (
        files[STUDY + "cards.yaml"]
        .replace("difficulty: 1", "difficulty: 7")
        .replace("once a step", "1 time a step")
    )
    files[STUDY + "cards.yaml"] = cards
    found = check_pack(write_folder(tmp_path, files))
    assert [fault.field for fault in found] == ["[0].key_points[0]", "[0].difficulty"]


def test_a_fault_prints_as_one_line() -> None:
    assert str(Fault("cards.yaml", 3, "[0].id", "is empty")) == "cards.yaml:3: [0].id: is empty"
    assert str(Fault("cards.yaml", 1, "", "is missing")) == "cards.yaml:1: is missing"


def test_an_answer_too_long_to_speak(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    name = f"{STUDY}cards.yaml"
    answer = re.search(r"(?m)^  answer: .*(?:\n    .*)*", files[name])
    assert answer is not None
    files[name] = files[name].replace(answer[0], f"  answer: >-\n    {'word ' * 221}", 1)
    assert any("221 words" in message for _, _, message in lint(write_folder(tmp_path, files)))


def test_text_that_stands_in_two_cards(files: dict[str, str], tmp_path: Path, write_folder: Write) -> None:
    name = f"{STUDY}cards.yaml"
    first = re.search(r"(?ms)^- id: .*?(?=^- id: |\Z)", files[name])
    assert first is not None
    again = re.sub(r"^- id: (\S+)", r"- id: \1-again", first[0])
    files[name] += again
    messages = [message for _, _, message in lint(write_folder(tmp_path, files))]
    assert any(message.startswith(f"stands in another card too: {name}, line ") for message in messages)
