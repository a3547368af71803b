"""Preemption by swapping: what is kept, what comes back, and what happens when host memory is full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from ladder_engine.config import EngineConfig
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import (
    AnyEvent,
    BlocksFreed,
    Finished,
    Preempted,
    Scheduled,
    SwappedIn,
    SwappedOut,
)
from ladder_engine.tracing.fold import TraceError, fold
from ladder_engine.tracing.summary import summarize_state
from msgspec.structs import replace

from tests.engine.bench import Bench, check_answer, check_search

SWAP = {"preemption": "swap", "num_host_blocks": 32}


def crowd(**limits: Any) -> Bench:
    bench = Bench(**({"num_blocks": 12, "block_size": 2} | limits))
    for size in (5, 4, 6, 3):
        bench.add(size, 9)
    return bench


def test_a_swapped_sequence_computes_nothing_again_and_says_the_same() -> None:
    found = {}
    for name, limits in {"swap": SWAP, "recompute": {}}.items():
        bench = crowd(**limits)
        seqs = bench.live
        for _ in bench.steps():
            bench.check_blocks()
            bench.check_fold()
        for seq in seqs:
            check_answer(seq)
        assert {event.mode for event in bench.of(Preempted)} == {name}
        summary = summarize_state(bench.state)
        found[name] = (summary.recomputed_tokens > 0, summary.swapped_blocks > 0)
        computed = sum(event.num_tokens for event in bench.of(Scheduled))
        assert (computed == sum(seq.num_tokens - 1 for seq in seqs)) == (name == "swap")
    assert found == {"swap": (False, True), "recompute": (True, False)}


def test_what_is_swapped_out_is_what_is_given_up_and_what_comes_back() -> None:
    bench = crowd(**SWAP)
    bench.run()
    swapped_out, swapped_in = bench.of(SwappedOut), bench.of(SwappedIn)
    assert len(swapped_out) == len(swapped_in) > 0
    for out in swapped_out:
        back = next(event for event in swapped_in if event.seq_id == out.seq_id and event.step > out.step)
        assert (out.seq_id, out.host_block_ids) == (back.seq_id, back.host_block_ids)
        assert len(back.block_ids) == len(out.block_ids)
        freed = next(e for e in bench.of(BlocksFreed) if (e.seq_id, e.step) == (out.seq_id, out.step))
        assert freed.block_ids[: len(out.block_ids)] == out.block_ids


def test_where_host_memory_is_full_the_next_victim_is_recomputed() -> None:
    bench = crowd(preemption="swap", num_host_blocks=4)
    seqs = bench.live
    for _ in bench.steps():
        bench.check_blocks()
        bench.check_fold()
    assert {event.mode for event in bench.of(Preempted)} == {"swap", "recompute"}
    for seq in seqs:
        check_answer(seq)


def test_beams_come_back_together_also_when_only_some_of_them_had_room() -> None:
    bench = Bench(num_blocks=18, block_size=2, preemption="swap", num_host_blocks=7)
    bench.add(7, 16)
    searches = [bench.add(4, 9, wish={"beam_width": 3, "n": 3}) for _ in range(2)]
    for _ in bench.steps():
        bench.check_blocks()
        bench.check_fold()
    beams = {one.seq_id for root in searches for one in (root, *root.forks)}
    modes = {event.mode for event in bench.of(Preempted) if event.seq_id in beams}
    assert modes == {"swap", "recompute"}
    for root in searches:
        check_search(root)


def test_abort_gives_host_blocks_back() -> None:
    bench = crowd(**SWAP)
    while not bench.of(SwappedOut):
        bench.step()
    seq = next(seq for seq in bench.live if seq.host_blocks)
    bench.engine.abort(seq.seq_id)
    bench.check_blocks()
    bench.check_fold()
    assert len(bench.engine.scheduler.blocks.host_free) == 32
    bench.run()
    assert {event.reason for event in bench.of(Finished)} == {"aborted", "length"}


def test_the_kv_of_a_real_model_comes_back_bit_for_bit(machine: Callable[..., Any]) -> None:
    box = machine(num_blocks=15, block_size=8, **SWAP)
    cache = box.engine._executor._model._cache
    wish = SamplingParams(ignore_eos=True)
    seqs = {
        seq.seq_id: seq
        for seq in (
            box.engine.add(f"r{i}", "Static batching holds every slot. " * 2, 24, wish) for i in range(3)
        )
    }

    def content(block_ids: tuple[int, ...], tokens: int) -> torch.Tensor:
        kv = torch.stack([cache.key[:, list(block_ids)], cache.value[:, list(block_ids)]])
        return kv.flatten(2, 3)[:, :, :tokens].clone()

    before: dict[int, torch.Tensor] = {}
    compared = 0
    while box.engine.has_work:
        held = {
            seq.seq_id: content(tuple(seq.block_table), seq.num_computed_tokens)
            for seq in seqs.values()
            if seq.block_table
        }
        seen = len(box.events)
        box.engine.step()
        for event in box.events[seen:]:
            if isinstance(event, SwappedOut):
                before[event.seq_id] = held[event.seq_id]
            if isinstance(event, SwappedIn):
                kept = before.pop(event.seq_id)
                tokens = kept.shape[2]
                assert torch.equal(content(event.block_ids, tokens), kept)
                compared += 1
    assert compared > 0


@pytest.mark.parametrize("wrong", [{"preemption": "swap"}, {"num_host_blocks": 4}])
def test_swapping_needs_both_settings(wrong: dict[str, Any]) -> None:
    sizes = {"num_blocks": 4, "max_num_seqs": 2, "max_num_batched_tokens": 8, "max_model_len": 32}
    with pytest.raises(ValueError, match="go together"):
        EngineConfig(**(sizes | wrong))


def trace() -> list[AnyEvent]:
    bench = crowd(**SWAP)
    bench.run()
    return bench.events


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        (SwappedOut, {"host_block_ids": (99, 98)}, "host block 99 is not free|does not own"),
        (SwappedOut, {"block_ids": (0,)}, "does not own"),
        (SwappedIn, {"host_block_ids": (31,)}, "not its own"),
        (Preempted, {"mode": "recompute"}, "is preempted by recompute, which it is not"),
    ],
)
def test_a_swap_that_cannot_be_is_named(kind: type[AnyEvent], change: dict[str, Any], what: str) -> None:
    events = trace()
    at = next(i for i, event in enumerate(events) if isinstance(event, kind))
    events[at] = replace(events[at], **change)
    with pytest.raises(TraceError, match=what):
        fold(events)
