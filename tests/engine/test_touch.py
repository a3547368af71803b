"""Touching a run: it holds where it is told to, and takes requests and settings while it does."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from ladder_engine.errors import EngineError
from ladder_engine.lab import runner
from ladder_engine.reconfigure import CHANGEABLE
from ladder_engine.serving.protocol import (
    Abort,
    Add,
    Advance,
    Configure,
    Declined,
    Run,
    Shutdown,
    Stop,
    decode_messages,
    read_frame,
)
from ladder_engine.serving.service import Service
from ladder_engine.tracing.events import (
    Arrived,
    Finished,
    Reconfigured,
    Refused,
    RunEnded,
    Scheduled,
    StepTimed,
)
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.recorder import Recorder

from tests.engine.bench import Bench, check_answer


class Script:
    """An inbox: hands out the next command only while the service waits for one, and notes what had been said by then."""

    def __init__(self, out: io.BytesIO, *commands: Any) -> None:
        self.out, self.commands = out, list(commands)
        self.steps_when_held: list[int] = []
        self.on_hold: Callable[[], None] = lambda: None

    def get(self, block: bool = True) -> Any:
        if not block:
            raise Empty
        steps = [message.step for message in said(self.out) if isinstance(message, StepTimed)]
        self.steps_when_held.append(steps[-1] if steps else 0)
        self.on_hold()
        return self.commands.pop(0)


def said(out: io.BytesIO) -> list[Any]:
    stream, messages = io.BytesIO(out.getvalue()), []
    while (body := read_frame(stream)) is not None:
        messages += decode_messages(body)
    return messages


def serve(*commands: Any) -> tuple[list[Any], Script]:
    out = io.BytesIO()
    script = Script(out, *commands, Shutdown())
    Service(script, out).serve()  # type: ignore[arg-type]
    return said(out), script


@pytest.fixture
def scenario(tmp_path: Path, checkpoint: Path) -> Path:
    (tmp_path / "model").symlink_to(checkpoint, target_is_directory=True)
    path = tmp_path / "two.yaml"
    path.write_text(
        "id: two\ntitle: t\nstory: s\nlook_at: []\nmodel: ./model\n"
        "engine: {num_blocks: 16, max_num_seqs: 2, max_num_batched_tokens: 16, max_model_len: 64}\n"
        "requests:\n"
        "  - {name: a, prompt: abc, max_tokens: 12, sampling: {ignore_eos: true}}\n"
        "  - {name: b, prompt: abc, max_tokens: 12, arrive_at_step: 4, sampling: {ignore_eos: true}}\n"
    )
    return path


def test_a_run_holds_exactly_after_the_step_it_was_told(scenario: Path) -> None:
    events, script = serve(
        Run(str(scenario), "torch", until=0), Advance(1), Advance(1), Advance(5), Advance()
    )
    assert script.steps_when_held == [0, 0, 1, 1, 5, 15]  # the first and the last time it waits for a run
    assert isinstance(events[-1], RunEnded)
    assert events[-1].error is None
    assert fold(events).num_output_tokens == 24


def test_the_clock_stands_still_while_the_engine_holds(
    scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def pass_an_hour() -> None:
        nonlocal now
        now += 3600

    monkeypatch.setattr(runner, "Recorder", partial(Recorder, clock=lambda: now))
    out = io.BytesIO()
    script = Script(out, Run(str(scenario), "torch", until=3), Advance(6), Advance(), Shutdown())
    script.on_hold = pass_an_hour
    Service(script, out).serve()  # type: ignore[arg-type]
    assert now >= 3 * 3600
    assert {event.time for event in said(out)} == {0.0}


def test_a_request_of_ones_own_arrives_while_the_run_holds_and_is_seen_at_once(scenario: Path) -> None:
    prompt = Add("mine", "abcdef", 5)
    too_long = Add("novel", "abc" * 300, 5)
    events, script = serve(Run(str(scenario), "torch", until=2), prompt, too_long, Advance())
    arrived = [(event.name, event.step) for event in events if isinstance(event, Arrived)]
    assert arrived == [("a", 0), ("mine", 3), ("novel", 3), ("b", 4)]
    assert [event.step for event in events if isinstance(event, Refused)] == [3]
    assert script.steps_when_held[1:4] == [2, 2, 2]
    state = fold(events)
    assert state.sequences[1].num_output_tokens == 5
    assert state.sequences[2].status == "refused"


def test_settings_change_between_steps_and_what_cannot_be_is_declined(scenario: Path) -> None:
    wrong = [{"num_blocks": 3}, {"max_num_seqs": 0}, {"magic": 1}, {"max_num_batched_tokens": 1}]
    events, _ = serve(
        Run(str(scenario), "torch", until=5),
        *map(Configure, wrong),
        Configure({"max_num_seqs": 1}),
        Advance(),
    )
    sentences = [event.message for event in events if isinstance(event, Declined)]
    assert sentences[0].startswith(
        "num_blocks is fixed while the engine runs; these can change: max_num_seqs,"
    )
    assert sentences[1] == "The engine stays as it was: max_num_seqs: Expected int >= 1."
    assert sentences[2].startswith("magic is fixed")
    assert sentences[3].startswith("The engine stays as it was: 2 requests run, and each needs one token")
    changed = [event for event in events if isinstance(event, Reconfigured)]
    assert [(event.step, event.engine.max_num_seqs) for event in changed] == [(6, 1)]
    state = fold([event for event in events if not isinstance(event, Declined)])
    assert state.config is not None
    assert state.config.max_num_seqs == 1
    assert state.num_output_tokens == 24  # who ran already stays


def test_aborting_the_last_request_ends_a_run_that_holds(scenario: Path) -> None:
    events, script = serve(Run(str(scenario), "torch", until=4), Abort(0), Abort(1))
    assert [event.reason for event in events if isinstance(event, Finished)] == ["aborted", "aborted"]
    assert isinstance(events[-1], RunEnded)
    assert script.commands == []


def test_a_run_that_stays_open_waits_for_prompts_until_it_is_stopped(scenario: Path) -> None:
    scenario.write_text(scenario.read_text() + "stays_open: true\n")
    events, script = serve(Run(str(scenario), "torch"), Add("late", "abc", 3), Stop())
    assert script.steps_when_held == [0, 15, 18, 18]
    assert fold(events).sequences[2].num_output_tokens == 3


@pytest.mark.parametrize("seed", range(6))
def test_whatever_changes_in_the_midst_of_a_run_answers_and_blocks_stay_right(seed: int) -> None:
    chance = random.Random(seed)
    bench = Bench(num_blocks=24, max_num_seqs=5)
    seqs = [
        bench.add(chance.randint(2, 14), chance.randint(3, 12), shared=chance.randint(0, 8))
        for _ in range(14)
    ]
    choices: dict[str, list[Any]] = {
        "max_num_seqs": [1, 2, 5, 8],
        "max_num_batched_tokens": [8, 16, 40],
        "admission": ["fcfs", "fair", "priority"],
        "composition": ["mixed", "prefill_first", "decode_first"],
        "max_prefill_chunk": [None, 1, 3],
        "max_num_waiting": [None, 20],
        "num_speculative_tokens": [0, 3],
        "max_num_speculating": [None, 2],
        "prefix_caching": [True, False],
        "batching": ["static", "continuous"],
    }
    assert choices.keys() == set(CHANGEABLE)
    while bench.engine.has_work:
        field = chance.choice(list(choices))
        bench.engine.configure({field: chance.choice(choices[field])})
        bench.step()
        bench.check_blocks()
        bench.check_fold()
    for seq in seqs:
        check_answer(seq)
    assert bench.of(Reconfigured)


def test_limits_keep_the_places_of_forks_and_of_a_request_that_waits() -> None:
    bench = Bench(max_num_batched_tokens=8)
    bench.add(20, 4, wish={"n": 3, "temperature": 1.0})
    bench.step()
    with pytest.raises(EngineError, match="3 requests run, and each needs one token"):
        bench.engine.configure({"max_num_batched_tokens": 2})
    bench.add(4, 4, wish={"beam_width": 6})
    with pytest.raises(EngineError, match="a request that waits becomes 6 sequences"):
        bench.engine.configure({"max_num_seqs": 5})
    bench.engine.configure({"max_num_seqs": 6})
    bench.run()
    bench.check_fold()


def test_a_change_that_is_refused_changes_nothing() -> None:
    bench = Bench()
    before = bench.engine.scheduler.config
    with pytest.raises(EngineError, match="block_size is fixed"):
        bench.engine.configure({"block_size": 4})
    assert bench.engine.scheduler.config is before
    assert not bench.of(Reconfigured)


def test_prompts_are_read_in_other_chunks_from_the_step_in_which_the_limit_changes() -> None:
    bench = Bench(max_num_batched_tokens=64)
    first = bench.add(40, 2)
    bench.engine.configure({"max_prefill_chunk": 6})
    for _ in range(3):
        bench.step()
    bench.engine.configure({"max_prefill_chunk": None})
    bench.run()
    chunks = [e.num_tokens for e in bench.of(Scheduled) if e.seq_id == first.seq_id and e.kind == "prefill"]
    assert chunks == [6, 6, 6, 22]
    check_answer(first)
