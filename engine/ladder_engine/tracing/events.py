"""The trace: one small typed event for each thing that happens in the engine.

The live panel, the summary and a recording read nothing else. `fold` (fold.py) turns events back into the whole
state at any step. Times are seconds since the engine started, from a monotonic clock; steps count from 1, and
events before the first step carry step 0.

On the pipe an event is msgpack, in a file it is one line of JSON; both carry the event's name in `type`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ladder_engine.config import EngineConfig
from ladder_engine.tracing.kernel_trace import AttentionReads, KernelCalls

SCHEMA = 4
READABLE = (3, 4)  # 3 has no KernelsRan and does not know the machine

WorkKind = Literal["prefill", "decode"]
WaitReason = Literal[
    "no_free_blocks", "token_budget", "max_num_seqs", "static_batch", "decode_turn",
    "behind_earlier", "behind_priority", "behind_fair",
]  # fmt: skip
PreemptionMode = Literal["recompute", "swap"]
FinishReason = Literal["stop", "length", "aborted", "dropped"]


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=True, gc=False):
    """What every event says: in which step it happened, and when.

    A step makes hundreds. They hold no cycles, so the garbage collector need not look at them.
    """

    step: int
    time: float


class RunStarted(Event, frozen=True):
    """The first event of every trace: the engine as it was built. `engine` is all that it was asked to be.

    `weight_bytes` is what every step reads of the model, `bytes_per_second` what the device moved in a large copy; both
    are 0 in a trace of schema 3. `marks` are the steps that somebody has marked, each with a note; they come with a saved trace.
    """

    schema: int
    scenario: str
    model: str
    kernels: str
    device: str
    num_blocks: int
    block_size: int
    max_num_seqs: int
    max_num_batched_tokens: int
    max_model_len: int
    kv_bytes_per_token: int
    engine: EngineConfig
    prefix_caching: bool = False
    variant: str = ""
    weight_bytes: int = 0
    bytes_per_second: float = 0.0
    marks: tuple[tuple[int, str], ...] = ()


class Arrived(Event, frozen=True):
    """A request joined the waiting queue. `lengths` says of each token of the prompt how many characters it stands for, in
    order; empty where that was not recorded.
    """

    seq_id: int
    name: str
    prompt: str
    num_prompt_tokens: int
    max_tokens: int
    priority: int = 0
    client: str = ""
    lengths: tuple[int, ...] = ()


class Refused(Event, frozen=True):
    """A request that can never fit, or that met a full queue, was turned away when it arrived. `reason` is a sentence for a person."""

    seq_id: int
    reason: str


class Waits(Event, frozen=True):
    """The scheduler passed a waiting request over, and why. Sent when the reason changes."""

    seq_id: int
    reason: WaitReason


class Admitted(Event, frozen=True):
    """A waiting request entered the running batch."""

    seq_id: int


class BlocksAllocated(Event, frozen=True):
    """Blocks were appended, in this order, to the sequence's block_table."""

    seq_id: int
    block_ids: tuple[int, ...]


class BlocksShared(Event, frozen=True):
    """The sequence's block_table begins with these blocks, whose KV stands: others computed the same prefix."""

    seq_id: int
    block_ids: tuple[int, ...]


class BlocksCached(Event, frozen=True):
    """These blocks of the sequence are full and can be found by their prefix, now and after it gives them up.

    `names` are the first 8 hex digits of their hashes, `parents` those of the blocks before them, which the hashes cover;
    empty where that was not recorded.
    """

    seq_id: int
    block_ids: tuple[int, ...]
    names: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()


class BlocksEvicted(Event, frozen=True):
    """These cached blocks, which nobody owned, can no longer be found: their room is needed."""

    block_ids: tuple[int, ...]


class BlocksFreed(Event, frozen=True):
    """The sequence gave up these blocks. One that others own stays theirs, and one that is cached stays cached."""

    seq_id: int
    block_ids: tuple[int, ...]


class BlocksCopied(Event, frozen=True):
    """Copy-on-write: the sequence is about to write into blocks that others own too, and owns copies of them from now on.

    `pairs` are (from, to): in the sequence's block_table, `to` takes the place of `from`.
    """

    seq_id: int
    pairs: tuple[tuple[int, int], ...]


