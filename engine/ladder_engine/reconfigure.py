"""Which settings of an engine can change while it runs, and what they then are. No torch."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ladder_engine.config import EngineConfig
from ladder_engine.errors import EngineError

CHANGEABLE = (
    "max_num_seqs",
    "max_num_batched_tokens",
    "admission",
    "composition",
    "max_prefill_chunk",
    "max_num_waiting",
    "num_speculative_tokens",
    "max_num_speculating",
    "prefix_caching",
    "batching",
)
"""Settings that can change while the engine runs: those the scheduler reads in each step, not those the pool is built from."""


def reconfigured(
    config: EngineConfig, changes: Mapping[str, object], num_running: int, widest: int
) -> EngineConfig:
    """The settings with these changes. Raises EngineError, one sentence, when they cannot be.

    `num_running` sequences run or have their places kept; one of the requests that wait becomes `widest` sequences.
    """
    if fixed := changes.keys() - set(CHANGEABLE):
        raise EngineError(
            f"{min(fixed)} is fixed while the engine runs; these can change: {', '.join(CHANGEABLE)}."
        )
    try:
        changed = msgspec.convert({**msgspec.to_builtins(config), **changes}, EngineConfig)
    except msgspec.ValidationError as error:
        what, _, place = str(error).replace("`", "").partition(" - at $.")
        raise EngineError(f"The engine stays as it was: {place or 'settings'}: {what}.") from None
    if changed.max_num_batched_tokens < num_running:
        raise EngineError(
            f"The engine stays as it was: {num_running} requests run, and each needs one token of max_num_batched_tokens."
        )
    if min(changed.max_num_seqs, changed.max_num_batched_tokens) < widest:
        raise EngineError(
            f"The engine stays as it was: a request that waits becomes {widest} sequences, and they run together."
        )
    return changed
