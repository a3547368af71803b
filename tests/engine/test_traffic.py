"""Real traffic as a workload, on the heads of public traces where they are at hand, and on small files always."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from ladder_engine.errors import ScenarioError
from ladder_engine.lab.scenario import check_fits
from ladder_engine.lab.traffic import Row, Traffic, open_scenario, read_traffic, scale, traffic_scenario
from ladder_engine.models import find_model
from ladder_engine.tokenizer import Tokenizer

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n"
TIMED = [
    {"timestamp": 0, "input_length": 1600, "output_length": 64, "hash_ids": [7, 8, 9, 10]},
    {"timestamp": 500, "input_length": 1300, "output_length": 32, "hash_ids": [7, 8, 30]},
    {"timestamp": 250, "input_length": 1536, "output_length": 8, "hash_ids": [7, 40, 9]},
]
HEADS = Path(os.environ.get("LADDER_TRACES", Path(__file__).parents[3] / "shared" / "traces"))


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer.load(find_model("ladder-3m"))


@cache
def words() -> list[str]:
    return tokenizer().one_token_words()


def write(folder: Path, text: str, name: str = "x.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def timed(folder: Path) -> Path:
    return write(folder, "".join(json.dumps(line) + "\n" for line in TIMED), "x.jsonl")


def test_azures_times_and_lengths(tmp_path: Path) -> None:
    first, second = read_traffic(write(tmp_path, AZURE))
    assert first == Row(0.0, 374, 44)
    assert second.seconds == pytest.approx(4.314579)
    assert (second.input_tokens, second.output_tokens, second.hash_ids) == (396, 109, ())


def test_timed_traces_come_in_order_of_time_in_their_unit(tmp_path: Path) -> None:
    rows = read_traffic(timed(tmp_path))
    assert [(row.seconds, row.input_tokens) for row in rows] == [(0.0, 1600), (0.25, 1536), (0.5, 1300)]
    rows = read_traffic(timed(tmp_path), Traffic(time_unit=1.0, most=2))
    assert [row.seconds for row in rows] == [0.0, 500.0]


def test_prompts_have_the_scaled_lengths_and_share_exactly_the_prefixes_that_the_ids_share(
    tmp_path: Path,
) -> None:
    scenario = traffic_scenario(timed(tmp_path), words())
    factor = scale(read_traffic(timed(tmp_path)), 512)
    assert factor == 4
    assert f"divided by {factor}" in scenario.story
    tokens = [tokenizer().bare().encode(request.prompt) for request in scenario.requests]
    assert [len(one) for one in tokens] == [400, 384, 325]
    assert [request.max_tokens for request in scenario.requests] == [16, 2, 8]
    a, c, b = tokens
    chunk = 512 // factor
    assert a[: 2 * chunk] == b[: 2 * chunk]
    assert a[2 * chunk :] != b[2 * chunk :]
    assert a[:chunk] == c[:chunk]
    assert a[chunk : 2 * chunk] != c[chunk : 2 * chunk]
    assert a[2 * chunk : 3 * chunk] == c[2 * chunk : 3 * chunk], (
        "the same id is the same text wherever it stands"
    )
    check_fits(scenario, lambda text: len(tokenizer().encode(text)))


def test_the_same_file_is_the_same_text_in_every_process(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ladder_engine.lab.traffic import traffic_scenario;"
        "print(traffic_scenario(Path(sys.argv[1]), [f'w{n}' for n in range(99)]).requests[0].prompt)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code, str(timed(tmp_path))],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1


@pytest.mark.parametrize(
    ("name", "text", "words_said"),
    [
        ("x.csv", "a,b\n", "its first line is not TIMESTAMP,ContextTokens,GeneratedTokens"),
        ("x.csv", "", "its first line is not"),
        ("x.csv", AZURE + "2023-11-16 18:15:51,12\n", "line 4 is not a time and two counts"),
        ("x.csv", AZURE + "yesterday,12,3\n", "line 4 is not a time"),
        ("x.csv", AZURE + "2023-11-16 18:15:51,-12,3\n", "line 4 is not"),
        ("x.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n", "holds no requests"),
        ("x.jsonl", "", "holds no requests"),
        ("x.jsonl", '{"timestamp": 0}\n', "line 1 is no request with timestamp"),
        ("x.jsonl", json.dumps(TIMED[0]) + "\nnonsense\n", "line 2 is no request"),
    ],
)
def test_a_bad_file_is_one_sentence_with_its_line(
    tmp_path: Path, name: str, text: str, words_said: str
) -> None:
    path = write(tmp_path, text, name)
    with pytest.raises(ScenarioError) as error:
        open_scenario(path, words)
    assert str(error.value).startswith(f"{path}: ")
    assert words_said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_traffic(tmp_path / "none.csv")
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="is not text in UTF-8"):
        read_traffic(tmp_path / "x.csv")


@pytest.mark.skipif(not HEADS.is_dir(), reason="the heads of public traces are not at hand")
@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("azure_llm_2023_code_head.csv", False),
        ("azure_llm_2023_conv_head.csv", False),
        ("mooncake_conversation_head.jsonl", True),
    ],
)
def test_heads_of_public_traces_become_workloads_that_fit(name: str, shares: bool) -> None:
    scenario = traffic_scenario(HEADS / name, words(), Traffic(most=60))
    assert 54 <= len(scenario.requests) <= 60
    left_out = 60 - len(scenario.requests)
    assert (f"without {left_out} that" in scenario.story) is (left_out > 0)
    check_fits(scenario, lambda text: len(tokenizer().encode(text)))
    size = scenario.engine.block_size
    firsts = {tuple(tokenizer().encode(request.prompt)[:size]) for request in scenario.requests}
    assert (len(firsts) < len(scenario.requests) / 2) is shares
