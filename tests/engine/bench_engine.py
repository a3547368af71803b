"""How quick the engine is: `make bench-engine`, or `python -m tests.engine.bench_engine [--quick] [--threads N]`.

Each row is a ratio of two things measured in one run, in turn, with equal threads and dtype, on SmolLM2-135M; the least
time of each counts. Tokens are useful ones: those that a request asked for. The rows of matrix products alone tell what is
left to gain: an engine that spends no time on anything else, and makes no drafts, is as quick as that. The rest of what
a step costs is measured by bench_steps.py, whose table follows.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.executor import TorchExecutor
from ladder_engine.model import Decoder
from ladder_engine.sampling import SamplingParams
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.recorder import Recorder
from ladder_kernels.dispatch import choose

from tests.engine import bench_steps
from tests.engine.smollm2 import fetch, transformers_model

CPU = torch.device("cpu")
CLOCK: list[Callable[[], float]] = [time.perf_counter]
FAILED: list[str] = []
PRODUCTS = "engine's matrix products alone"
WORDS = [
    "the",
    "cache",
    "holds",
    "a",
    "block",
    "for",
    "every",
    "token",
    "that",
    "the",
    "batch",
    "has",
    "computed",
    "and",
    "a",
    "scheduler",
    "says",
    "who",
    "is",
    "next",
]
Aims = tuple[float, float]
Workload = list[tuple[list[int], int]]  # prompt tokens, and how many to say


def mixed(tokenizer: Tokenizer, num_requests: int) -> Workload:
    """Prompts of 20 to 200 tokens and answers of 16 to 128, in no order, the same every time."""
    generator = torch.Generator().manual_seed(num_requests)
    draw = lambda low, high: int(torch.randint(low, high + 1, (1,), generator=generator))  # noqa: E731
    text = tokenizer.encode(" ".join(WORDS[draw(0, len(WORDS) - 1)] for _ in range(4000)))
    work = []
    for _ in range(num_requests):
        begin, size = draw(0, len(text) - 201), draw(20, 200)
        work.append((text[begin : begin + size], draw(16, 128)))
    return work


class Ids:
    """A tokenizer whose text is token ids already."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def cut(self, prompt: Any) -> tuple[list[int], tuple[int, ...]]:
        return list(prompt), ()

    def stream(self) -> Any:
        return self._tokenizer.stream()


