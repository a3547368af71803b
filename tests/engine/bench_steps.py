"""What the engine costs beside the model: `python -m tests.engine.bench_steps`, from the project's root.

Two tables. Schedule plus commit, with the trace and the text of every token, at a number of decoding sequences; the
least and the median of the steps are given, because other programs only ever make a step slower. And steps of the
bundled model without the events that come with every sequence, and with them. Times are the thread's own processor time.
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
from ladder_engine.sampling import SamplingParams
from ladder_engine.scheduler import Scheduler
from ladder_engine.sequence import Output, Sequence
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import AnyEvent, StepTimed
from ladder_engine.tracing.recorder import Recorder
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


class Untraced(Scheduler):
    """Makes no event of those that come with every sequence in every step."""

    def _say(self, seq: Sequence, output: Output) -> None:
        seq.append(output.token_id)
        self.admission.says(seq)

    def _tell(self, batch: Batch) -> None:
        pass


class Kept(Recorder):
    """Keeps the times of the steps, and of the other events nothing."""

    def __init__(self) -> None:
        super().__init__(self._keep, thread_time)
        self.steps: list[StepTimed] = []

    def _keep(self, events: list[AnyEvent]) -> None:
        self.steps += (event for event in events if isinstance(event, StepTimed))


def engine(
    num_seqs: int, executor: Any = None, scheduler: type[Scheduler] = Scheduler
) -> tuple[Engine, Kept]:
    """An engine in which so many sequences have begun to answer, and its recorder."""
    tokenizer, recorder = Tokenizer.load(FOLDER), Kept()
    config = limits(num_seqs)
    made = Engine(config, executor or Echo(tokenizer), tokenizer, (), recorder)
    made.scheduler = scheduler(config, recorder)
    for index in range(num_seqs):
        made.add(f"r{index}", TEXT[index : index + 60], 400, SamplingParams(ignore_eos=True))
    for _ in range(WARM):
        made.step()
    recorder.steps.clear()
    return made, recorder


def limits(num_seqs: int) -> EngineConfig:
    return EngineConfig(
        num_blocks=32 * num_seqs, max_num_seqs=num_seqs, max_num_batched_tokens=8192, max_model_len=512
    )


def schedule_and_commit(num_seqs: int) -> list[float]:
    """Milliseconds of schedule plus commit, for each of some steps."""
    made, recorder = engine(num_seqs)
    for _ in range(STEPS):
        made.step()
    return [1e3 * (step.schedule_s + step.commit_s) for step in recorder.steps]


def cost_of_the_trace(num_seqs: int, steps: int = 100) -> tuple[float, float]:
    """Milliseconds of a step of the bundled model without the trace, and what the trace adds: medians of steps taken in
    pairs, each of the two first in every other pair, because the machine does not stay as quick as it is."""
    torch.set_num_threads(1)
    model = Decoder.load(FOLDER, choose(torch.device("cpu"), "torch"), torch.device("cpu"), torch.float32)
    off, on = (
        engine(num_seqs, TorchExecutor(model, limits(num_seqs)), scheduler)[0]
        for scheduler in (Untraced, Scheduler)
    )
    pairs = []
    for index in range(steps):
        order = (off, on) if index % 2 else (on, off)
        took = {made: _seconds(made) for made in order}
        pairs.append((1e3 * took[off], 1e3 * took[on]))
    return median(pair[0] for pair in pairs), median(traced - bare for bare, traced in pairs)


def _seconds(made: Engine) -> float:
    begun = thread_time()
    made.step()
    return thread_time() - begun


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def main() -> None:
    """Print both tables."""
    print("schedule + commit, trace on, every token as text (target: at most 0.4 ms at 256)")
    for num_seqs in (16, 64, 256):
        times = schedule_and_commit(num_seqs)
        told = "" if num_seqs < 256 else f"   {verdict(min(times) <= 0.4)}"
        print(f"  {num_seqs:4} decoding   least {min(times):.3f} ms   median {median(times):.3f} ms{told}")
    print("a step of ladder-3m without the trace, and what the trace adds (target: at most 5 %)")
    for num_seqs in (4, 16, 64):
        bare, more = cost_of_the_trace(num_seqs)
        told = verdict(more <= 0.05 * bare)
        print(f"  {num_seqs:4} decoding   {bare:.2f} ms   {more:+.3f} ms   {more / bare:+.1%}   {told}")


if __name__ == "__main__":
    main()
