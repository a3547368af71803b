"""Each plotted series, computed anew from the raw events of a recorded trace, by the dullest code that can do it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_engine.lab.series import COLUMNS, WINDOW, Series, Slo
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import (
    Admitted,
    AnyEvent,
    Arrived,
    BlocksAllocated,
    BlocksCopied,
    BlocksFreed,
    BlocksShared,
    Finished,
    Forked,
    RunStarted,
    Sampled,
    Scheduled,
    StepTimed,
    SwappedIn,
    SwappedOut,
    Verified,
)
from ladder_engine.tracing.recording import Recording
from msgspec.structs import replace

from tests.engine.conftest import Machine
from tests.traces import LittleScheduler, Request, busy_trace, shared_trace, traces


def series_of(events: list[AnyEvent], slo: Slo, at_once: int = 10**9) -> Series:
    recording, series = Recording(), Series(slo)
    for at in range(0, len(events), at_once):
        recording.feed(events[at : at + at_once])
        for index in range(len(series), recording.last):
            series.append(recording.step(index), recording.edge)
    return series


class Truth:
    """Reads everything off the events of the whole trace, again for every step."""

    def __init__(self, events: list[AnyEvent], slo: Slo) -> None:
        self.events, self.slo = events, slo
        self.started = next(e for e in events if isinstance(e, RunStarted))
        self.timed = [e for e in events if isinstance(e, StepTimed)]
        self.arrived = {e.seq_id: e for e in events if isinstance(e, Arrived)}
        self.tokens: dict[int, list[Sampled]] = defaultdict(list)
        for event in events:
            if isinstance(event, Sampled):
                self.tokens[event.seq_id].append(event)

    def row(self, at: int) -> dict[str, float]:
        step = self.timed[at].step
        window = range(step - WINDOW + 1, step + 1)
        begin = self.timed[at - WINDOW].time if at >= WINDOW else min(e.time for e in self.arrived.values())
        seconds = self.timed[at].time - begin
        done, good = self.finished(window)
        found, prompt = self.found(window)
        accepted, drafted = self.drafts(window)
        now_accepted, now_drafted = self.drafts(range(step, step + 1))
        owned = self.started.num_blocks - self.timed[at].num_free_blocks
        room = owned * self.started.block_size
        return {
            "owned": owned,
            "cached": self.timed[at].num_cached_blocks,
            "running": self.timed[at].num_running,
            "waiting": self.timed[at].num_waiting,
            "prefill": self.scheduled(step, "prefill"),
            "decode": self.scheduled(step, "decode") - now_drafted,
            "accepted": now_accepted,
            "rejected": now_drafted - now_accepted,
            "ttft_p50": self.percentile(self.ttfts(window), 50),
            "ttft_p99": self.percentile(self.ttfts(window), 99),
            "itl_p50": self.percentile(self.gaps(window), 50),
            "itl_p99": self.percentile(self.gaps(window), 99),
            "finished_rate": done / seconds if seconds else nan,
            "goodput": good / seconds if seconds else nan,
            "hit_rate": 100 * found / prompt if prompt else nan,
            "acceptance": 100 * accepted / drafted if drafted else nan,
            "waste": 100 * (room - self.stored(step)) / room if room else nan,
        }

    def percentile(self, values: list[float], rank: float) -> float:
        return 1000 * float(np.percentile(values, rank)) if values else nan

    def ttfts(self, window: range) -> list[float]:
        return [
            said[0].time - self.arrived[seq_id].time
            for seq_id, said in self.tokens.items()
            if seq_id in self.arrived and said[0].step in window
        ]

    def gaps(self, window: range) -> list[float]:
        ends = {e.step: e.time for e in self.timed}
        gaps = []
        for said in self.tokens.values():
            steps = sorted({e.step for e in said if e.step in ends})
            gaps += [ends[b] - ends[a] for a, b in pairwise(steps) if b in window]
        return gaps

    def finished(self, window: range) -> tuple[int, int]:
        done = good = 0
        for event in self.events:
            asked = isinstance(event, Finished) and event.step in window and event.seq_id in self.arrived
            if asked and isinstance(event, Finished) and event.reason in ("stop", "length"):
                said = self.tokens[event.seq_id]
                ttft = said[0].time - self.arrived[event.seq_id].time
                rest = (said[-1].time - said[0].time) / (len(said) - 1) if len(said) > 1 else 0.0
                done += 1
                good += ttft <= self.slo.ttft and rest <= self.slo.tpot
        return done, good

    def found(self, window: range) -> tuple[int, int]:
        found = prompt = 0
        for seq_id, arrival in self.arrived.items():
            entries = [e.step for e in self.events if isinstance(e, Admitted) and e.seq_id == seq_id]
            if entries and entries[0] in window:
                prompt += arrival.num_prompt_tokens
                shared = [e for e in self.events if isinstance(e, BlocksShared) and e.seq_id == seq_id]
                found += sum(
                    len(e.block_ids) * self.started.block_size for e in shared if e.step == entries[0]
                )
        return found, prompt

    def drafts(self, window: range) -> tuple[int, int]:
        verified = [e for e in self.events if isinstance(e, Verified) and e.step in window]
        return sum(e.num_accepted_tokens for e in verified), sum(len(e.draft_token_ids) for e in verified)

    def scheduled(self, step: int, kind: str) -> int:
        works = [e for e in self.events if isinstance(e, Scheduled) and e.step == step and e.kind == kind]
        return sum(e.num_tokens for e in works)

    def stored(self, step: int) -> int:
        """Slots of owned blocks that hold KV after a step: (block, slot) pairs that somebody has computed."""
        tables: dict[int, list[int]] = defaultdict(list)
        computed: dict[int, int] = defaultdict(int)
        pending: dict[int, int] = {}
        kept: dict[int, int] = {}
        for event in (e for e in self.events if e.step <= step):
            match event:
                case BlocksAllocated():
                    tables[event.seq_id] += event.block_ids
                case BlocksShared():
                    tables[event.seq_id] += event.block_ids
                    computed[event.seq_id] = len(event.block_ids) * self.started.block_size
                case SwappedOut():
                    kept[event.seq_id] = computed[event.seq_id]
                case SwappedIn():
                    tables[event.seq_id] += event.block_ids
                    computed[event.seq_id] = kept[event.seq_id]
                case BlocksCopied():
                    for source, copy in event.pairs:
                        table = tables[event.seq_id]
                        table[table.index(source)] = copy
                case BlocksFreed():
                    tables[event.seq_id] = [b for b in tables[event.seq_id] if b not in event.block_ids]
                    if not tables[event.seq_id]:
                        computed[event.seq_id] = 0
                        pending.pop(event.seq_id, None)
                case Forked():
                    tables[event.seq_id] = list(event.block_ids)
                    computed[event.seq_id] = pending.get(event.parent_id, computed[event.parent_id])
                case Scheduled():
                    pending[event.seq_id] = event.start + event.num_tokens - event.num_draft_tokens
                case Verified():
                    pending[event.seq_id] += event.num_accepted_tokens
                case StepTimed():
                    computed |= pending
                    pending = {}
        size = self.started.block_size
        slots = {
            (table[position // size], position % size)
            for seq_id, table in tables.items()
            for position in range(min(computed[seq_id], len(table) * size))
        }
        return len(slots)


def check(events: list[AnyEvent], slo: Slo, series: Series) -> None:
    truth = Truth(events, slo)
    assert len(series) == len(truth.timed)
    for at in range(len(series)):
        found = {name: float(series.column(name)[at]) for name in COLUMNS}
        assert found == pytest.approx(truth.row(at), rel=1e-5, nan_ok=True), f"step {at + 1}"


SLO = Slo(ttft=0.15, tpot=0.013)


@given(traces(), st.integers(1, 60))
def test_every_series_is_what_the_events_say_however_they_come(events: list[AnyEvent], at_once: int) -> None:
    check(events, SLO, series_of(events, SLO, at_once))


def test_a_run_longer_than_the_window_forgets_what_fell_out_of_it() -> None:
    requests = [Request(f"r{i}", 6 + i % 5, 4 + i % 9, 1 + 4 * i) for i in range(40)]
    events = LittleScheduler(requests).run()
    series = series_of(events, SLO, 100)
    assert len(series) > 2 * WINDOW
    check(events, SLO, series)
    goodput, rate = series.column("goodput"), series.column("finished_rate")
    assert (goodput <= rate).all()
    assert 0 < (goodput < rate).sum() < len(series), "this SLO tells them apart"


def test_shared_blocks_hold_their_kv_once() -> None:
    check(shared_trace(), SLO, series_of(shared_trace(), SLO))


def started_by(run: Machine) -> RunStarted:
    """What the engine's process says first; a bare engine leaves that to it."""
    sample = busy_trace()[0]
    assert isinstance(sample, RunStarted)
    config = run.config
    return replace(
        sample,
        engine=config,
        num_blocks=config.num_blocks,
        block_size=config.block_size,
        max_num_seqs=config.max_num_seqs,
        max_num_batched_tokens=config.max_num_batched_tokens,
        prefix_caching=config.prefix_caching,
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("drafts", {"num_speculative_tokens": 3, "prefix_caching": True, "num_blocks": 14}),
        ("slab", {"kv_layout": "slab", "max_model_len": 128}),
        ("swap", {"preemption": "swap", "num_host_blocks": 8, "num_blocks": 10}),
    ],
)
def test_it_holds_for_runs_of_the_real_engine(
    machine: Callable[..., Machine], name: str, settings: dict[str, object]
) -> None:
    run = machine(**({"max_num_seqs": 4} | settings))
    for i in range(10):
        text = "the KV cache the KV cache the KV cache holds the keys " + "of it " * i
        run.engine.add(f"r{i}", text, 14 + i, SamplingParams(ignore_eos=True))
    run.run()
    events = [started_by(run), *run.events]
    series = series_of(events, SLO, 50)
    check(events, SLO, series)
    told = {"drafts": "acceptance", "slab": "waste", "swap": "waste"}[name]
    assert np.nanmax(series.column(told)) > 0


@given(traces(), st.floats(0.01, 0.5), st.floats(0.001, 0.1))
def test_another_slo_judges_what_is_past_as_if_it_had_always_been_there(
    events: list[AnyEvent], ttft: float, tpot: float
) -> None:
    cut = len(events) // 2
    recording, series = Recording(), Series(Slo(0.0, 0.0))
    for part in (events[:cut], events[cut:]):
        recording.feed(part)
        for index in range(len(series), recording.last):
            series.append(recording.step(index), recording.edge)
        series.judge(Slo(ttft, tpot))
    check(events, Slo(ttft, tpot), series)


def test_there_is_no_series_of_no_steps() -> None:
    series = Series()
    series.judge(SLO)
    assert [len(series.column(name)) for name in COLUMNS] == [0] * len(COLUMNS)
