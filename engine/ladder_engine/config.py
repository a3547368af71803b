"""The pool and the limits of an engine; no torch."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]


class EngineConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pool and the limits of one engine.

    `num_blocks` blocks of `block_size` tokens hold all KV. A step computes at most `max_num_batched_tokens` tokens of
    at most `max_num_seqs` sequences; a sequence (prompt and answer) has at most `max_model_len` tokens.
    `admission` says who enters first (admission.py); who arrives while `max_num_waiting` wait is refused.
    `num_speculative_tokens` is the length of the drafts, 0 for none: they are looked up in the text (ngram.py), or said by
    `draft_model`, a small model with the same vocabulary (draft_model.py). Nobody drafts while more than
    `max_num_speculating` run, because then the step has no arithmetic to spare.
    `composition` says whether prompts and decodes share a step (composition.py); a prompt is read in chunks of at most
    `max_prefill_chunk` tokens, and of what the step's budget leaves. When blocks run out, somebody is preempted:
    `preemption="swap"` keeps its KV in `num_host_blocks` blocks of host memory while there is room, "recompute" drops it.
    `prefix_caching` keeps the KV of full blocks after their owners have gone, and shares it with whoever has the same
    prefix.
    `batch_invariant` gives every token the same logits, bit for bit, alone or in a batch, chunked or not, with a cold or
    a warm cache. It costs fixed shapes that are mostly padding: measured on one core, a step of 16 decodes takes twice as
    long, a lone decode 3 (ladder-3m) to 4.5 times (SmolLM2-135M), a prompt of 256 tokens 4.5 and 2.3 times.

    Two fields are there for comparison with how it used to be done. `batching="static"` lets nobody in until everybody
    in the batch is done. `kv_layout="slab"` reserves room for max_model_len tokens, in one piece, for every sequence.
    """

    num_blocks: Positive
    max_num_seqs: Positive
    max_num_batched_tokens: Positive
    max_model_len: Positive
    block_size: Positive = 16
    admission: Literal["fcfs", "priority", "fair"] = "fcfs"
    max_num_waiting: Positive | None = None
    num_speculative_tokens: Annotated[int, msgspec.Meta(ge=0, le=32)] = 0
    draft_model: str | None = None
    max_num_speculating: Positive | None = None
    prefix_caching: bool = False
    batch_invariant: bool = False
    composition: Literal["mixed", "prefill_first", "decode_first"] = "mixed"
    max_prefill_chunk: Positive | None = None
    preemption: Literal["recompute", "swap"] = "recompute"
    num_host_blocks: Annotated[int, msgspec.Meta(ge=0)] = 0
    batching: Literal["continuous", "static"] = "continuous"
    kv_layout: Literal["paged", "slab"] = "paged"

    def __post_init__(self) -> None:
        if self.draft_model and not self.num_speculative_tokens:
            raise ValueError("draft_model needs num_speculative_tokens, the length of its drafts")
        if (self.preemption == "swap") != (self.num_host_blocks > 0):
            raise ValueError("preemption swap and num_host_blocks go together: the blocks are kept there")
        slab = self.blocks_for(self.max_model_len)
        if self.kv_layout == "slab" and self.num_blocks % slab:
            raise ValueError(
                f"kv_layout slab takes {slab} blocks for each sequence of max_model_len {self.max_model_len}, "
                f"and num_blocks {self.num_blocks} is no multiple of that"
            )
        if self.kv_layout == "slab" and self.prefix_caching:
            raise ValueError("kv_layout slab holds each sequence in one piece, so prefix_caching must be off")

    def blocks_for(self, num_tokens: int) -> int:
        """Blocks that hold the KV of `num_tokens` tokens."""
        return -(-num_tokens // self.block_size)

    def why_never(
        self, num_prompt_tokens: int, max_tokens: int, n: int = 1, beam_width: int = 0
    ) -> str | None:
        """Why a request can never run here, as the rest of a sentence that starts with its name; None if it can.

        The KV of the last token of an answer is never needed: nothing is computed after it. The beams of one search
        run together or not at all, so all of them must fit.
        """
        if num_prompt_tokens < 1:
            return "has an empty prompt, and the first token needs something to follow"
        asked = f"{num_prompt_tokens} prompt tokens and up to {max_tokens} more"
        if num_prompt_tokens + max_tokens > self.max_model_len:
            return f"needs {asked}, and max_model_len is {self.max_model_len}"
        places = min(self.max_num_seqs, self.max_num_batched_tokens)
        width = max(n, beam_width)
        if width > places:
            return f"becomes {width} sequences, and max_num_seqs and max_num_batched_tokens let {places} run"
        if width > 1 and self.kv_layout == "slab":
            return f"becomes {width} sequences that share blocks, and kv_layout slab shares none"
        needed = self.blocks_for(num_prompt_tokens + max_tokens - 1) * max(1, beam_width)
        if needed > self.num_blocks:
            beams = f" for each of {beam_width} beams" if beam_width > 1 else ""
            return (
                f"needs {needed} blocks of {self.block_size} tokens ({asked}{beams}), "
                f"and the whole pool has {self.num_blocks}"
            )
        return None
