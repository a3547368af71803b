"""Each way to break a pack gives its own fault, at the right file, line and field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from ladder_content.loader import Fault, PackError, load_pack
from ladder_content.model import Pack

STUDY = "studies/01-first/"
CARDS, TICKETS, MAPS = STUDY + "cards.yaml", STUDY + "tickets.yaml", STUDY + "maps.yaml"
SNIPPETS = STUDY + "snippets.yaml"
WriteFolder = Callable[..., Path]


@dataclass(frozen=True)
class Break:
    """Replace `old` by `new` in a file; expect a fault in the line that then holds `at`."""

    file: str
    old: str
    new: str
    at: str
    field: str
    message: str


BREAKS = {
    "unknown field": Break(CARDS, "follow_up:", "folow_up:", "folow_up:", "[0].folow_up", "is not a field"),
    "missing field": Break(CARDS, "  difficulty: 1\n", "", "- id: first-floor\n", "[0].difficulty", "is missing"),
    "wrong choice": Break(CARDS, "difficulty: 1", "difficulty: 4", "difficulty: 4", "[0].difficulty", "must be one of 1, 2, 3"),
    "text for a number": Break(MAPS, "lane: 0, order: 1", "lane: top, order: 1", "lane: top", "[0].nodes[1].lane", "must be a whole number"),
    "huge number": Break(MAPS, "order: 1}", "order: " + "9" * 400 + "}", "order: 9", "[0].nodes[1].order", "must be a whole number"),
    "number out of the canvas": Break(MAPS, "order: 1}", "order: -1}", "order: -1", "[0].nodes[1].order", "between 0 and 99"),
    "text for a truth": Break(TICKETS, "answer., correct: true", "answer., correct: maybe", "maybe", "[0].steps[0].options[0].correct", "must be true or false"),
    "not a number": Break("facts.yaml", "value: 4.48", "value: .nan", ".nan", "[0].value", "must be a number"),
    "list for a text": Break(CARDS, "question: How fast", "question: [How fast]\n  x: How", "question: [", "[0].question", "not a list"),
    "text for a list": Break(CARDS, "tags: [decode]", "tags: decode", "tags: decode", "[0].tags", "must be a list"),
    "text for a mapping": Break(MAPS, "    - {id: read,", "    - read\n    - {id: read,", "    - read", "[0].nodes[0]", "must be a mapping"),
    "empty text": Break(CARDS, "follow_up: What changes with a second request in the batch?", 'follow_up: " "', 'follow_up: " "', "[0].follow_up", "is empty"),
    "no text": Break(CARDS, "follow_up: What changes with a second request in the batch?", "follow_up:", "follow_up:\n", "[0].follow_up", "is empty"),
    "same key twice": Break(CARDS, "  difficulty: 1\n", "  difficulty: 1\n  difficulty: 3\n", "difficulty: 3", "difficulty", "stands twice"),
    "key that is a list": Break(CARDS, "  difficulty: 1", "  [a]: 1\n  difficulty: 1", "[a]", "", "name of a field"),
    "anchor": Break(CARDS, "tags: [decode]", "tags: &t [decode]", "&t", "", "anchor or alias"),
    "alias": Break(CARDS, "tags: [decode]", "tags: *t", "*t", "", "anchor or alias"),
    "tag": Break(CARDS, "tags: [decode]", "tags: !!python/object/apply:os.system [ls]", "!!python", "", "uses the tag"),
    "nesting": Break(CARDS, "tags: [decode]", "tags: " + "[" * 50 + "]" * 50, "[[[", "", "nested too deeply"),
    "second document": Break(CARDS, "facts: [M1.01]\n", "facts: [M1.01]\n---\n- id: x\n", "---", "", "more than one"),
    "colon without quotes": Break(CARDS, "question: How fast", "question: How: fast", "How: fast", "", "wants quotes"),
    "forbidden character": Break(CARDS, "How fast", "How \x07fast", "- id: first-floor", "", "not valid YAML"),
    "mapping for a list": Break("facts.yaml", "- id: M1.01", "  id: M1.01", "id: M1.01", "", "must be a list"),
    "unknown fact in a list": Break(CARDS, "facts: [M1.01]", "facts: [M1.02]", "facts: [M1.02]", "[0].facts[0]", "facts.yaml lacks: 'M1.02'"),
    "unknown fact in a text": Break(TICKETS, "takes longer [M1.01]", "takes longer [M1.01, M9.99]", "takes longer", "[0].evidence", "facts.yaml lacks: 'M9.99'"),
    "unknown fact in a gist": Break(STUDY + "gist.md", "4.5 ms [M1.01]", "4.5 ms [M1.03]", "M1.03", "floor", "facts.yaml lacks: 'M1.03'"),
    "malformed fact id": Break("facts.yaml", "id: M1.01", "id: M-1", "id: M-1", "[0].id", "written like F1.09"),
    "malformed card id": Break(CARDS, "id: first-floor", "id: ../first", "../first", "[0].id", "an id is small letters"),
    "malformed pack id": Break("pack.yaml", "id: my-team", "id: My Team", "id: My", "id", "an id is small letters"),
    "card and ticket of one id": Break(TICKETS, "id: first-lonely-stream", "id: first-floor", "id: first-floor", "[0].id", "repeats the id 'first-floor' of " + CARDS),
    "nodes of one id": Break(MAPS, "{id: sample,", "{id: read,", "label: Sample", "[0].nodes[1].id", "repeats the id 'read'"),
    "edge to nowhere": Break(MAPS, "target: sample", "target: sampler", "target: sampler", "[0].edges[0].target", "names no node"),
    "edge to itself": Break(MAPS, "target: sample", "target: read", "target: read", "[0].edges[0].target", "its own source"),
    "no right option": Break(TICKETS, "They remove the launches between kernels., correct: true", "No.", "options:\n        - {text: CUDA", "[0].steps[2].options", "has 0 correct options"),
    "two right options": Break(TICKETS, "There is nobody to put into it.", "Yes., correct: true", "options:\n        - {text: CUDA", "[0].steps[2].options", "has 2 correct options"),
    "one option": Break(TICKETS, "        - {text: A bigger batch, why: There is nobody to put into it.}\n", "", "options:\n        - {text: CUDA", "[0].steps[2].options", "offers no choice"),
    "steps out of order": Break(TICKETS, "name: bound", "name: lever", "name: lever\n      prompt: What binds", "[0].steps[1].name", "breaks the order shape, bound, lever, study"),
    "unknown step": Break(TICKETS, "name: bound", "name: guess", "name: guess", "[0].steps[1].name", "must be one of bound, lever, shape, study"),
    "three steps": Break(TICKETS, "    - name: study\n      prompt: Which study next?\n      options:\n        - {text: Expert parallel, why: The model is dense.}\n        - {text: Prefill and decode, why: It derives the floor., correct: true}\n", "", "steps:", "[0].steps", "has 3 entries and must have 4"),
    "reference off the web": Break(STUDY + "study.yaml", "url: https://", "url: file://", "url: file", "references[0].url", "must be a web address"),
    "folder that is a path": Break("pack.yaml", "  - 01-first", "  - 01-first\n  - ../../etc", "../../etc", "studies[1]", "is no name of a folder"),
    "folder named twice": Break("pack.yaml", "  - 01-first", "  - 01-first\n  - 01-first", "", "studies[1]", "stands twice"),
    "no studies": Break("pack.yaml", "studies:\n  - 01-first\n", "studies: []\n", "studies: []", "studies", "names no study"),
    "heading without id": Break(STUDY + "gist.md", " {#floor}", "", "## The floor", "The floor of a step", "needs an id"),
    "heading without title": Break(STUDY + "gist.md", "## The floor of a step {#floor}", "##", "##", "", "without a title"),
    "heading with a bad id": Break(STUDY + "gist.md", "{#floor}", "{#The Floor}", "## The", "'The Floor'", "is no id"),
    "two sections of one id": Break(STUDY + "gist.md", "- Batching", "## Again {#floor}\n\n- Batching", "## Again", "floor", "repeats the id of the section in line 1"),
    "section without text": Break(STUDY + "gist.md", "- Batching", "## Empty {#empty}\n\n## More {#more}\n\n- Batching", "## Empty", "Empty", "no text below"),
    "key points left empty": Break(CARDS, "key_points: [Divides the bytes by the bandwidth.]", "key_points: []", "key_points: []", "[1].key_points", "at least one point"),
    "unknown kind": Break(CARDS, "kind: numeric", "kind: number", "kind: number", "[1].kind", "must be one of cloze, lever, numeric, qa"),
    "numeric without its result": Break(CARDS, "  expected: {value: 4.48, unit: ms, tolerance: 0.02}\n", "", "- id: first-floor-in-ms", "[1].expected", "a numeric card needs"),
    "result without its unit": Break(CARDS, "unit: ms, tolerance: 0.02", "tolerance: 0.02", "expected:", "[1].expected.unit", "is missing"),
    "result without tolerance": Break(CARDS, ", tolerance: 0.02}", "}", "expected:", "[1].expected.tolerance", "is missing"),
    "result that accepts everything": Break(CARDS, "tolerance: 0.02", "tolerance: 0.51", "expected:", "[1].expected.tolerance", "between 0 and 0.5"),
    "result that accepts nothing": Break(CARDS, "tolerance: 0.02", "tolerance: -0.1", "expected:", "[1].expected.tolerance", "between 0 and 0.5"),
    "result of a plain question": Break(CARDS, "  kind: numeric\n", "", "expected:", "[1].expected", "belongs to a numeric card; this one is qa"),
    "result of a cloze": Break(CARDS, "kind: numeric", "kind: cloze", "expected:", "[1].expected", "this one is cloze"),
    "options of a plain question": Break(CARDS, "  kind: lever\n", "", "options:", "[3].options", "belongs to a lever card; this one is qa"),
    "options of a cloze": Break(CARDS, "kind: lever", "kind: cloze", "options:", "[3].options", "this one is cloze"),
    "cloze that hides nothing": Break(CARDS, "{{every weight}} once, so here it takes at least {{4.5 ms}}", "every weight", "every weight [", "[2].question", "hides nothing"),
    "cloze with an open brace": Break(CARDS, "{{every weight}} once", "{{every weight once", "every weight once", "[2].question", "do not pair up"),
    "cloze with a stray brace": Break(CARDS, "{{4.5 ms}}", "4.5 ms}}", "at least 4.5", "[2].question", "do not pair up"),
    "cloze that hides a blank": Break(CARDS, "{{every weight}}", "{{ }}", "{{ }}", "[2].question", "hides an empty part"),
    "lever without options": Break(CARDS, "kind: cloze", "kind: lever", "- id: first-floor-in-words", "[2].options", "has 0 entries; a lever card offers 3 to 5"),
    "lever with two options": Break(CARDS, "    - {text: A bigger batch, why: There is nobody to put into it.}\n", "", "options:", "[3].options", "has 2 entries; a lever card offers 3 to 5"),
    "lever with six options": Break(CARDS, "  options:\n", "  options:\n" + "    - {text: Wait, why: It changes nothing.}\n" * 3, "options:", "[3].options", "has 6 entries"),
    "lever without a right option": Break(CARDS, "this floor., correct: true", "this floor.", "options:", "[3].options", "has 0 correct options"),
    "lever with two right options": Break(CARDS, "There is nobody to put into it.", "Yes., correct: true", "options:", "[3].options", "has 2 correct options"),
    "option without a reason": Break(CARDS, ", why: There is nobody to put into it.", "", "A bigger batch", "[3].options[1].why", "is missing"),
    "lab that is no name": Break(CARDS, "lab: short-chats", "lab: ../short chats", "lab:", "[3].lab", "an id is small letters"),
    "lab of a ticket that is no name": Break(TICKETS, "  tags: [decode]", "  lab: A/B\n  tags: [decode]", "lab:", "[0].lab", "an id is small letters"),
    "code that is no Python": Break(SNIPPETS, "return weight_gb", "return return weight_gb", "code:", "[0].code", "is not valid Python: invalid syntax in its line 2"),
    "code that imports": Break(SNIPPETS, "    def floor_ms", "    import os.path\n    def floor_ms", "code:", "[0].code", "imports 'os.path'; a snippet may import math and nothing else"),
    "code that imports from a neighbour": Break(SNIPPETS, "    def floor_ms", "    from .x import y\n    def floor_ms", "code:", "[0].code", "imports '.x'"),
    "code too long": Break(SNIPPETS, "    print", "    #" + "x" * 20_000 + "\n    print", "code:", "[0].code", "longer than 20,000 characters"),
    "code nested too deeply": Break(SNIPPETS, "    print", "    x = " + "-" * 15_000 + "1\n    print", "code:", "[0].code", "is not valid Python that can be parsed"),
    "call that is a statement": Break(SNIPPETS, '"floor_ms(15.01, 3.35)", expected', '"x = floor_ms(15.01, 3.35)", expected', "x = floor_ms", "[0].vectors[0].call", "is not a Python expression: invalid syntax"),
    "call with a null": Break(SNIPPETS, '"floor_ms(15.01, 3.35)", expected', '"f(\\0)", expected', "- {call", "[0].vectors[0].call", "is not a Python expression"),
    "call too long": Break(SNIPPETS, "3.35)\", expected", "3.35" + "0" * 500 + ")\", expected", "- {call", "[0].vectors[0].call", "longer than 500 characters"),
    "vector that accepts everything": Break(SNIPPETS, "tolerance: 0.01", "tolerance: 0.6", "- {call", "[0].vectors[0].tolerance", "between 0 and 0.5"),
    "vector without its value": Break(SNIPPETS, "expected: 4.48, ", "", "- {call", "[0].vectors[0].expected", "is missing"),
    "vector of a mapping": Break(SNIPPETS, "expected: 4.48", "expected: {a: 1}", "- {call", "[0].vectors[0].expected", "a single value or a list of single values"),
    "vector of lists of lists": Break(SNIPPETS, "expected: 4.48", "expected: [[1]]", "- {call", "[0].vectors[0].expected[0]", "a single value or a list of single values"),
    "vector of nothing": Break(SNIPPETS, "expected: 4.48", "expected: ~", "- {call", "[0].vectors[0].expected", "is empty"),
    "snippet without vectors": Break(SNIPPETS, 'vectors:\n    - {call: "floor_ms(15.01, 3.35)", expected: 4.48, tolerance: 0.01}', "vectors: []", "vectors: []", "[0].vectors", "at least one call"),
    "snippet of a card's id": Break(SNIPPETS, "id: first-floor-calculator", "id: first-floor", "- id: first-floor", "[0].id", "repeats the id 'first-floor' of " + CARDS),
    "text before the first heading": Break(STUDY + "gist.md", "## The floor", "Hello.\n\n## The floor", "Hello.", "", "text before its first heading"),
}  # fmt: skip


def faults_of(path: Path) -> tuple[Fault, ...]:
    with pytest.raises(PackError) as caught:
        load_pack(path)
    return caught.value.faults


def test_the_example_of_the_readme_loads(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    pack = load_pack(write_folder(tmp_path, files))
    assert isinstance(pack, Pack)
    assert (pack.version, pack.studies[0].cards[0].difficulty) == ("0.1.0", 1)
    assert [section.id for section in pack.studies[0].sections] == ["floor"]


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_pack_says_where(
    name: str, files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    broken = BREAKS[name]
    assert broken.old in files[broken.file], "the example changed, mend this test"
    files[broken.file] = files[broken.file].replace(broken.old, broken.new, 1)
    line = files[broken.file].count("\n", 0, files[broken.file].rindex(broken.at)) + 1
    if name == "folder named twice":
        line = files[broken.file].count("\n")
    if name == "forbidden character":
        line = 1  # the YAML reader stops at such a character and knows no line
    faults = faults_of(write_folder(tmp_path, files))
    assert [(fault.file, fault.line, fault.field) for fault in faults if broken.message in fault.message] == [
        (broken.file, line, broken.field)
    ], faults


@pytest.mark.parametrize(
    "name",
    [
        "pack.yaml",
        "facts.yaml",
        *(STUDY + one for one in ("study.yaml", "gist.md", "maps.yaml", "cards.yaml", "tickets.yaml")),
    ],
)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "is missing"),
        (b"# caf\xe9\n", "not UTF-8"),
        (b"# a comment\n", "is empty"),
        (b"a" * ((1 << 20) + 1), "larger than 1 MiB"),
    ],
    ids=["missing", "latin-1", "empty", "huge"],
)
def test_a_file_that_cannot_be_used(
    name: str,
    data: bytes | None,
    message: str,
    files: dict[str, str],
    tmp_path: Path,
    write_folder: WriteFolder,
) -> None:
    changed: dict[str, str | bytes] = dict(files)
    if data is None:
        del changed[name]
    else:
        changed[name] = data
    if name.endswith("gist.md") and message == "is empty":
        message = "text before its first heading"
    faults = faults_of(write_folder(tmp_path, changed))
    assert [fault.line for fault in faults if fault.file == name and message in fault.message] == [1]


def test_every_fault_is_reported_and_the_sentence_names_the_first(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    files[CARDS] = files[CARDS].replace("difficulty: 1", "difficulty: 9").replace("tags:", "tag:", 1)
    files[MAPS] = files[MAPS].replace("target: sample", "target: nowhere")
    files[TICKETS] = files[TICKETS].replace("correct: true", "correct: false")
    with pytest.raises(PackError) as caught:
        load_pack(write_folder(tmp_path, files))
    faults = caught.value.faults
    assert len(faults) == 1 + 2 + 1 + 4
    assert list(faults) == sorted(faults)
    assert str(caught.value) == (
        f"The pack {tmp_path} cannot be used: {CARDS}, line 1, [0].tags is missing (and {len(faults) - 1} more faults)."
    )


def test_two_studies_share_no_id_and_no_number(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    files |= {
        name.replace("01-first", "02-second"): text for name, text in files.items() if "01-first" in name
    }
    files["pack.yaml"] += "  - 02-second\n"
    faults = faults_of(write_folder(tmp_path, files))
    assert [(fault.file.rsplit("/")[-1], fault.field) for fault in faults] == [
        *(("cards.yaml", f"[{index}].id") for index in range(4)),
        ("snippets.yaml", "[0].id"),
        ("study.yaml", "id"),
        ("study.yaml", "number"),
        ("tickets.yaml", "[0].id"),
    ]


def test_a_heading_inside_a_code_block_is_code(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    files[STUDY + "gist.md"] += "\n```\n## not a heading\n~~~\n```\n\n## Second {#second}\n\nText.\n"
    sections = load_pack(write_folder(tmp_path, files)).studies[0].sections
    assert [section.id for section in sections] == ["floor", "second"]
    assert "## not a heading" in sections[0].body


def test_line_ends_and_a_byte_order_mark_do_not_matter(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    plain = load_pack(write_folder(tmp_path / "plain", files))
    windows = {name: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() for name, text in files.items()}
    assert load_pack(write_folder(tmp_path / "windows", windows)) == plain


def test_a_study_may_do_without_snippets(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder, write_zip: WriteFolder
) -> None:
    assert load_pack(write_folder(tmp_path / "with", files)).studies[0].snippets
    del files[SNIPPETS]
    for path in (write_folder(tmp_path / "without", files), write_zip(tmp_path / "without.zip", files)):
        assert load_pack(path).studies[0].snippets == ()


def test_snippets_that_cannot_be_read_are_not_overlooked(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    root = write_folder(tmp_path, files)
    (root / SNIPPETS).unlink()
    (root / SNIPPETS).mkdir()
    assert [(fault.file, fault.message) for fault in faults_of(root)] == [(SNIPPETS, "is not a file")]


def test_the_values_of_vectors_keep_their_types(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    values: dict[str, object] = {"true": True, "12": 12, "1.5e3": 1500.0, "decode": "decode", "'12'": "12", "[a, 1, false]": ["a", 1, False], "99999999999": 99999999999.0, "''": ""}  # fmt: skip
    line = '    - {call: "floor_ms(15.01, 3.35)", expected: 4.48, tolerance: 0.01}'
    assert line in files[SNIPPETS]
    vectors = "\n".join(line.replace("4.48", value) for value in values)
    files[SNIPPETS] = files[SNIPPETS].replace(line, vectors)
    found = [
        vector.expected for vector in load_pack(write_folder(tmp_path, files)).studies[0].snippets[0].vectors
    ]
    assert list(map(repr, found)) == list(map(repr, values.values()))


def test_words_that_yaml_would_change_stay_words(
    files: dict[str, str], tmp_path: Path, write_folder: WriteFolder
) -> None:
    files["pack.yaml"] = files["pack.yaml"].replace("language: en", "language: no").replace("0.1.0", "0.10")
    pack = load_pack(write_folder(tmp_path, files))
    assert (pack.language, pack.version) == ("no", "0.10")
