"""A conversation with one model, in this process: each answer is one request of an engine with a prefix cache.

What has been said stays in the cache, so an answer computes only what is new. When the conversation no longer fits into
the context, its oldest turns are left out. A model without a chat template gets each question by itself, as Q: and A:.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from msgspec.structs import replace

from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.errors import EngineError
from ladder_engine.executor import TorchExecutor
from ladder_engine.lab.runner import load_model
from ladder_engine.sampling import SamplingParams
from ladder_engine.serving.protocol import KernelMode
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import AnyEvent, BlocksShared, Finished, Sampled
from ladder_engine.tracing.recorder import Recorder
from ladder_engine.weights.chat_template import ChatTemplate, Message

MOST_CONTEXT = 4096  # tokens of a conversation; more would take more memory for KV than a chat is worth
BLOCK_SIZE = 16


@dataclass(slots=True)
class Progress:
    """How an answer goes. `num_blocks_used` counts those that hold KV of this answer and its prompt."""

    text: str = ""
    num_tokens: int = 0
    num_prompt_tokens: int = 0
    num_cached_tokens: int = 0
    num_dropped: int = 0
    num_blocks_used: int = 0
    num_blocks: int = 0
    first_token_s: float = 0.0
    decode_s: float = 0.0
    finish_reason: str = ""

    @property
    def tokens_per_s(self) -> float:
        """The rate after the first token; 0 while there is no second one."""
        return (self.num_tokens - 1) / self.decode_s if self.decode_s else 0.0


class Chat:
    """One model and what has been said so far. Raises EngineError where the model cannot be loaded."""

    def __init__(
        self,
        folder: Path,
        kernels: KernelMode = "auto",
        dtype: torch.dtype = torch.float32,
        max_tokens: int = 512,
    ) -> None:
        model = load_model(folder, kernels, dtype)
        self.template = ChatTemplate.load(folder)
        tokenizer = Tokenizer.load(folder)
        self._tokenizer = tokenizer.bare() if self.template else tokenizer
        context = min(model.config.max_position_embeddings, MOST_CONTEXT)
        self._max_tokens = min(max_tokens, context // 2)
        self._config = EngineConfig(
            num_blocks=-(-context // BLOCK_SIZE), block_size=BLOCK_SIZE, max_num_seqs=1, max_num_batched_tokens=256,
            max_model_len=context, prefix_caching=True,
        )  # fmt: skip
        self._events: list[AnyEvent] = []
        executor = TorchExecutor(model, self._config)
        ends = model.config.eos_token_ids
        self._engine = Engine(self._config, executor, self._tokenizer, ends, Recorder(self._events.extend))
        self.messages: list[Message] = []
        self.progress = Progress()

    def answer(
        self, text: str, sampling: SamplingParams, stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[str]:
        """Say `text`; yields the answer piece by piece, while `progress` says how it goes.

        `stopped` is asked between two steps. What was said of an answer that was stopped stays in the conversation.
        Raises EngineError when `text` is too long or the chat template refuses it; then nothing was said.
        """
        progress = self.progress = Progress(num_blocks=self._config.num_blocks)
        self.messages.append(Message("user", text))
        try:
            prompt = self._fitting_prompt(progress)
        except EngineError:
            self.messages.pop()
            raise
        if not self.template:
            sampling = replace(sampling, stop=(*sampling.stop, "\nQ:"))
        self._events.clear()
        seq = self._engine.add("chat", prompt, self._max_tokens, sampling)
        progress.num_prompt_tokens = seq.num_prompt_tokens
        started = time.monotonic()
        while self._engine.has_work:
            if stopped():
                self._engine.abort(seq.seq_id)
                self._engine.recorder.flush()
            else:
                self._engine.step()
                progress.num_blocks_used = len(seq.block_table) or progress.num_blocks_used
            events = self._events.copy()
            self._events.clear()
            piece = _note(events, progress, time.monotonic() - started)
            progress.text += piece
            yield piece
        self.messages.append(Message("assistant", progress.text))

    def _fitting_prompt(self, progress: Progress) -> str:
        """The conversation as text, without its oldest turns as far as needed. Raises EngineError if one is too long."""
        room = self._config.max_model_len - self._max_tokens
        while True:
            prompt = self._write(self.messages)
            if len(self._tokenizer.encode(prompt)) <= room:
                return prompt
            if len(self.messages) < 3 or not self.template:
                raise EngineError(f"That is too long: a message may have up to about {room} tokens here.")
            del self.messages[:2]
            progress.num_dropped += 2

    def _write(self, messages: list[Message]) -> str:
        if self.template:
            return self.template.render(messages)
        return f"Q: {messages[-1].content}\nA:"


def open_chat(folder: Path, dtype: str, max_tokens: int) -> Chat:
    """A chat with the model of a folder; `dtype` is torch's name of it. Raises EngineError."""
    return Chat(folder, dtype=getattr(torch, dtype), max_tokens=max_tokens)


def _note(events: list[AnyEvent], progress: Progress, elapsed: float) -> str:
    """Take what happened in a step into `progress`; returns the text that it added."""
    pieces = []
    for event in events:
        match event:
            case Sampled():
                pieces.append(event.text)
                progress.num_tokens += 1
                if progress.num_tokens == 1:
                    progress.first_token_s = elapsed
                progress.decode_s = elapsed - progress.first_token_s
            case BlocksShared():
                progress.num_cached_tokens = len(event.block_ids) * BLOCK_SIZE
            case Finished():
                progress.finish_reason = event.reason
    return "".join(pieces)
