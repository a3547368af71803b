"""One request on its way through the engine."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ladder_engine.beam_search import BeamSearch
from ladder_engine.block_hash import ExtraKeys
from ladder_engine.sampling import SamplingParams
from ladder_engine.stop_strings import StopStrings

if TYPE_CHECKING:
    from ladder_engine.tokenizer import TextStream
    from ladder_engine.tracing.events import FinishReason, WaitReason, WorkKind


SEED_STRIDE = (
    0x9E3779B97F4A7C15  # far from every number that somebody would choose as the seed of another request
)


Logprobs = tuple[tuple[int, float], ...]
"""(token id, natural log of its probability) pairs."""


class Output(msgspec.Struct, frozen=True, gc=False):
    """What the model says after the newest token of a sequence; `logprobs` begins with the token itself."""

    token_id: int
    logprobs: Logprobs = ()


@dataclass(slots=True, eq=False)
class Sequence:
    """Tokens that are known, and how far their KV stands.

    ```
    token_ids   | prompt ............ | answer so far .. |
                0                     num_prompt_tokens   num_tokens
    KV stands   |------------------->|                    up to num_computed_tokens
    block_table [ 7, 2, 9 ]            block i holds positions i * block_size ...
    ```
    A step computes the tokens from `num_computed_tokens` on. When it reaches `num_tokens`, the next token is sampled,
    and `num_tokens` moves one further. After a preemption `num_computed_tokens` is 0 again and nothing else changes.
    `num_draft_computed_tokens` is how far the KV of the draft model stands, where there is one.
    `block_hashes` are the names of the full blocks of `token_ids`, as far as somebody has asked for them, and
    `extra_keys` what they depend on besides the tokens (block_hash.py).

    `seeds` has one seed for each answer that begins here: more than one until the first token of the request, when
    the sequence forks and each goes its own way. `forks` are those who have. The beams of one `search` enter, run and
    are preempted together. `host_blocks` hold the KV of a sequence that was swapped out. `shares_tail` says that others may own the block in which the computed tokens end.
    """

    seq_id: int
    name: str
    token_ids: list[int]
    num_prompt_tokens: int
    max_tokens: int
    seeds: tuple[int, ...]
    sampling: SamplingParams
    end_token_ids: frozenset[int]
    stream: TextStream
    stop_strings: StopStrings | None
    extra_keys: ExtraKeys = ()
    priority: int = 0
    client: str = ""
    max_prefill_chunk: int | None = None
    arrived_step: int = 0
    was_admitted: bool = False
    num_computed_tokens: int = 0
    num_draft_computed_tokens: int = 0
    block_table: list[int] = field(default_factory=list)
    block_hashes: list[bytes] = field(default_factory=list)
    shares_tail: bool = False
    host_blocks: list[int] = field(default_factory=list)
    search: BeamSearch | None = None
    forks: list[Sequence] = field(default_factory=list)
    wait_reason: WaitReason | None = None
    finish_reason: FinishReason | None = None

    @staticmethod
    def start(
        seq_id: int,
        name: str,
        prompt: list[int],
        max_tokens: int,
        sampling: SamplingParams,
        eos_token_ids: tuple[int, ...],
        stream: TextStream,
        cache_salt: str = "",
        priority: int = 0,
        client: str = "",
        max_prefill_chunk: int | None = None,
    ) -> Sequence:
        """A sequence that knows its prompt and nothing else."""
        seed = seq_id if sampling.seed is None else sampling.seed
        width = sampling.beam_width
        seq = Sequence(
            seq_id=seq_id,
            name=name,
            token_ids=list(prompt),
            num_prompt_tokens=len(prompt),
            max_tokens=max_tokens,
            seeds=(seed,) if width else tuple((seed + i * SEED_STRIDE) % 2**63 for i in range(sampling.n)),
            sampling=sampling,
            end_token_ids=frozenset(sampling.stop_token_ids).union(
                () if sampling.ignore_eos else eos_token_ids
            ),
            stream=stream,
            stop_strings=StopStrings(sampling.stop) if sampling.stop else None,
            priority=priority,
            client=client,
            max_prefill_chunk=max_prefill_chunk,
            extra_keys=(("cache_salt", cache_salt),) if cache_salt else (),
        )
        if width:
            seq.search = BeamSearch(seq, sampling, max_tokens)
            seq.sampling = replace(sampling, n=1, beam_width=0, logprobs=width + len(seq.end_token_ids))
        return seq

    @property
    def kind(self) -> WorkKind:
        """What it needs next: `decode` when just the newest token of an answer is missing."""
        lacks = self.num_tokens - self.num_computed_tokens
        return "decode" if lacks == 1 and self.num_answer_tokens else "prefill"

    @property
    def unit(self) -> list[Sequence]:
        """Those who enter, run and are preempted together with this one."""
        return self.search.beams if self.search else [self]

    @property
    def num_owed(self) -> int:
        """Forks that are still to come, for which there must be places."""
        if self.search:
            return self.search.width - len(self.search.beams) if self.search.beams[0] is self else 0
        return len(self.seeds) - 1

    def fork(self, seq_id: int, name: str) -> Sequence:
        """A new sequence that knows the same, and has no blocks yet (BlockManager.fork shares them)."""
        child = copy(self)
        child.seq_id, child.name, child.forks, child.block_table, child.host_blocks = seq_id, name, [], [], []
        child.repeat(self)
        return child

    def repeat(self, other: Sequence) -> None:
        """Know what `other` knows."""
        self.token_ids = list(other.token_ids)
        self.block_hashes = list(other.block_hashes)
        self.stream, self.stop_strings = copy(other.stream), copy(other.stop_strings)

    @property
    def num_tokens(self) -> int:
        """Tokens that are known: the prompt, and the answer so far."""
        return len(self.token_ids)

    @property
    def num_answer_tokens(self) -> int:
        """Tokens sampled so far."""
        return self.num_tokens - self.num_prompt_tokens

    @property
    def answer(self) -> list[int]:
        """The tokens sampled so far."""
        return self.token_ids[self.num_prompt_tokens :]

    def append(self, token_id: int) -> str:
        """Take one more sampled token; returns the text that it adds. Sets `finish_reason` when it is the last."""
        token_ids, last = self.token_ids, True
        token_ids.append(token_id)
        if token_id in self.end_token_ids:
            self.finish_reason = "stop"
        elif len(token_ids) == self.num_prompt_tokens + self.max_tokens:
            self.finish_reason = "length"
        else:
            last = False
        text = self.stream.push(token_id, last=last)
        if self.stop_strings:
            text, stopped = self.stop_strings.push(text, last=last)
            if stopped:
                self.finish_reason = "stop"
        return text
