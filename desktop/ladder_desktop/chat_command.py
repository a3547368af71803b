"""`runtime-ladder chat`: talk with a model in the terminal, and see what it costs. Torch loads only when it starts."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from ladder_desktop.data_option import DATA_OPTION
from ladder_desktop.faults import faults_as_sentences
from ladder_desktop.models_dir import models_dir

if TYPE_CHECKING:
    from ladder_engine.sampling import SamplingParams
    from ladder_engine.serving.chat import Chat, Progress

BUNDLED_NOTE = (
    "The bundled models have 3.5 million parameters at most and have read nothing but this project's lessons. Ask one in a lesson's words "
    "(What is a KV cache?) and it goes on in a lesson's words; it cannot talk, reason or remember, and it makes things "
    "up. For a conversation: runtime-ladder models add PATH, then chat --model NAME."
)
PLAIN_NOTE = "This model has no chat template, so it sees each question by itself, as Q: and A:."


@click.command()
@DATA_OPTION
@click.option(
    "--model", default="ladder-3m", show_default=True, help="A bundled model or one that was added."
)
@click.option(
    "--temperature", type=click.FloatRange(0, 10), default=0.0, show_default=True, help="0: likeliest token."
)
@click.option(
    "--max-tokens", type=click.IntRange(1, 4096), default=512, show_default=True, help="Most of an answer."
)
@click.option("--dtype", type=click.Choice(["float32", "bfloat16"]), default="float32", show_default=True)
def chat(data_dir: Path, model: str, temperature: float, max_tokens: int, dtype: str) -> None:
    """Talk with a model. Ctrl+C stops an answer, a second one leaves; so does an empty line or Ctrl+D."""
    with faults_as_sentences():
        from ladder_engine.errors import EngineError
        from ladder_engine.models import bundled_models, find_model
        from ladder_engine.sampling import SamplingParams

        folder = find_model(model, models_dir(data_dir))
        from ladder_engine.serving.chat import open_chat

        talk = open_chat(folder, dtype, max_tokens)
    if model in bundled_models():
        click.echo(BUNDLED_NOTE)
    elif talk.template is None:
        click.echo(PLAIN_NOTE)
    sampling = SamplingParams(temperature=temperature, top_p=0.95 if temperature else 1.0)
    with _leaves_quietly():
        while line := _read():
            try:
                _answer(talk, line, sampling)
            except EngineError as error:  # this line only: the conversation goes on
                click.echo(str(error), err=True)


def _read() -> str:
    """A line that was typed, or piped in; empty at the end."""
    if not sys.stdin.isatty():
        return next((line.strip() for line in sys.stdin if line.strip()), "")
    try:
        return str(input("\n> ")).strip()
    except EOFError:
        return ""


@contextmanager
def _leaves_quietly() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        click.echo()


def _answer(talk: Chat, line: str, sampling: SamplingParams) -> None:
    with Interrupts() as interrupts:
        for piece in talk.answer(line, sampling, interrupts.asked):
            click.echo(piece, nl=False)
    click.echo("\n" + click.style(summary(talk.progress), dim=True))


class Interrupts:
    """While it stands, the first Ctrl+C only asks for a stop, and the second is a KeyboardInterrupt."""

    def __init__(self) -> None:
        self._count = 0

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def asked(self) -> bool:
        """Whether Ctrl+C was pressed."""
        return self._count > 0

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self._count += 1
        if self._count > 1:
            raise KeyboardInterrupt


def summary(progress: Progress) -> str:
    """The line under an answer."""
    parts = [
        f"{progress.num_tokens} tokens, {progress.tokens_per_s:.1f} tokens/s, first after {progress.first_token_s:.2f} s",
        f"{progress.num_blocks_used} of {progress.num_blocks} KV blocks in use",
        f"prompt {progress.num_prompt_tokens} tokens, {progress.num_cached_tokens} of them found in the cache",
    ]
    if progress.num_dropped:
        parts.append(f"the {progress.num_dropped} oldest messages were left out")
    if progress.finish_reason in ("length", "aborted"):
        parts.append("stopped" if progress.finish_reason == "aborted" else "cut at its longest")
    return "[" + "; ".join(parts) + "]"
