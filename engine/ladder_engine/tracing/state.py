"""The state of a run as the trace tells it: requests, queues, block owners, and what each step did.

`fold` (fold.py) makes these; the live panel and the summary read them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ladder_engine.tracing.events import FinishReason, KernelsRan, RunEnded, RunStarted, WaitReason, WorkKind

FREE = -1

Status = Literal["waiting", "running", "preempted", "finished", "refused"]


class SequenceState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request. Times are seconds since the engine started; None where it has not happened yet.

    A fork has a `parent_id`, and its request's prompt and times. `score` is that of an answer which a beam search chose.
    `lengths` says of each token, of the prompt and then of the text, how many characters it stands for, as one byte; it is
    empty where the trace does not tell. `num_cached_tokens` of its prompt were found in the prefix cache when it was first admitted. After a preemption
    `num_regained_tokens` were found there again, and `num_recomputed_tokens` had to be computed once more;
    `peak_computed_tokens` is the most that ever stood computed.
    """

    seq_id: int
    name: str
    prompt: str
    num_prompt_tokens: int
    max_tokens: int
    num_tokens: int
    arrived: float
    parent_id: int | None = None
    status: Status = "waiting"
    wait_reason: WaitReason | None = None
    refusal: str | None = None
    finish_reason: FinishReason | None = None
    num_computed_tokens: int = 0
    num_cached_tokens: int = 0
    num_regained_tokens: int = 0
    num_recomputed_tokens: int = 0
    peak_computed_tokens: int = 0
    block_table: tuple[int, ...] = ()
    text: str = ""
    lengths: bytes = b""
    score: float | None = None
    preemptions: int = 0
    admitted: float | None = None
    first_token: float | None = None
    last_token: float | None = None
    finished: float | None = None

    @property
    def num_output_tokens(self) -> int:
        """Tokens said so far."""
        return self.num_tokens - self.num_prompt_tokens

    @property
    def ttft(self) -> float | None:
        """Time to first token: seconds from arrival to the first token said."""
        return None if self.first_token is None else self.first_token - self.arrived

    @property
    def tpot(self) -> float | None:
        """Time per output token after the first, in seconds; None before there are two tokens."""
        if self.first_token is None or self.last_token is None or self.num_output_tokens < 2:
            return None
        return (self.last_token - self.first_token) / (self.num_output_tokens - 1)

    def token_texts(self, first: int, last: int) -> list[str]:
        """The texts of the tokens from position `first` up to `last` that are known; empty ones where the trace does not tell."""
        text, at = self.prompt + self.text, sum(self.lengths[:first])
        texts = []
        for length in self.lengths[first:last]:
            texts.append(text[at : at + length])
            at += length
        return texts + [""] * (min(last, self.num_tokens) - first - len(texts))

    def tokens_in_block(self, position: int, block_size: int) -> int:
        """Tokens whose KV stands in the block at this position of the block_table, 0 to block_size."""
        return min(block_size, max(0, self.num_computed_tokens - position * block_size))


class Work(msgspec.Struct, frozen=True, gc=False):
    """What a step computes for one sequence: `num_tokens` tokens from position `start` on.

    The last `num_draft_tokens` of them are a guess, of which the first `num_accepted_tokens` were right. When it is
    verified, `draft_token_ids` names them.
    """

    seq_id: int
    kind: WorkKind
    start: int
    num_tokens: int
    num_draft_tokens: int = 0
    num_accepted_tokens: int = 0
    draft_token_ids: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        """How far the sequence is computed afterwards: rejected tokens do not count."""
        return self.start + self.num_tokens - self.num_draft_tokens + self.num_accepted_tokens


