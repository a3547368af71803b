from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ladder_engine.lab.scenario import (
    ScenarioError,
    bundled_scenarios,
    check_fits,
    find_scenario,
    load_scenario,
    with_variant,
)

GOOD = """
id: two-chats
title: Two chats
story: Two people ask.
look_at: [the first row]
model: ./model
engine: {num_blocks: 8, block_size: 4, max_num_seqs: 2, max_num_batched_tokens: 8, max_model_len: 64}
requests:
  - {name: ada, prompt: abcdefgh, max_tokens: 4}
  - name: ben
    prompt: abc
    max_tokens: 9
    arrive_at_step: 3
    sampling: {temperature: 0.5, top_p: 0.9, seed: 3, ignore_eos: true}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "two.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_scenario_reads_as_it_is_written(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    scenario = load_scenario(path)
    assert (scenario.id, scenario.path, scenario.model_folder(scenario.model)) == (
        "two-chats",
        path,
        tmp_path / "model",
    )
    assert scenario.engine.num_blocks == 8
    ada, ben = scenario.requests
    assert (ada.arrive_at_step, ada.sampling.temperature) == (1, 0.0)
    assert (ben.arrive_at_step, ben.sampling.seed, ben.sampling.ignore_eos) == (3, 3, True)
    assert find_scenario(str(path)) == path


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("num_blocks: 8", "num_blocks: many", "engine.num_blocks: Expected int, got str"),
        ("num_blocks: 8", "num_blocks: 0", "engine.num_blocks: Expected int >= 1"),
        ("num_blocks: 8", "blocks: 8", "unknown field blocks"),
        ("id: two-chats", "id: Two Chats", "id: Expected str matching"),
        ("max_tokens: 9", "max_tokens: 9\n    stop: x", "requests[1]: Object contains unknown field stop"),
        ("top_p: 0.9", "top_p: 1.5", "requests[1].sampling.top_p: Expected float <= 1.0"),
        ("name: ben", "name: ada", "two requests have the name 'ada'"),
        ("id: two-chats", "id: two-chats\nid: three", "the key 'id' is given twice"),
        ("id: two-chats", "id: two-chats\npath: /etc/passwd", "unknown field path"),
        ("look_at: [the first row]", "look_at: &a [x]\nmore: *a", "line 6: aliases"),
        ("title: Two chats", "title: !!python/object/apply:os.system [ls]", "line 3: could not determine"),
        ("story: Two people ask.", "story: [", "line"),
        ("prompt: abcdefgh", "prompt: ''", "requests[0].prompt: Expected str of length >= 1"),
        ("title: Two chats", "", "missing required field title"),
        ("num_blocks: 8", "num_blocks: 8, kv_layout: slab", "engine: kv_layout slab takes 16 blocks"),
        ("num_blocks: 8", "num_blocks: 8, batching: magic", "engine.batching: Invalid enum value 'magic'"),
    ],
)
def test_a_fault_names_the_file_and_the_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(ScenarioError) as error:
        load_scenario(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert words in message
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"", b"- 1", b"\xff\xfe\x00", b"a: " + b"[" * 4000, b"x" * (2 << 20)])
def test_files_that_are_no_scenario(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError) as error:
        load_scenario(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_scenario(tmp_path / "none.yaml")
    with pytest.raises(ScenarioError, match="one of: short-chats"):
        find_scenario("none")


def test_a_request_that_can_never_run_is_found_before_anything_runs(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    check_fits(load_scenario(path), len)
    write(tmp_path, GOOD.replace("max_tokens: 9", "max_tokens: 31"))
    with pytest.raises(ScenarioError) as error:
        check_fits(load_scenario(path), len)
    assert str(error.value) == (
        f"{path}: request 'ben' can never run: it needs 9 blocks of 4 tokens (3 prompt tokens and up to 31 more), "
        "and the whole pool has 8; shorten its prompt, lower its max_tokens, or raise num_blocks and max_model_len."
    )


def test_the_bundled_scenarios_are_in_order_and_found_by_their_ids() -> None:
    scenarios = bundled_scenarios()
    names = ["short-chats", "long-prompt", "more-than-fits", "shared-prompt"]
    assert [scenario.id for scenario in scenarios][:4] == names
    for scenario in scenarios:
        assert find_scenario(scenario.id) == scenario.path
        assert 1 <= len(scenario.requests) <= 32
        assert 28 <= scenario.engine.num_blocks <= 512  # so many can be told apart in the grid


def test_what_the_window_imports_does_not_bring_torch() -> None:
    lab = ("scenario", "comparison", "measures", "mechanisms", "prediction", "series", "shape", "traffic")
    tracing = ("events", "fold", "perfetto", "recording", "summary", "trace_file")
    modules = ["config", "errors", "models", "serving.client", "serving.protocol"]
    modules += [f"lab.{name}" for name in lab] + [f"tracing.{name}" for name in tracing]
    imports = ", ".join(f"ladder_engine.{name}" for name in modules)
    code = f"import sys, {imports}; sys.exit('torch' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


EXPERIMENT = (
    GOOD.replace(
        "  - {name: ada, prompt: abcdefgh, max_tokens: 4}",
        "  - {name: ada, prompt: 'n{n}', max_tokens: 4, copies: 3, every: 2}",
    )
    + """
