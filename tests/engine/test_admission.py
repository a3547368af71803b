"""Who enters next: the orders, and that nobody starves, in steps and in tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_engine.admission import ANSWER_WEIGHT, HEAD_START, PROMPT_WEIGHT
from ladder_engine.lab import scenario
from ladder_engine.lab.runner import run_scenario
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import Admitted, AnyEvent, Arrived, Preempted, Refused
from ladder_engine.tracing.fold import fold

from tests.engine.bench import Bench, check_answer


def order(bench: Bench) -> list[int]:
    return [event.seq_id for event in bench.of(Admitted)]


def one_at_a_time(**limits: object) -> Bench:
    return Bench(max_num_seqs=1, **limits)


def test_a_lower_priority_number_enters_sooner() -> None:
    bench = one_at_a_time(admission="priority")
    for priority in (0, 1, 0, -1, 1):
        bench.add(2, 3, priority=priority)
    bench.run()
    assert order(bench) == [3, 0, 2, 1, 4]


def test_without_a_policy_priorities_change_nothing() -> None:
    bench = one_at_a_time()
    for priority in (0, 1, 0, -1, 1):
        bench.add(2, 3, priority=priority)
    bench.run()
    assert order(bench) == [0, 1, 2, 3, 4]


def test_a_low_priority_waits_for_those_of_the_next_64_steps_and_then_no_longer() -> None:
    """With strict priorities it would wait as long as the stream lasts."""
    bench = one_at_a_time(admission="priority")
    low = bench.add(1, 1, priority=1)
    waited = 0
    while low.num_answer_tokens == 0:
        bench.add(1, 1, priority=0)  # one more urgent request before every step
        bench.step()
        waited += 1
        assert waited <= HEAD_START + 2
    assert waited >= HEAD_START


def test_a_flood_of_one_client_does_not_hold_up_another() -> None:
    bench = one_at_a_time(admission="fair")
    for _ in range(20):
        bench.add(3, 5, client="flood")
    bench.step()
    late = bench.add(3, 5, client="other")
    bench.run()
    assert order(bench).index(late.seq_id) == 1
    by_arrival = one_at_a_time()
    for index in range(21):
        by_arrival.add(3, 5, client="flood" if index < 20 else "other")
    by_arrival.run()
    assert order(by_arrival).index(20) == 20


def test_a_pause_saves_nothing_up() -> None:
    """Whoever comes back is served next to the others, not instead of them until it has caught up."""
    bench = one_at_a_time(admission="fair")
    for _ in range(30):
        bench.add(2, 4, client="steady")
    for _ in range(60):
        bench.step()
    for _ in range(10):
        bench.add(2, 4, client="returns")
    seen = len(order(bench))
    bench.run()
    clients = ["returns" if seq_id >= 30 else "steady" for seq_id in order(bench)[seen:]]
    assert all(
        client in pair
        for pair in zip(clients[:14:2], clients[1:14:2], strict=True)
        for client in ("returns", "steady")
    )


def test_a_client_that_is_new_owes_nothing_and_is_owed_nothing() -> None:
    """It starts where the others stand, also when nobody waits at that moment."""
    bench = one_at_a_time(admission="fair")
    for _ in range(10):
        bench.add(2, 8, client="old")
        bench.run()
    for _ in range(5):
        bench.add(2, 8, client="new")
        bench.add(2, 8, client="old")
    bench.run()
    assert sorted(seq_id % 2 for seq_id in order(bench)[10:14]) == [0, 0, 1, 1]


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 8), st.integers(1, 10)), min_size=24, max_size=24),
    places=st.integers(1, 3),
)
def test_two_clients_with_work_waiting_are_never_further_apart_than_the_bound(
    sizes: list[tuple[int, int]], places: int
) -> None:
    """Theorem of the paper: at most twice the larger of the longest prompt and of what the batch can owe in answers."""
    bench = Bench(max_num_seqs=places, admission="fair")
    for index, (prompt, answer) in enumerate(sizes):
        bench.add(prompt, answer, client=("ada", "ben")[index < 8])
    served = bench.engine.scheduler.admission.served
    bound = 2 * max(PROMPT_WEIGHT * 8, ANSWER_WEIGHT * places * 18)
    while {seq.client for seq in bench.engine.scheduler.waiting} == {"ada", "ben"}:
        bench.step()
        assert abs(served["ada"] - served["ben"]) <= bound
    bench.run()
    for client in ("ada", "ben"):
        mine = [size for index, size in enumerate(sizes) if ("ada", "ben")[index < 8] == client]
        assert served[client] == sum(
            PROMPT_WEIGHT * prompt + ANSWER_WEIGHT * answer for prompt, answer in mine
        )


@pytest.mark.parametrize("admission", ["fcfs", "fair"])
def test_the_preempted_come_back_before_anybody_new_and_are_charged_once(admission: str) -> None:
    bench = Bench(num_blocks=4, block_size=2, admission=admission)
    seqs = [bench.add(3, 5, client="ada"), bench.add(3, 3, client="ada")]
    bench.step()
    late = bench.add(2, 2, client="ben", priority=-1)
    bench.run()
    preempted = {event.seq_id for event in bench.of(Preempted)}
    assert preempted == {seqs[1].seq_id}
    assert order(bench) == [0, 1, 1, late.seq_id]
    assert bench.engine.scheduler.admission.served["ada"] == PROMPT_WEIGHT * 6 + ANSWER_WEIGHT * 8
    for seq in (*seqs, late):
        check_answer(seq)


def test_when_blocks_run_out_the_least_urgent_is_preempted_wherever_it_stands_and_comes_back_last() -> None:
    bench = Bench(num_blocks=6, block_size=2, admission="priority")
    low, high = bench.add(3, 7, priority=1), bench.add(3, 7, priority=0)
    bench.step()
    urgent = bench.add(2, 6, priority=-1)
    bench.run()
    assert next(event.seq_id for event in bench.of(Preempted)) == low.seq_id
    assert {event.seq_id for event in bench.of(Preempted)} <= {low.seq_id, high.seq_id}
    assert order(bench)[-1] == low.seq_id
    for seq in (low, high, urgent):
        check_answer(seq)


def test_those_behind_say_so() -> None:
    bench = one_at_a_time(admission="priority")
    bench.add(2, 6)
    bench.step()
    later, sooner = bench.add(2, 2, priority=1), bench.add(2, 2)
    bench.step()
    assert (sooner.wait_reason, later.wait_reason) == ("max_num_seqs", "behind_priority")
    bench.check_fold()


def test_who_meets_a_full_queue_is_refused_with_the_reason_and_the_next_one_is_not() -> None:
    bench = one_at_a_time(max_num_waiting=2)

    def arrive() -> Sequence:
        return bench.add(2, 3)

    first, second, third = arrive(), arrive(), arrive()
    bench.step()
    fourth, fifth = arrive(), arrive()
    bench.check_fold()
    bench.run()
    refused = {event.seq_id: event.reason for event in bench.of(Refused)}
    assert refused == {
        third.seq_id: "r2 arrives while 2 wait, and max_num_waiting allows no more.",
        fifth.seq_id: "r4 arrives while 2 wait, and max_num_waiting allows no more.",
    }
    for seq in (first, second, fourth):
        check_answer(seq)


def test_a_scenario_names_clients_and_priorities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkpoint: Path
) -> None:
    monkeypatch.setattr(scenario, "find_model", lambda name, models_dir: checkpoint)
    path = tmp_path / "case.yaml"
    path.write_text(
        "id: case\ntitle: t\nstory: s\nlook_at: []\n"
        "engine: {num_blocks: 8, max_num_seqs: 1, max_num_batched_tokens: 32, max_model_len: 64, admission: priority}\n"
        "requests:\n- {name: a, prompt: abc, max_tokens: 3, client: ada, priority: 5}\n"
        "- {name: b, prompt: abc, max_tokens: 3, client: ben}\n"
    )
    events: list[AnyEvent] = []
    run_scenario(path, events.extend, "torch")
    assert [(e.client, e.priority) for e in events if isinstance(e, Arrived)] == [("ada", 5), ("ben", 0)]
    assert [event.seq_id for event in events if isinstance(event, Admitted)] == [1, 0]
    assert fold(events).ended is not None
