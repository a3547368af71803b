"""What the engine costs beside the model: `python -m tests.engine.bench_steps`, from the project's root.

Two tables. Schedule plus commit, with the trace and the text of every token, at a number of decoding sequences; the
least and the median of the steps are given, because other programs only ever make a step slower. And whole steps of
the bundled model with the trace and without, alternating, so that both meet the same machine. Times are those of the
thread's own processor time.
"""

from __future__ import annotations

from statistics import median
from time import thread_time
from typing import Any

import torch
from ladder_engine.batch import Batch
from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.executor import TorchExecutor
from ladder_engine.model import Decoder
from ladder_engine.models import find_model
from ladder_engine.recorder import Recorder
from ladder_engine.sampling import SamplingParams
from ladder_engine.sequence import Output
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.trace import AnyEvent, StepTimed
from ladder_kernels.dispatch import choose

FOLDER = find_model("ladder-3m")
TEXT = (
    "A block table says where the KV of a sequence lives. Continuous batching fills a place as soon as it is free. "
    * 40
)
STEPS, WARM = 150, 10


class Echo:
    """An executor without a model: every answer is some place of the same text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokens = tokenizer.encode(TEXT)

    def execute(self, batch: Batch) -> list[list[Output]]:
        tokens, size = self._tokens, len(self._tokens)
        return [
            [Output(tokens[(work.seq.seq_id * 7 + work.end) % size])] for work in batch.works if work.samples
        ]


class Silent(Recorder):
    """Writes nothing but the time of a step."""

    def __init__(self) -> None:
        super().__init__(lambda events: None, thread_time)
        self.steps: list[StepTimed] = []
        self.write = self.write_all = lambda event: None

    def add(self, kind: Any, /, **fields: Any) -> None:
        if kind is StepTimed:
            self.steps.append(StepTimed(self.step, self.time, **fields))


class Kept(Recorder):
    """Keeps the times of the steps, and of the other events nothing."""

    def __init__(self) -> None:
        super().__init__(self._keep, thread_time)
        self.steps: list[StepTimed] = []

    def _keep(self, events: list[AnyEvent]) -> None:
        self.steps += (event for event in events if isinstance(event, StepTimed))


def engine(num_seqs: int, recorder: Recorder, executor: Any = None) -> Engine:
    """An engine in which so many sequences have begun to answer."""
    tokenizer = Tokenizer.load(FOLDER)
    config = limits(num_seqs)
    made = Engine(config, executor or Echo(tokenizer), tokenizer, (), recorder)
    for index in range(num_seqs):
        made.add(f"r{index}", TEXT[index : index + 60], 400, SamplingParams(ignore_eos=True))
    for _ in range(WARM):
        made.step()
    return made


def limits(num_seqs: int) -> EngineConfig:
    return EngineConfig(
        num_blocks=32 * num_seqs, max_num_seqs=num_seqs, max_num_batched_tokens=8192, max_model_len=512
    )


def schedule_and_commit(num_seqs: int) -> list[float]:
    """Milliseconds of schedule plus commit, for each of some steps."""
    recorder = Kept()
    made = engine(num_seqs, recorder)
    for _ in range(STEPS):
        made.step()
    return [1e3 * (step.schedule_s + step.commit_s) for step in recorder.steps[WARM:]]


def cost_of_the_trace(num_seqs: int, steps: int = 40) -> tuple[float, float]:
    """Least milliseconds of a step of the bundled model without the trace, and with it."""
    torch.set_num_threads(1)
    model = Decoder.load(FOLDER, choose(torch.device("cpu"), "torch"), torch.device("cpu"), torch.float32)
    engines = [
        engine(num_seqs, recorder, TorchExecutor(model, limits(num_seqs))) for recorder in (Silent(), Kept())
    ]
    took: list[list[float]] = [[], []]
    for _ in range(steps):
        for made, times in zip(engines, took, strict=True):
            begun = thread_time()
            made.step()
            times.append(1e3 * (thread_time() - begun))
    return min(took[0]), min(took[1])


def main() -> None:
    """Print both tables."""
    print("schedule + commit, trace on, every token as text")
    for num_seqs in (16, 64, 256):
        times = schedule_and_commit(num_seqs)
        print(f"  {num_seqs:4} decoding   least {min(times):.3f} ms   median {median(times):.3f} ms")
    print("a step of ladder-3m, without the trace and with it (target: at most 5 % more)")
    for num_seqs in (4, 16, 64):
        off, on = cost_of_the_trace(num_seqs)
        print(f"  {num_seqs:4} decoding   {off:.2f} ms   {on:.2f} ms   {on / off - 1:+.1%}")


if __name__ == "__main__":
    main()
