"""Several answers of one request, and beam search: who shares which block, who copies it, and what is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.sampling import SamplingParams
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import (
    BlocksCopied,
    Chosen,
    Finished,
    Forked,
    Preempted,
    Refused,
    Sampled,
    Scheduled,
)

from tests.engine.bench import Bench, check_answer, check_search, find


def family(seq: Sequence) -> list[Sequence]:
    return [seq, *seq.forks]


def several(bench: Bench, num_prompt_tokens: int, max_tokens: int, n: int, **more: Any) -> Sequence:
    return bench.add(num_prompt_tokens, max_tokens, wish={"n": n, "temperature": 1.0}, **more)


def test_answers_share_the_prompt_and_whoever_writes_first_copies_the_block_that_is_not_full() -> None:
    bench = Bench(block_size=4)
    seq = several(bench, 6, 5, n=3)
    bench.step()
    forked = bench.of(Forked)
    assert [(e.parent_id, e.name, e.block_ids, e.num_tokens) for e in forked] == [
        (0, "r0 #2", tuple(seq.block_table), 6),
        (0, "r0 #3", tuple(seq.block_table), 6),
    ]
    full, partial = seq.block_table
    pool = bench.engine.scheduler.pool
    assert (pool.ref_counts[full], pool.ref_counts[partial]) == (3, 3)
    bench.check_fold()
    bench.step()
    copied = bench.of(BlocksCopied)
    assert [event.seq_id for event in copied] == [0, 1], "the last owner writes into the block itself"
    assert all(event.pairs[0][0] == partial for event in copied)
    assert [one.block_table[0] for one in family(seq)] == [full] * 3
    assert len({one.block_table[1] for one in family(seq)}) == 3
    assert (pool.ref_counts[full], pool.ref_counts[partial]) == (3, 1)
    bench.check_blocks()
    bench.check_fold()
    bench.run()
    for one in family(seq):
        check_answer(one)
    assert len({tuple(one.answer) for one in family(seq)}) == 3
    assert bench.engine.scheduler.pool.num_free == 64


def test_a_prompt_that_fills_its_blocks_is_shared_without_a_copy() -> None:
    bench = Bench(block_size=4)
    seq = several(bench, 8, 9, n=4)
    bench.run()
    assert not bench.of(BlocksCopied)
    for one in family(seq):
        check_answer(one)


def test_the_prompt_is_computed_once_for_all_answers() -> None:
    bench = Bench(max_num_batched_tokens=64)
    several(bench, 40, 3, n=5)
    bench.step()
    assert [event.num_tokens for event in bench.of(Scheduled)] == [40]
    assert [event.seq_id for event in bench.of(Sampled)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "limits", [{}, {"num_blocks": 9}, {"max_num_batched_tokens": 4}, {"prefix_caching": True}]
)
def test_each_answer_is_what_its_seed_says_alone(limits: dict[str, Any]) -> None:
    bench = Bench(**limits)
    seqs = [several(bench, 5, 8, n=3), several(bench, 3, 9, n=2, ignore_eos=False), bench.add(4, 8)]
    for _ in bench.steps():
        bench.check_blocks()
        bench.check_fold()
    assert bool(bench.of(Preempted)) == (limits.get("num_blocks") == 9)
    for seq in seqs:
        for one in family(seq):
            check_answer(one)


def test_places_are_kept_for_the_answers_to_come() -> None:
    bench = Bench(max_num_seqs=4, max_num_batched_tokens=4)
    wide = several(bench, 9, 3, n=3)
    other = bench.add(2, 9)
    late = bench.add(2, 2)
    while not wide.forks:
        bench.step()
        assert late.wait_reason != "token_budget"
    assert bench.engine.scheduler.running == [wide, *wide.forks, other]
    assert late.wait_reason == "max_num_seqs"
    bench.run()
    check_answer(late)


@pytest.mark.parametrize(
    ("wish", "limits", "words"),
    [
        ({"n": 9}, {}, "becomes 9 sequences, and max_num_seqs and max_num_batched_tokens let 8 run"),
        ({"n": 2}, {"kv_layout": "slab", "num_blocks": 64}, "kv_layout slab shares none"),
        (
            {"beam_width": 4},
            {"num_blocks": 15},
            "needs 16 blocks of 2 tokens (3 prompt tokens and up to 5 more",
        ),
    ],
)
def test_what_can_never_fork_is_refused(wish: dict[str, int], limits: dict[str, Any], words: str) -> None:
    bench = Bench(**limits)
    bench.add(3, 5, wish=wish)
    bench.check_fold()
    (refused,) = bench.of(Refused)
    assert words in refused.reason
    assert not bench.engine.has_work


@pytest.mark.parametrize(
    "wish", [{"temperature": 1.0}, {"stop": ("a",)}, {"n": 5}, {"presence_penalty": 1.0}]
)
def test_a_beam_search_that_makes_no_sense_is_refused_in_one_sentence(wish: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="beam"):
        SamplingParams(beam_width=4, **wish)


def test_abort_of_one_answer_leaves_the_others_and_abort_of_a_beam_ends_the_search() -> None:
    bench = Bench(block_size=4)
    seq = several(bench, 6, 6, n=3)
    beam = bench.add(6, 6, wish={"beam_width": 2})
    for _ in range(3):
        bench.step()
    bench.engine.abort(seq.forks[0].seq_id)
    bench.engine.abort(beam.forks[0].seq_id)
    bench.check_blocks()
    bench.check_fold()
    bench.run()
    check_answer(seq)
    check_answer(seq.forks[1])
    aborted = {event.seq_id for event in bench.of(Finished) if event.reason == "aborted"}
    assert aborted == {seq.forks[0].seq_id, beam.seq_id, beam.forks[0].seq_id}
    assert bench.engine.scheduler.pool.num_free == 64


LIMITS = [{}, {"tight": True}, {"max_num_batched_tokens": 4}, {"prefix_caching": True, "tight": True}]


@pytest.mark.parametrize("limits", LIMITS, ids=["roomy", "preempted", "chunked", "cached"])
@pytest.mark.parametrize(
    ("width", "penalty", "ignore_eos"), [(4, 1.0, False), (3, 0.0, False), (2, -1.0, True)]
)
def test_a_beam_search_finds_what_a_plain_one_finds(
    limits: dict[str, Any], width: int, penalty: float, ignore_eos: bool
) -> None:
    tight = limits.get("tight", False)  # room for one search, and hardly more
    more = {"prefix_caching": limits.get("prefix_caching", False), "num_blocks": 5 * width + 1 if tight else 64,
            "max_num_batched_tokens": limits.get("max_num_batched_tokens", 16)}  # fmt: skip
    bench = Bench(block_size=3, max_num_seqs=16, **more)
    wish = {"beam_width": width, "n": width, "length_penalty": penalty}
    seqs = [bench.add(size, 9, ignore_eos, wish=wish) for size in (4, 7, 3)]
    other = bench.add(5, 12)
    for _ in bench.steps():
        bench.check_blocks()
        bench.check_fold()
    check_answer(other)
    assert bool(bench.of(Preempted)) == tight
    for seq in seqs:
        expected = find(seq, width, penalty)
        check_search(seq, width, penalty)
        chosen = {event.seq_id: event for event in bench.of(Chosen)}
        for one, (score, _) in zip(family(seq), expected, strict=True):
            assert chosen[one.seq_id].score == pytest.approx(score)
            assert bench.state.sequences[one.seq_id].text == "".join(chr(97 + token) for token in one.answer)


def test_answers_of_one_token_are_as_many_as_were_asked_for() -> None:
    bench = Bench()
    seq = bench.add(3, 1, wish={"beam_width": 3, "n": 3})
    bench.run()
    bench.check_fold()
    check_search(seq)
    assert [len(one.answer) for one in family(seq)] == [1, 1, 1]


def test_beams_that_nobody_needs_are_dropped_and_the_answer_is_the_best() -> None:
    bench = Bench()
    wish = {"beam_width": 4}
    seq = bench.add(4, 6, wish=wish)
    bench.run()
    reasons = [one.finish_reason for one in family(seq)]
    assert reasons[0] in ("stop", "length")
    assert reasons[1:] == ["dropped"] * 3
    bench.check_fold()
    assert bench.state.num_output_tokens == len(seq.answer)


def test_a_wide_search_finds_the_likeliest_of_all_answers(
    machine: Callable[..., Any], make_checkpoint: Any
) -> None:
    """With as many beams as there are beginnings it is exhaustive: brute force over every answer of three tokens."""
    folder = make_checkpoint()
    box = machine(folder=folder)
    model: Any = torch_llama(folder)
    prompt = box.tokenizer.encode("Continuous batching")
    first = [token for token, _ in follow(model, prompt, 12)]
    seq = box.engine.add("wide", "Continuous batching", 2, SamplingParams(beam_width=12, ignore_eos=True))
    box.run()
    best = max(
        (
            (logprob + after, [token, then])
            for token, logprob in follow(model, prompt, 12)
            for then, after in follow(model, [*prompt, token], 320)
        )
    )
    assert seq.answer == best[1]
    assert seq.answer[0] in first


def torch_llama(folder: Path) -> Any:
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")


def follow(model: Any, tokens: list[int], many: int) -> list[tuple[int, float]]:
    with torch.no_grad():
        best = model(torch.tensor([tokens])).logits[0, -1].log_softmax(-1).topk(many)
    return list(zip(best.indices.tolist(), best.values.tolist(), strict=True))


@pytest.mark.parametrize(("width", "penalty"), [(3, 1.0), (4, 0.5)])
@pytest.mark.parametrize(
    "limits", [{}, {"num_blocks": 60, "block_size": 3, "max_num_batched_tokens": 7}], ids=["roomy", "tight"]
)
def test_beams_say_what_transformers_says(
    machine: Callable[..., Any], checkpoint: Path, width: int, penalty: float, limits: dict[str, Any]
) -> None:
    model = torch_llama(checkpoint)
    box = machine(**limits)
    texts = ["What is the KV cache?", "a", "Continuous batching fills a slot."]
    wish = SamplingParams(beam_width=width, n=width, length_penalty=penalty)
    seqs = [box.engine.add(text, text, 12, wish) for text in texts]
    box.run()
    for text, seq in zip(texts, seqs, strict=True):
        prompt = box.tokenizer.encode(text)
        found = model.generate(
            torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False,
            max_new_tokens=12, num_beams=width, num_return_sequences=width, length_penalty=penalty,
            early_stopping="never", eos_token_id=0, pad_token_id=0,
        )  # fmt: skip
        said = [row[len(prompt) :].tolist() for row in found]
        said = [row[: row.index(0) + 1] if 0 in row else row for row in said]
        assert [one.answer for one in family(seq)] == said, text
        for one in family(seq):
            told = next(e for e in box.events if isinstance(e, Chosen) and e.seq_id == one.seq_id)
            assert told.text == box.tokenizer.decode(one.answer)
