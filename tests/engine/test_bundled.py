"""The bundled scenarios on the bundled model: what each story tells people to look at must really happen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.text import plain_text
from ladder_engine.lab.runner import run_scenario
from ladder_engine.lab.scenario import find_scenario
from ladder_engine.models import find_model
from ladder_engine.tracing.events import (
    Admitted,
    AnyEvent,
    BlocksEvicted,
    BlocksFreed,
    BlocksShared,
    Event,
    Finished,
    Preempted,
    Scheduled,
    Waits,
)
from ladder_engine.tracing.fold import RunState, fold
from ladder_engine.tracing.summary import summarize_state
from ladder_engine.training.acceptance import measure, questions
from ladder_engine.weights.model_config import ModelConfig

E = TypeVar("E", bound=Event)


class Watched:
    def __init__(self, name: str) -> None:
        self.events: list[AnyEvent] = []
        run_scenario(find_scenario(name), self.events.extend, "torch")
        self.state: RunState = fold(self.events)
        self.ids = {seq.name: seq.seq_id for seq in self.state.sequences.values()}

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def scheduled(self, name: str) -> list[Scheduled]:
        return [event for event in self.of(Scheduled) if event.seq_id == self.ids[name]]


@pytest.fixture(scope="module")
def short_chats() -> Watched:
    return Watched("short-chats")


@pytest.fixture(scope="module")
def long_prompt() -> Watched:
    return Watched("long-prompt")


@pytest.fixture(scope="module")
def more_than_fits() -> Watched:
    return Watched("more-than-fits")


@pytest.fixture(scope="module")
def shared_prompt() -> Watched:
    return Watched("shared-prompt")


def test_everybody_is_answered_in_a_run_of_watchable_length(
    short_chats: Watched, long_prompt: Watched, more_than_fits: Watched, shared_prompt: Watched
) -> None:
    for run in (short_chats, long_prompt, more_than_fits, shared_prompt):
        assert 60 <= len(run.state.steps) <= 200
        assert all(seq.finish_reason in ("stop", "length") for seq in run.state.sequences.values())
        assert all(seq.text for seq in run.state.sequences.values())


def test_short_chats_mix_prefill_with_decode_and_reuse_blocks_at_once(short_chats: Watched) -> None:
    mixed = [
        step for step in short_chats.state.steps if {work.kind for work in step.work} == {"prefill", "decode"}
    ]
    assert len(mixed) >= 6
    assert len({event.step for event in short_chats.of(Finished)}) >= 8
    freed = {(event.seq_id, event.step) for event in short_chats.of(BlocksFreed)}
    assert freed == {(event.seq_id, event.step) for event in short_chats.of(Finished)}


def test_the_ninth_chat_waits_for_a_place_while_blocks_are_free(short_chats: Watched) -> None:
    waits = [event for event in short_chats.of(Waits) if event.reason == "max_num_seqs"]
    assert waits
    assert all(short_chats.state.steps[event.step - 1].num_free_blocks > 8 for event in waits)
    assert max(len(step.work) for step in short_chats.state.steps) == 8


def test_chats_do_not_miss_a_step_while_the_long_prompt_is_read(long_prompt: Watched) -> None:
    chunks = [event for event in long_prompt.scheduled("the long report") if event.kind == "prefill"]
    assert len(chunks) >= 8
    for name in ("ada", "ben", "cleo", "dan", "eve"):
        decoded = {event.step for event in long_prompt.scheduled(name) if event.kind == "decode"}
        assert {event.step for event in chunks} <= decoded, name
    assert [event.num_tokens for event in chunks[:-1]] == [32 - 5] * (len(chunks) - 1)


def test_those_who_come_after_the_long_prompt_wait_for_token_budget(long_prompt: Watched) -> None:
    last = max(event.step for event in long_prompt.scheduled("the long report") if event.kind == "prefill")
    admitted = {event.seq_id: event.step for event in long_prompt.of(Admitted)}
    assert all(admitted[long_prompt.ids[name]] >= last for name in ("finn", "gwen", "hugo"))
    assert "token_budget" in {event.reason for event in long_prompt.of(Waits)}


def test_the_pool_fills_and_the_youngest_are_preempted_but_never_the_oldest(more_than_fits: Watched) -> None:
    assert min(step.num_free_blocks for step in more_than_fits.state.steps) == 0
    preempted = [event.seq_id for event in more_than_fits.of(Preempted)]
    assert len(preempted) >= 3
    assert 0 not in preempted
    again = [
        event for event in more_than_fits.of(Scheduled) if event.seq_id in preempted and event.start == 0
    ]
    assert all(event.kind == "prefill" for event in again)
    assert len(again) > len(set(preempted))
    computed = sum(step.num_tokens for step in more_than_fits.state.steps)
    needed = sum(seq.num_tokens - 1 for seq in more_than_fits.state.sequences.values())
    assert computed > needed


def test_the_instructions_are_computed_once_and_shared_by_all_but_the_other_tenant(
    shared_prompt: Watched,
) -> None:
    sequences = shared_prompt.state.sequences
    found = {name: sequences[seq_id].num_cached_tokens for name, seq_id in shared_prompt.ids.items()}
    sharers = {"ben", "cleo", "dan", "eve", "finn", "gwen", "ivy"}
    assert {name for name, tokens in found.items() if tokens} == sharers
    for name in sharers:
        assert found[name] >= 0.65 * sequences[shared_prompt.ids[name]].num_prompt_tokens, name
        assert shared_prompt.scheduled(name)[0].num_tokens <= 48, "the rest fits into one step"
    assert len({event.block_ids[:6] for event in shared_prompt.of(BlocksShared)}) == 1


def test_several_own_the_instructions_at_once_and_nobody_waits(shared_prompt: Watched) -> None:
    most = 0
    state = RunState()
    for step in range(len(shared_prompt.state.steps) + 1):
        state = fold([event for event in shared_prompt.events if event.step == step], state)
        most = max([most, *(len(owners) for owners in state.shared.values())])
    assert most >= 5
    assert not shared_prompt.of(Waits)


def test_for_the_strangers_the_longest_unused_blocks_go_and_the_instructions_stay(
    shared_prompt: Watched,
) -> None:
    evicted = {block for event in shared_prompt.of(BlocksEvicted) for block in event.block_ids}
    stranger = shared_prompt.scheduled("stranger one")[0].step
    assert all(event.step >= stranger for event in shared_prompt.of(BlocksEvicted))
    assert evicted
    instructions = shared_prompt.of(BlocksShared)[0].block_ids[:6]
    assert not evicted & set(instructions)
    assert set(instructions) <= set(shared_prompt.state.cached)


def test_without_the_cache_the_same_is_said_at_a_higher_price(shared_prompt: Watched) -> None:
    events: list[AnyEvent] = []
    run_scenario(find_scenario("shared-prompt"), events.extend, "torch", variant="cache off")
    without = fold(events)
    said = {seq.name: seq.text for seq in without.sequences.values()}
    assert said == {seq.name: seq.text for seq in shared_prompt.state.sequences.values()}
    dear, cheap = summarize_state(without), summarize_state(shared_prompt.state)
    assert dear.computed_tokens - dear.recomputed_tokens - cheap.computed_tokens == cheap.cached_tokens > 600
    assert cheap.recomputed_tokens == 0


def test_asked_a_cards_question_the_model_answers_in_the_words_of_the_lesson(more_than_fits: Watched) -> None:
    """Most runs of four words that it says stand in the text of the pack."""
    words = plain_text(load_pack(bundled_pack()).studies).split()
    lesson = {tuple(words[at : at + 4]) for at in range(len(words) - 3)}
    for name in ("prefill and decode", "paging", "admission", "scale"):
        said = more_than_fits.state.sequences[more_than_fits.ids[name]].text.split()
        runs = [tuple(said[at : at + 4]) for at in range(len(said) - 4)]  # the last word may be cut
        assert len(runs) >= 20
        assert sum(run in lesson for run in runs) >= 0.6 * len(runs), name


@pytest.mark.parametrize("name", ["ladder-3m", "ladder-draft"])
def test_a_bundled_model_says_how_it_was_made(name: str) -> None:
    folder: Path = find_model(name)
    record = json.loads((folder / "training.json").read_text("utf-8"))
    assert {"seed", "stages"} <= set(record["recipe"])
    assert record["bytes"] == (folder / "model.safetensors").stat().st_size
    assert record["last_loss"] < record["first_loss"] / 4
    assert ModelConfig.load(folder).num_key_value_heads >= 4


def test_the_bundled_models_are_small_and_share_a_tokenizer() -> None:
    folders = [find_model(name) for name in ("ladder-3m", "ladder-draft")]
    assert sum((folder / "model.safetensors").stat().st_size for folder in folders) <= 12 * 2**20
    first, second = ((folder / "tokenizer.json").read_bytes() for folder in folders)
    assert first == second


def test_the_draft_is_accepted_where_it_has_read_the_text_and_hardly_elsewhere() -> None:
    """The record is recounted on a few cards of either kind."""
    record = json.loads((find_model("ladder-draft") / "training.json").read_text("utf-8"))["acceptance"]
    corpus = plain_text(load_pack(bundled_pack()).studies)
    rates = []
    for seen, name in ((True, "cards it has read"), (False, "cards it has not read")):
        counted = measure(questions(corpus, seen=seen)[:6])
        told = record[name]
        assert told["num_accepted_tokens"] == sum(told["accepted_per_pos"])
        assert told["acceptance_rate"] == round(told["num_accepted_tokens"] / told["num_draft_tokens"], 3)
        assert counted["acceptance_rate"] == pytest.approx(told["acceptance_rate"], abs=0.2)
        rates.append(counted["acceptance_rate"])
    assert rates[0] > 3 * rates[1]