def run_engine(
    model: Decoder, tokenizer: Tokenizer, work: Workload, **settings: Any
) -> tuple[float, list[list[int]]]:
    """Seconds from the first request to the last token, and the answers."""
    longest = max(len(prompt) + tokens for prompt, tokens in work)
    limits = {"num_blocks": 16 + sum(-(-(len(p) + n) // 16) for p, n in work), "max_num_seqs": len(work),
              "max_num_batched_tokens": 256, "max_model_len": longest}  # fmt: skip
    config = EngineConfig(**(limits | settings))
    engine = Engine(config, TorchExecutor(model, config), Ids(tokenizer), (), Recorder(lambda events: None))  # type: ignore[arg-type]
    began = CLOCK[0]()
    seqs = [
        engine.add(f"r{index}", prompt, tokens, SamplingParams(ignore_eos=True))  # type: ignore[arg-type]
        for index, (prompt, tokens) in enumerate(work)
    ]
    while engine.has_work:
        engine.step()
    return CLOCK[0]() - began, [seq.answer for seq in seqs]


def run_generate(model: Any, work: Workload) -> float:
    """transformers' generate on one padded batch, which runs until its longest member is done."""
    widest = max(len(prompt) for prompt, _ in work)
    ids = torch.zeros(len(work), widest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, (prompt, _) in enumerate(work):
        ids[row, widest - len(prompt) :] = torch.tensor(prompt)
        mask[row, widest - len(prompt) :] = 1
    most = max(tokens for _, tokens in work)
    began = CLOCK[0]()
    model.generate(
        ids, attention_mask=mask, do_sample=False, max_new_tokens=most, min_new_tokens=most, pad_token_id=0
    )
    return CLOCK[0]() - began


def run_continuous(model: Any, work: Workload) -> float:
    """transformers' continuous batching, with a limit for each request."""
    from transformers import GenerationConfig

    config = GenerationConfig(do_sample=False, max_new_tokens=128, eos_token_id=-1, pad_token_id=0)
    manager = model.init_continuous_batching(generation_config=config)
    manager.start()
    try:
        manager.add_request(
            [1, 2, 3], request_id="warm", max_new_tokens=2
        )  # starting it is not what is measured
        _await(manager, 1)
        began = CLOCK[0]()
        for index, (prompt, tokens) in enumerate(work):
            manager.add_request(prompt, request_id=f"r{index}", max_new_tokens=tokens)
        _await(manager, len(work))
        return CLOCK[0]() - began
    finally:
        manager.stop(block=True)


def _await(manager: Any, num_requests: int) -> None:
    while num_requests:
        result = manager.get_result(timeout=600)
        if result is not None and result.is_finished():
            assert not result.error, result.error
            num_requests -= 1


@contextmanager
def told(what: str) -> Iterator[None]:
    """What fails is told in the table and does not take with it what has been measured."""
    try:
        yield
    except Exception as error:
        FAILED.append(what)
        print(f"{what}: not measured: {type(error).__name__}: {error}", flush=True)


def least(runs: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """The least seconds of each, taken in turn; without those that fail."""
    best: dict[str, float] = {}
    for _ in range(repeats):
        for name, run in list(runs.items()):
            with told(name):
                best[name] = min(run(), best.get(name, math.inf))
            if name not in best:
                del runs[name]
            gc.collect()
    return best


def row(what: str, ours: float, theirs: float, unit: str, target: float | None) -> None:
    ratio = ours / theirs
    verdict = "" if target is None else f"  target {target:g}: {'met' if ratio >= target else 'MISSED'}"
    print(f"{what:<74}{ours:9.1f} {theirs:9.1f} {unit:<9}{ratio:6.2f} x{verdict}", flush=True)


def throughput(path: Path, dtype: torch.dtype, size: int, repeats: int, aims: Aims | None = None) -> None:
    """The engine, without and with drafts looked up in the text, against transformers on the same mixed requests."""
    ours, theirs = load(path, dtype), transformers_model(path, dtype)
    tokenizer = Tokenizer.load(path)
    work = mixed(tokenizer, size)
    useful = sum(tokens for _, tokens in work)
    runs: dict[str, Callable[[], float]] = {
        "engine": lambda: run_engine(ours, tokenizer, work)[0],
        "engine with drafts": lambda: run_engine(ours, tokenizer, work, num_speculative_tokens=2)[0],
        "padded generate": lambda: run_generate(theirs, work),
        "continuous batching": lambda: run_continuous(theirs, work),
    }
    if aims:
        runs[PRODUCTS] = lambda: seconds_of_products(ours, tokenizer, work)
    with torch.inference_mode():
        rate = {what: useful / seconds for what, seconds in least(runs, repeats).items()}
    for other, aim in zip(("padded generate", "continuous batching"), aims or (None, None), strict=True):
        for name in ("engine", "engine with drafts", PRODUCTS):
            if name in rate and other in rate:
                what = f"{size} mixed, {str(dtype).removeprefix('torch.')}: {name} / {other}"
                row(what, rate[name], rate[other], "tokens/s", None if name == PRODUCTS else aim)
        if aim and {"engine", PRODUCTS, other} <= rate.keys() and rate["engine"] < aim * rate[other]:
            explain(rate["engine"] / rate[PRODUCTS], rate[PRODUCTS] / rate[other], aim)


def explain(share: float, bound: float, aim: float) -> None:
    """Say in words why the engine without drafts misses a target."""
    reach = (
        "out of reach without drafts, which take fewer steps"
        if bound < aim
        else "within reach of the products"
    )
    print(
        f"  Missed because the matrix products alone, which torch's libraries compute, take {share:.0%} of the engine's time,\n"
        f"  and the rest is attention and many small operations. Were all of that free: {bound:.2f} x. So {aim:g} is {reach}."
    )


def seconds_of_products(model: Decoder, tokenizer: Tokenizer, work: Workload) -> float:
    """What the engine would take if nothing but its matrix products took time."""
    took, linear, operations = 0.0, model.operations.linear, model.operations

    def timed(*arguments: Any) -> Any:
        nonlocal took
        began = CLOCK[0]()
        result = linear(*arguments)
        took += CLOCK[0]() - began
        return result

    model.operations = replace(operations, linear=timed)
    run_engine(model, tokenizer, work)
    model.operations = operations
    return took


def mechanisms(path: Path, repeats: int) -> None:
    """What a prefix cache gives to a shared prompt, and drafts to a text that repeats itself."""
    model, tokenizer = load(path, torch.float32), Tokenizer.load(path)
    system = mixed(tokenizer, 1)[0][0] * 20
    shared = [([*system[:384], *tokenizer.encode(f" Question {index}?")], 16) for index in range(12)]
    compare("shared prompt, 12 requests: prefix cache on / off", model, tokenizer, shared, repeats, None,
            {"max_num_seqs": 4}, {"prefix_caching": True})  # fmt: skip
    line = tokenizer.encode("step 1: schedule, execute, commit; step 2: schedule, execute, commit; ") * 6
    compare("repetitive text, batch 1: drafts on / off", model, tokenizer, [(line, 96)], repeats, 1.5,
            {}, {"num_speculative_tokens": 6})  # fmt: skip


def compare(
    what: str, model: Decoder, tokenizer: Tokenizer, work: Workload, repeats: int, target: float | None,
    always: dict[str, Any], switch: dict[str, Any],
) -> None:  # fmt: skip
    answers: dict[str, list[list[int]]] = {}

    def run(name: str, settings: dict[str, Any]) -> float:
        seconds, answers[name] = run_engine(model, tokenizer, work, **settings)
        return seconds

    best = least({"on": lambda: run("on", always | switch), "off": lambda: run("off", always)}, repeats)
    with told(what):
        assert answers["on"] == answers["off"], "the mechanism has changed an answer"
        useful = sum(tokens for _, tokens in work)
        row(what, useful / best["on"], useful / best["off"], "tokens/s", target)


def load(path: Path, dtype: torch.dtype) -> Decoder:
    return Decoder.load(path, choose(CPU, "torch"), CPU, dtype)


def main() -> int:
    """Print the table; 1 when a part of it could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="16 requests in fp32 only, each thing once")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--shared", action="store_true", help="one thread, by processor time: others work here too"
    )
    given = parser.parse_args()
    if given.shared:
        given.threads, CLOCK[0] = 1, time.process_time
    torch.set_num_threads(given.threads)
    path, repeats = fetch(), 1 if given.quick else 2
    print(f"SmolLM2-135M, {given.threads} threads{'':>47}{'ours':>9} {'other':>9}")
    sizes = [(torch.float32, 16)]
    if not given.quick:  # those without a target once: the larger ones are minutes each
        sizes += [(torch.float32, 32), (torch.bfloat16, 16), (torch.bfloat16, 32)]
    for dtype, size in sizes:
        with told(f"{size} mixed, {dtype}"):
            first = size == 16 and dtype == torch.float32
            throughput(path, dtype, size, repeats if first else 1, aims=(3.0, 5.0) if first else None)
    with told("mechanisms"):
        mechanisms(path, repeats)
    with told("steps"):
        bench_steps.main()
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