class Step(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One column of the batch timeline. Blocks come as (block id, sequence id); `waiting` is the queue afterwards,
    `num_running` the number of those who run then.

    `copied` has pairs (from, to) of blocks: copies on write; `swapped_out` and `swapped_in` the blocks
    whose KV went to host memory or came from there. `said` names who said something, once for each token,
    `num_kv_tokens` counts the tokens whose KV stands in owned blocks; `time` is the end of the step.
    `kernels` is what it launched, if somebody watched.
    """

    number: int
    work: tuple[Work, ...] = ()
    admitted: tuple[int, ...] = ()
    preempted: tuple[int, ...] = ()
    finished: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    allocated: tuple[tuple[int, int], ...] = ()
    freed: tuple[tuple[int, int], ...] = ()
    shared: tuple[tuple[int, int], ...] = ()
    copied: tuple[tuple[int, int], ...] = ()
    swapped_out: tuple[int, ...] = ()
    swapped_in: tuple[int, ...] = ()
    evicted: tuple[int, ...] = ()
    said: tuple[int, ...] = ()
    num_running: int = 0
    num_kv_tokens: int = 0
    num_free_blocks: int = 0
    num_cached_blocks: int = 0
    time: float = 0.0
    schedule_s: float = 0.0
    execute_s: float = 0.0
    commit_s: float = 0.0
    kernels: KernelsRan | None = None

    @property
    def num_tokens(self) -> int:
        """Tokens computed in the step: the share of the token budget that was used."""
        return sum(work.num_tokens for work in self.work)

    @property
    def num_sampled(self) -> int:
        """Tokens said."""
        return len(self.said)

    @property
    def num_decode_tokens(self) -> int:
        """Tokens of the step that were decoded rather than prefilled."""
        return sum(work.num_tokens for work in self.work if work.kind == "decode")


class Cached(msgspec.Struct, frozen=True, gc=False):
    """A block that can be found by its prefix: who computed it, as which block of its block_table.

    `name` and `parent` are the first digits of its hash and of that of the block before it; "" where the trace does not tell.
    """

    seq_id: int
    position: int
    name: str = ""
    parent: str = ""


class RunState(msgspec.Struct, kw_only=True):
    """The whole state of a run after some event. Read it, never change it: states share their parts.

    `waiting` and `running` are the queues in order; preempted sequences stand in `waiting`. `block_owner` gives the
    sequence that owns each block, or FREE; `shared` all owners of those blocks that have several, the one in
    `block_owner` first. `cached` has each block that can be found by its prefix, owned or not, and `host_owner`
    says for each block of host memory in use, whose KV it keeps. `since` is the step in which each block was taken by its
    first owner, or given up by its last.
    `steps` are the finished steps, `open_step` the one in progress. `num_preemptions` counts those of the whole run.
    """

    config: RunStarted | None = None
    sequences: dict[int, SequenceState] = {}
    waiting: list[int] = []
    running: list[int] = []
    block_owner: list[int] = []
    shared: dict[int, tuple[int, ...]] = {}
    since: list[int] = []
    cached: dict[int, Cached] = {}
    host_owner: dict[int, int] = {}
    steps: list[Step] = []
    open_step: Step = Step(number=0)
    num_preemptions: int = 0
    ended: RunEnded | None = None
    time: float = 0.0

    @property
    def num_free_blocks(self) -> int:
        """Blocks that nobody owns."""
        return self.block_owner.count(FREE)

    @property
    def cached_block_ids(self) -> list[int]:
        """Those of them that are cached: their KV can be shared until their room is needed."""
        return [block_id for block_id in self.cached if self.block_owner[block_id] == FREE]

    def owners(self, block_id: int) -> tuple[int, ...]:
        """The sequences that own a block; its ref_count is their number."""
        owner = self.block_owner[block_id]
        return self.shared.get(block_id, () if owner == FREE else (owner,))

    @property
    def num_output_tokens(self) -> int:
        """Tokens of all answers so far; what a beam search has dropped is none."""
        return sum(
            sequence.num_output_tokens
            for sequence in self.sequences.values()
            if sequence.finish_reason != "dropped"
        )

    def tokens_in_blocks(self) -> list[int]:
        """For each block, how many tokens' KV stands in it."""
        filled = [0] * len(self.block_owner)
        if self.config is not None:
            for block_id in self.cached:
                filled[block_id] = self.config.block_size
            for sequence in (self.sequences[seq_id] for seq_id in self.running):
                full, rest = divmod(sequence.num_computed_tokens, self.config.block_size)
                for block_id in sequence.block_table[:full]:
                    filled[block_id] = self.config.block_size
                for block_id in sequence.block_table[full : full + 1]:
                    filled[block_id] = max(filled[block_id], rest)
        return filled
