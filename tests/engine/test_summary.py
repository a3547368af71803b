"""The summary's numbers against a trace whose numbers are known."""

from __future__ import annotations

import pytest
from ladder_engine.config import EngineConfig
from ladder_engine.tracing import events as trace
from ladder_engine.tracing.summary import summarize


def a_trace() -> list[trace.AnyEvent]:
    """Two answers and a refusal, in a pool of four blocks; the clock is in whole tenths of a second."""

    def timed(step: int, time: float, running: int, free: int) -> trace.StepTimed:
        return trace.StepTimed(step=step, time=time, schedule_s=0.0, execute_s=0.0, commit_s=0.0,
                               num_running=running, num_waiting=0, num_free_blocks=free)  # fmt: skip

    def arrived(seq_id: int, time: float) -> trace.Arrived:
        return trace.Arrived(step=0, time=time, seq_id=seq_id, name=f"r{seq_id}", prompt="p", num_prompt_tokens=3,
                             max_tokens=3)  # fmt: skip

    def work(step: int, time: float, seq_id: int, start: int, count: int) -> list[trace.AnyEvent]:
        kind = "decode" if start >= 3 else "prefill"
        return [
            trace.Scheduled(step=step, time=time, seq_id=seq_id, start=start, num_tokens=count, kind=kind)
        ]

    def said(step: int, time: float, seq_id: int) -> trace.Sampled:
        return trace.Sampled(step=step, time=time, seq_id=seq_id, token_id=1, text="x")

    def over(step: int, time: float, seq_id: int, block: int) -> list[trace.AnyEvent]:
        return [
            trace.BlocksFreed(step=step, time=time, seq_id=seq_id, block_ids=(block,)),
            trace.Finished(step=step, time=time, seq_id=seq_id, reason="length"),
        ]

    def enter(step: int, time: float, seq_id: int, block: int) -> list[trace.AnyEvent]:
        return [
            trace.Admitted(step=step, time=time, seq_id=seq_id),
            trace.BlocksAllocated(step=step, time=time, seq_id=seq_id, block_ids=(block,)),
        ]

    return [
        trace.RunStarted(step=0, time=0.0, schema=trace.SCHEMA, scenario="s", model="m", kernels="torch", device="cpu",
                         num_blocks=4, block_size=8, max_num_seqs=2, max_num_batched_tokens=8, max_model_len=8,
                         kv_bytes_per_token=1024,
                         engine=EngineConfig(num_blocks=4, block_size=8, max_num_seqs=2, max_num_batched_tokens=8,
                                             max_model_len=8)),
        arrived(0, 1.0),
        arrived(1, 1.1),
        arrived(2, 1.1),
        trace.Refused(step=0, time=1.1, seq_id=2, reason="It is too large."),
        *enter(1, 1.2, 0, 0), *work(1, 1.2, 0, 0, 3),
        *enter(1, 1.2, 1, 1), *work(1, 1.2, 1, 0, 3),
        said(1, 1.4, 0), said(1, 1.5, 1), timed(1, 1.5, 2, 2),
        *work(2, 1.6, 0, 3, 1), *work(2, 1.6, 1, 3, 1),
        said(2, 1.8, 0), said(2, 1.8, 1), *over(2, 1.8, 1, 1), timed(2, 1.9, 1, 3),
        *work(3, 2.0, 0, 4, 1), said(3, 2.8, 0), *over(3, 2.8, 0, 0), timed(3, 3.0, 0, 4),
        trace.RunEnded(step=3, time=3.0),
    ]  # fmt: skip


def test_every_number_of_the_summary() -> None:
    summary = summarize(a_trace())
    assert (summary.requests, summary.finished, summary.refused, summary.aborted) == (3, 2, 1, 0)
    assert (summary.answer_tokens, summary.computed_tokens, summary.prompt_tokens) == (5, 9, 6)
    assert summary.seconds == pytest.approx(2.0)
    assert summary.tokens_per_s == pytest.approx(2.5)
    assert summary.ttft is not None
    assert summary.tpot is not None
    assert summary.ttft.p50 == pytest.approx(0.4)  # 0.4 and 0.4
    assert summary.tpot.p50 == pytest.approx((0.7 + 0.3) / 2)  # (2.8 - 1.4) / 2 and (1.8 - 1.5) / 1
    assert summary.tpot.p90 == pytest.approx(0.3 + 0.9 * 0.4)
    assert summary.kv_use_mean == pytest.approx((0.5 + 0.25 + 0.0) / 3)
    assert summary.kv_use_peak == pytest.approx(0.5)
    assert summary.kv_bytes == 4 * 8 * 1024
    assert (
        summary.lines()[1] == "speed        2.5 tokens/s measured on this machine, kernels torch, device cpu"
    )
    assert "3: 2 finished, 1 refused" in summary.lines()[2]


def test_a_run_that_did_nothing() -> None:
    events = a_trace()
    summary = summarize([events[0], events[-1].__class__(step=1, time=0.0)])
    assert (summary.tokens_per_s, summary.ttft, summary.kv_use_peak) == (0.0, None, 0.0)
    assert all(summary.lines())
