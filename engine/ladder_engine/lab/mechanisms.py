"""The mechanisms of the engine: which settings switch each one, which counters show it at work, what it is for.

A scenario names one in `shows`; a comparison uses the table to say what made the difference.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mechanism:
    """`fields` of EngineConfig switch it; `causes` are the measures that move when it acts, `effects` what follows.

    One that `is_about_order` changes nothing but who comes first.
    """

    name: str
    noun: str
    fields: tuple[str, ...]
    causes: tuple[str, ...]
    effects: tuple[str, ...]
    is_about_order: bool = False


MECHANISMS = (
    Mechanism(
        "continuous-batching",
        "Continuous batching",
        ("batching",),
        ("batch_mean",),
        ("steps", "queue_steps_max", "ttft_steps_p50"),
    ),
    Mechanism(
        "paging",
        "Paging",
        ("kv_layout",),
        ("kv_filled",),
        ("batch_max", "steps", "queue_steps_max", "preemptions"),
    ),
    Mechanism(
        "token-budget",
        "The token budget",
        ("max_num_batched_tokens",),
        ("step_tokens_max",),
        ("step_max", "itl_p99", "ttft_steps_max", "ttft_max", "steps"),
    ),
    Mechanism(
        "concurrency-cap",
        "The cap on running requests",
        ("max_num_seqs",),
        ("batch_max",),
        ("preemptions", "recomputed_tokens", "queue_steps_max", "steps", "itl_p50"),
    ),
    Mechanism(
        "block-pool",
        "The size of the block pool",
        ("num_blocks",),
        ("preemptions", "evicted_blocks", "queue_steps_max", "kv_peak"),
        ("recomputed_tokens", "computed_tokens", "steps", "ttft_steps_max"),
    ),
    Mechanism(
        "block-size",
        "The block size",
        ("block_size",),
        ("cached_tokens", "kv_filled"),
        ("computed_tokens", "batch_max", "ttft_steps_p50", "steps"),
    ),
    Mechanism(
        "prefix-caching",
        "Prefix caching",
        ("prefix_caching",),
        ("cached_tokens",),
        ("computed_tokens", "ttft_steps_p50", "steps"),
    ),
    Mechanism(
        "speculation",
        "Speculation",
        ("num_speculative_tokens", "draft_model", "max_num_speculating"),
        ("draft_tokens",),
        ("steps", "computed_tokens", "seconds"),
    ),
    Mechanism(
        "batch-invariance",
        "Batch invariance",
        ("batch_invariant",),
        (),
        ("seconds",),
    ),
    Mechanism(
        "admission",
        "The order of admission",
        ("admission",),
        (),
        ("ttft_steps_p50", "ttft_steps_max"),
        is_about_order=True,
    ),
    Mechanism(
        "composition",
        "The composition of steps",
        ("composition", "max_prefill_chunk"),
        (),
        ("gap_steps_max", "ttft_steps_p50", "ttft_steps_max", "steps", "itl_p99", "step_max"),
    ),
    Mechanism(
        "swapping",
        "Swapping to host memory",
        ("preemption", "num_host_blocks"),
        ("recomputed_tokens",),
        ("computed_tokens", "steps", "seconds"),
    ),
    Mechanism(
        "queue-limit",
        "The limit on who may wait",
        ("max_num_waiting",),
        ("refused",),
        ("queue_steps_max", "ttft_steps_max", "steps"),
    ),
)
BY_FIELD = {field: mechanism for mechanism in MECHANISMS for field in mechanism.fields}
NOT_A_MECHANISM = ("max_model_len",)
"""Fields that bound what a request may ask for, and change nothing about those who stay within."""


def mechanism(name: str) -> Mechanism | None:
    """The mechanism of this name."""
    return next((one for one in MECHANISMS if one.name == name), None)
