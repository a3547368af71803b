"""How quick the engine is: `make bench-engine`, or `python -m tests.engine.bench_engine [--quick] [--threads N]`.

Each row is a ratio of two things measured in one run, in turn, with equal threads and dtype, on SmolLM2-135M; the least
time of each counts. Tokens are useful ones: those that a request asked for. The rows of matrix products alone tell what is
left to gain: an engine that spends no time on anything else, and makes no drafts, is as quick as that. The rest of what
a step costs is measured by bench_steps.py, whose table follows.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable
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
Aims = tuple[float | None, float | None]
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


def least(runs: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """The least seconds of each, taken in turn."""
    best: dict[str, float] = {}
    for _ in range(repeats):
        for name, run in runs.items():
            seconds = run()
            best[name] = min(seconds, best.get(name, seconds))
            gc.collect()
    return best


def row(what: str, ours: float, theirs: float, unit: str, target: float | None) -> None:
    ratio = ours / theirs
    verdict = "" if target is None else f"  target {target:g}: {'met' if ratio >= target else 'MISSED'}"
    print(f"{what:<74}{ours:9.1f} {theirs:9.1f} {unit:<9}{ratio:6.2f} x{verdict}", flush=True)


def throughput(path: Path, dtype: torch.dtype, size: int, repeats: int, aims: Aims = (None, None)) -> None:
    """The engine, without and with drafts looked up in the text, against transformers on the same mixed requests."""
    ours, theirs = load(path, dtype), transformers_model(path, dtype)
    tokenizer = Tokenizer.load(path)
    work = mixed(tokenizer, size)
    useful = sum(tokens for _, tokens in work)
    runs = {
        "engine": lambda: run_engine(ours, tokenizer, work)[0],
        "drafts": lambda: run_engine(ours, tokenizer, work, num_speculative_tokens=2)[0],
        "products": lambda: seconds_of_products(ours, tokenizer, work),
        "generate": lambda: run_generate(theirs, work),
        "continuous": lambda: run_continuous(theirs, work),
    }
    with torch.inference_mode():
        rate = {what: useful / seconds for what, seconds in least(runs, repeats).items()}
    what = f"{size} mixed, {str(dtype).removeprefix('torch.')}"
    for name, other, aim in (
        ("padded generate", "generate", aims[0]),
        ("continuous batching", "continuous", aims[1]),
    ):
        row(f"{what}: engine / {name}", rate["engine"], rate[other], "tokens/s", aim)
        row(f"{what}: engine with drafts / {name}", rate["drafts"], rate[other], "tokens/s", aim)
        row(
            f"{what}: engine's matrix products alone / {name}",
            rate["products"],
            rate[other],
            "tokens/s",
            None,
        )
        bound = rate["products"] / rate[other]
        if aim and bound < aim:
            print(
                f"  {aim:g} is out of reach here without drafts: the matrix products alone allow {bound:.2f}"
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
    assert answers["on"] == answers["off"], "the mechanism has changed an answer"
    useful = sum(tokens for _, tokens in work)
    row(what, useful / best["on"], useful / best["off"], "tokens/s", target)


def load(path: Path, dtype: torch.dtype) -> Decoder:
    return Decoder.load(path, choose(CPU, "torch"), CPU, dtype)


def main() -> None:
    """Print the table."""
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
    path, repeats = fetch(), 1 if given.quick else 3
    print(f"SmolLM2-135M, {given.threads} threads{'':>47}{'ours':>9} {'other':>9}")
    throughput(path, torch.float32, 16, repeats, aims=(3.0, 5.0))
    if not given.quick:
        throughput(path, torch.float32, 32, repeats)
        for size in (16, 32):  # once: where the processor has no bf16 products, these are minutes each
            throughput(path, torch.bfloat16, size, 1)
    mechanisms(path, repeats)
    bench_steps.main()


if __name__ == "__main__":
    main()