class Forked(Event, frozen=True):
    """The sequence now knows the first `num_tokens` tokens of its parent, and shares the blocks that hold their KV.

    It is new and runs, beside its parent; or it is a beam, which gave up its own blocks and what it had said.
    """

    seq_id: int
    parent_id: int
    name: str
    block_ids: tuple[int, ...]
    num_tokens: int


class Scheduled(Event, frozen=True):
    """The step computes `num_tokens` tokens of the sequence from position `start` on.

    `kind` is `decode` when the step computes just the newest token of a sequence that has already answered;
    everything else (prompt chunks, and recomputing after a preemption) is `prefill`. The last `num_draft_tokens` of a
    decode are a guess at what follows; Verified says how much of it was right.
    """

    seq_id: int
    start: int
    num_tokens: int
    kind: WorkKind
    num_draft_tokens: int = 0


class SwappedOut(Event, frozen=True):
    """The KV in these blocks of the sequence is copied to blocks of host memory; BlocksFreed follows."""

    seq_id: int
    block_ids: tuple[int, ...]
    host_block_ids: tuple[int, ...]


class SwappedIn(Event, frozen=True):
    """The KV of the sequence comes back from host memory, into these blocks, with which its block_table begins."""

    seq_id: int
    host_block_ids: tuple[int, ...]
    block_ids: tuple[int, ...]


class Preempted(Event, frozen=True):
    """The sequence lost its blocks and went back to the head of the waiting queue.

    By `recompute`, the KV of its `num_computed_tokens` tokens is computed again; by `swap`, it waits in host memory.
    """

    seq_id: int
    num_computed_tokens: int
    mode: PreemptionMode = "recompute"


class Sampled(Event, frozen=True):
    """The sequence said one more token. `text` is what it adds to the answer.

    It may be empty: inside a UTF-8 character, and while the end of the text may be the beginning of a stop string.
    `logprobs`, for a request that asks for them, holds (token id, logprob) of this token, then of the likeliest ones.
    """

    seq_id: int
    token_id: int
    text: str
    logprobs: tuple[tuple[int, float], ...] = ()


class Verified(Event, frozen=True):
    """Of the sequence's draft, so many tokens were accepted, from its beginning on. Sampled has said them, and one more.

    The draft followed the newest token that was known when the step began: the first of `draft_token_ids` stands at the
    position after it.
    """

    seq_id: int
    draft_token_ids: tuple[int, ...]
    num_accepted_tokens: int


class Chosen(Event, frozen=True):
    """A beam search is over, and this is one of its answers: it takes the place of what the sequence had said.

    `score` is the sum of the tokens' log-probabilities over their number to the power of length_penalty.
    """

    seq_id: int
    token_ids: tuple[int, ...]
    text: str
    score: float


class Finished(Event, frozen=True):
    """The sequence is done and its blocks are free. A beam that is not among the answers is `dropped`."""

    seq_id: int
    reason: FinishReason


class KernelsRan(Event, frozen=True):
    """The kernels of the step, in the order of first calls: only while somebody watches them, just before StepTimed.

    They ran on whatever RunStarted names: `triton` and `interpret` launched these grids; for `torch`, the twins, they are
    what their kernels would launch on the same device, and the times are the twins'.
    """

    calls: tuple[KernelCalls, ...]
    attention: tuple[AttentionReads, ...]


class StepTimed(Event, frozen=True):
    """The last event of every step: what it cost, and the queue lengths after it.

    `num_free_blocks` counts the blocks that nobody owns, `num_cached_blocks` those of them that are cached.
    """

    schedule_s: float
    execute_s: float
    commit_s: float
    num_running: int
    num_waiting: int
    num_free_blocks: int
    num_cached_blocks: int = 0


class Reconfigured(Event, frozen=True):
    """Somebody changed the engine's settings while it ran. `engine` is all of them, from here on."""

    engine: EngineConfig


class RunEnded(Event, frozen=True):
    """The last event of every trace. `error` is None, or one sentence that says why the run broke off."""

    error: str | None = None


AnyEvent = (
    RunStarted | Arrived | Refused | Waits | Admitted | BlocksAllocated | BlocksShared | BlocksCached | BlocksEvicted
    | BlocksFreed | BlocksCopied | SwappedOut | SwappedIn | Forked | Reconfigured | Scheduled | Preempted | Sampled
    | Verified | Chosen | Finished | KernelsRan | StepTimed | RunEnded
)  # fmt: skip