shows: prefix-caching
variants:
  - {name: without}
  - {name: with, engine: {prefix_caching: true, num_blocks: 4}}
prediction: {question: "How many?", measure: steps, kind: number, variant: with, against: without}
explained_by: study:paging/gist/prefix
tickets: [a-ticket]
"""
)


def test_copies_are_written_out_with_their_numbers(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, EXPERIMENT))
    found = [(one.name, one.prompt, one.arrive_at_step, one.copies) for one in scenario.requests]
    assert found == [
        ("ada 1", "n1", 1, 1),
        ("ada 2", "n2", 3, 1),
        ("ada 3", "n3", 5, 1),
        ("ben", "abc", 3, 1),
    ]


def test_a_variant_changes_the_settings_it_names_and_the_first_is_the_default(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, EXPERIMENT))
    assert (scenario.variant, scenario.engine.num_blocks) == ("", 8)
    default, other = with_variant(scenario), with_variant(scenario, "with")
    assert (default.variant, default.engine) == ("without", scenario.engine)
    assert (other.variant, other.engine.num_blocks, other.engine.prefix_caching) == ("with", 4, True)
    assert other.engine.block_size == scenario.engine.block_size
    plain = load_scenario(write(tmp_path, GOOD))
    assert with_variant(plain) == plain
    with pytest.raises(ScenarioError, match=r"has no variant 'x'; its variants are: without, with\.$"):
        with_variant(scenario, "x")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("num_blocks: 4", "num_blocks: 0", "variant 'with', engine: num_blocks: Expected int >= 1"),
        ("num_blocks: 4", "blocks: 4", "variant 'with', engine: Object contains unknown field blocks"),
        ("  - {name: without}\n", "", "variants need two names at least"),
        ("name: without", "name: with", "no name twice"),
        (
            "shows: prefix-caching",
            "shows: magic",
            "shows names no mechanism; the mechanisms are continuous-batching,",
        ),
        ("measure: steps", "measure: joy", "prediction: there is no measure 'joy'; the measures are steps,"),
        ("variant: with,", "variant: wit,", "the prediction is about the variant 'wit'"),
        ("kind: number", "kind: choice", "prediction: a choice needs two options"),
        ("study:paging", "http://paging", "explained_by: Expected str matching"),
        ("copies: 3", "copies: 1000", "has 1001 requests with all copies; 1000 are the most"),
        ("name: ben", "name: ada 2", "two requests have the name 'ada 2'"),
        ("tickets:", "variant: with\ntickets:", "unknown field variant"),
    ],
)
def test_a_faulty_experiment_names_the_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in EXPERIMENT
    path = write(tmp_path, EXPERIMENT.replace(old, new))
    with pytest.raises(ScenarioError) as error:
        load_scenario(path)
    assert str(error.value).startswith(f"{path}: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)
