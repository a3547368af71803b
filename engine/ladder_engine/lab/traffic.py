"""Real traffic as a workload: Azure's LLM inference traces (CSV), Mooncake's and vLLM's timed traces (JSON lines).

Azure (https://github.com/Azure/AzurePublicDataset):            TIMESTAMP,ContextTokens,GeneratedTokens
Mooncake (https://github.com/kvcache-ai/Mooncake), timed_trace: {"timestamp", "input_length", "output_length", "hash_ids"}
A hash id stands for a chunk of 512 prompt tokens (`hash_tokens`); equal ids are equal chunks, so each id is written out as
the same words every time, and prefixes are shared exactly where they were. The words come from a hash that is the same in
every process. Lengths are divided by a power of two, so that nine requests in ten fit; the factor is told, and how many were left
out. A block of the engine holds a scaled chunk, so the cache finds what it would have found.
No torch here.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ladder_engine.config import EngineConfig
from ladder_engine.errors import ScenarioError
from ladder_engine.lab.scenario import MAX_REQUESTS, Request, Scenario, load_scenario
from ladder_engine.sampling import SamplingParams

SUFFIXES = (".csv", ".jsonl")
COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
MOST_BLOCK, POOL_TOKENS, MAX_MODEL_LEN = 16, 4096, 512
FIT = 0.9  # the share of the requests that must fit


class Traffic(msgspec.Struct, frozen=True, kw_only=True):
    """How to read a file: its first `most` requests; `hash_tokens` to a hash id; timestamps of JSON lines in `time_unit`
    seconds; `steps_per_second` steps of the engine to a second of the trace."""

    most: int = 120
    hash_tokens: int = 512
    time_unit: float = 0.001
    steps_per_second: float = 8.0


class Row(msgspec.Struct, frozen=True):
    """One request of a trace: seconds since the first, and its lengths in tokens. Without ids nothing is shared."""

    seconds: float
    input_tokens: int
    output_tokens: int
    hash_ids: tuple[int, ...] = ()


class _Line(msgspec.Struct):
    timestamp: float
    input_length: int
    output_length: int
    hash_ids: tuple[int, ...] = ()


def open_scenario(path: Path, words_of: Callable[[], Sequence[str]]) -> Scenario:
    """The scenario in a YAML file, or the one that a file of traffic makes. Raises ScenarioError.

    `words_of` gives words that are one token each behind a space (Tokenizer.one_token_words); traffic is written in them.
    """
    if path.suffix not in SUFFIXES:
        return load_scenario(path)
    words = words_of()
    if len(words) < 64:
        raise ScenarioError(f"{path}: the model has too few words to write traffic in; choose another model.")
    return traffic_scenario(path, words)


def traffic_scenario(path: Path, words: Sequence[str], traffic: Traffic = Traffic()) -> Scenario:  # noqa: B008
    """The first requests of a trace, scaled to a small model, as a scenario. Raises ScenarioError."""
    rows = read_traffic(path, traffic)
    factor = scale(rows, MAX_MODEL_LEN)
    fitting = [row for row in rows if _fits(row, factor, MAX_MODEL_LEN)]
    chunk = max(1, traffic.hash_tokens // factor)
    block = min(MOST_BLOCK, chunk)
    requests = tuple(
        Request(
            name=f"request {number}",
            prompt=_prompt(row, number, factor, chunk, words),
            max_tokens=max(1, row.output_tokens // factor),
            arrive_at_step=1 + int(row.seconds * traffic.steps_per_second),
            sampling=SamplingParams(ignore_eos=True),
        )
        for number, row in enumerate(fitting, start=1)
    )
    left_out = len(rows) - len(fitting)
    without = f", without {left_out} that were too long" if left_out else ""
    shares = any(row.hash_ids for row in rows)
    reuse = (
        f"Each hash id is the same {chunk} tokens wherever it stands, so prefixes are shared "
        "exactly where they were."
        if shares
        else "The trace says nothing about prefixes, so nothing is shared."
    )
    return Scenario(
        id="traffic",
        title=f"Traffic: {path.name}"[:200],
        story=f"The first {len(rows)} requests of {path.name}{without}. All lengths are divided by {factor}, so that they fit this "
        f"small model; {traffic.steps_per_second:g} steps of the engine are a second of the trace. {reuse}",
        look_at=(
            "The arrivals come as they came.",
            "Compare the queue with the token budget, and the cache with the prompts.",
        ),
        engine=EngineConfig(
            num_blocks=POOL_TOKENS // block,
            block_size=block,
            max_num_seqs=16,
            max_num_batched_tokens=128,
            max_model_len=MAX_MODEL_LEN,
            prefix_caching=True,
        ),
        requests=requests,
        path=path,
    )


def read_traffic(path: Path, traffic: Traffic = Traffic()) -> list[Row]:  # noqa: B008
    """The first requests of a file, in order of time, the first at 0. Raises ScenarioError naming file and line."""
    most = min(traffic.most, MAX_REQUESTS)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            read = _azure(path, file) if path.suffix == ".csv" else _timed(path, file, traffic.time_unit)
            rows = [row for row, _ in zip(read, range(most), strict=False)]
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read ({error.strerror}); name a file of traffic.") from None
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: is not text in UTF-8; it is no file of traffic.") from None
    if not rows:
        raise ScenarioError(f"{path}: holds no requests; name a file of traffic.")
    rows.sort(key=lambda row: row.seconds)
    first = rows[0].seconds
    return [msgspec.structs.replace(row, seconds=row.seconds - first) for row in rows]


def scale(rows: Sequence[Row], max_model_len: int) -> int:
    """The smallest power of two by which lengths must be divided so that nine requests in ten fit."""
    factor = 1
    while sum(_fits(row, factor, max_model_len) for row in rows) < FIT * len(rows):
        factor *= 2
    return factor


def _fits(row: Row, factor: int, max_model_len: int) -> bool:
    """Whether it does, with a token to spare for one that a tokenizer puts in front."""
    return max(1, row.input_tokens // factor) + max(1, row.output_tokens // factor) < max_model_len


def _azure(path: Path, lines: Iterator[str]) -> Iterator[Row]:
    reader = csv.reader(lines)
    head = next(reader, [])
    if tuple(head) != COLUMNS:
        raise ScenarioError(
            f"{path}: its first line is not {','.join(COLUMNS)}; it is no Azure LLM inference trace."
        )
    for cells in reader:
        try:
            stamp, given, said = cells
            yield Row(datetime.fromisoformat(stamp).timestamp(), _length(given), _length(said))
        except ValueError:
            raise ScenarioError(
                f"{path}: line {reader.line_num} is not a time and two counts of tokens; correct it or leave it out."
            ) from None


def _timed(path: Path, lines: Iterator[str], time_unit: float) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=_Line)
            yield Row(
                one.timestamp * time_unit, _length(one.input_length), _length(one.output_length), one.hash_ids
            )
        except (msgspec.MsgspecError, ValueError) as error:
            raise ScenarioError(
                f"{path}: line {number} is no request with timestamp, input_length, output_length and hash_ids ({error}); "
                "correct it or leave it out."
            ) from None


def _length(value: str | int) -> int:
    length = int(value)
    if not 0 <= length <= 10_000_000:
        raise ValueError(f"{length} tokens")
    return length


def _prompt(row: Row, number: int, factor: int, chunk: int, words: Sequence[str]) -> str:
    """As many words as the scaled prompt has tokens; those of a hash id depend on the id and on nothing else."""
    length = max(1, row.input_tokens // factor)
    said: list[str] = []
    for hash_id in row.hash_ids:
        said += _words(f"id {hash_id}", min(chunk, length - len(said)), words)
    said += _words(f"request {number}", length - len(said), words)
    return "".join(f" {word}" for word in said)


def _words(name: str, count: int, words: Sequence[str]) -> list[str]:
    """`count` words that depend on the name alone, in every process."""
    if count <= 0:
        return []
    drawn = hashlib.shake_256(name.encode()).digest(4 * count)
    return [words[int.from_bytes(drawn[at : at + 4], "little") % len(words)] for at in range(0, 4 * count, 4)]
