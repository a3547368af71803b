"""Static batching and slabs: what they are, and what they waste."""

from __future__ import annotations

import pytest
from ladder_engine.config import EngineConfig
from ladder_engine.tracing.events import Admitted, Finished, Scheduled, Waits
from ladder_engine.tracing.summary import summarize_state

from tests.engine.bench import Bench, check_answer

LENGTHS = [3, 20, 4, 5, 12, 3]


def test_a_static_batch_lets_nobody_in_until_its_longest_member_is_done() -> None:
    bench = Bench(batching="static", max_num_seqs=3)
    seqs = [bench.add(2, length) for length in LENGTHS]
    bench.run()
    admitted = {event.seq_id: event.step for event in bench.of(Admitted)}
    finished = {event.seq_id: event.step for event in bench.of(Finished)}
    assert [admitted[seq.seq_id] for seq in seqs] == [1, 1, 1, 21, 21, 21]
    assert [finished[seq.seq_id] for seq in seqs] == [3, 20, 4, 25, 32, 23]
    assert {event.reason for event in bench.of(Waits)} == {"max_num_seqs", "static_batch", "behind_earlier"}
    for seq in seqs:
        check_answer(seq)


def test_continuous_batching_says_the_same_in_fewer_steps() -> None:
    steps, answers = {}, {}
    for batching in ("static", "continuous"):
        bench = Bench(batching=batching, max_num_seqs=3)
        seqs = [bench.add(2, length) for length in LENGTHS]
        steps[batching] = bench.run()
        answers[batching] = [seq.answer for seq in seqs]
        assert sum(event.num_tokens for event in bench.of(Scheduled)) == sum(length + 1 for length in LENGTHS)
    assert answers["static"] == answers["continuous"]
    assert steps == {"static": 32, "continuous": 20}


def test_who_arrives_in_the_middle_of_a_static_batch_waits_and_says_why() -> None:
    bench = Bench(batching="static")
    bench.add(2, 6)
    bench.step()
    late = bench.add(2, 2)
    bench.step()
    assert late.wait_reason == "static_batch"
    bench.run()
    check_answer(late)


def test_a_slab_holds_max_model_len_for_everybody_and_most_of_it_stays_empty() -> None:
    found = {}
    for layout in ("paged", "slab"):
        bench = Bench(kv_layout=layout, num_blocks=16, block_size=4, max_model_len=32, max_num_seqs=8)
        seqs = [bench.add(4, 4) for _ in range(6)]
        bench.run()
        bench.check_fold()
        for seq in seqs:
            check_answer(seq)
        most = max(len(step.work) for step in bench.state.steps)
        found[layout] = (most, round(summarize_state(bench.state).kv_filled, 2))
    assert found == {"paged": (6, 0.75), "slab": (2, 0.16)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"num_blocks": 9}, "takes 8 blocks for each sequence of max_model_len 32, and num_blocks 9"),
        ({"prefix_caching": True}, "prefix_caching must be off"),
    ],
)
def test_a_slab_that_cannot_be_is_refused_in_one_sentence(change: dict[str, int], words: str) -> None:
    sizes = {"num_blocks": 16, "block_size": 4, "max_model_len": 32, "max_num_seqs": 2,
             "max_num_batched_tokens": 8, "kv_layout": "slab"}  # fmt: skip
    with pytest.raises(ValueError, match=words):
        EngineConfig(**(sizes | change))
