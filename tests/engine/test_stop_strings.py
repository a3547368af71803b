"""Stop strings against a reader who takes the text letter by letter, and in the engine across token boundaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_engine.sampling import SamplingParams
from ladder_engine.stop_strings import StopStrings
from ladder_engine.tracing.events import Finished, Sampled

PIECES = st.lists(st.text("ab", max_size=4), max_size=8)
STOPS = st.lists(st.text("ab", min_size=1, max_size=4), max_size=3).map(tuple)


def letter_by_letter(text: str, stops: tuple[str, ...]) -> tuple[str, bool]:
    for end in range(1, len(text) + 1):
        found = [stop for stop in stops if text[:end].endswith(stop)]
        if found:
            return text[: end - max(map(len, found))], True
    return text, False


@given(PIECES, STOPS)
def test_the_pieces_do_not_matter(pieces: list[str], stops: tuple[str, ...]) -> None:
    """vllm #3574, #3672: a stop string over several tokens leaked its head, or was missed."""
    stream, said, stopped = StopStrings(stops), "", False
    expected = letter_by_letter("".join(pieces), stops)
    for index, piece in enumerate(pieces):
        text, stopped = stream.push(piece, last=index == len(pieces) - 1)
        said += text
        assert expected[0].startswith(said), "nothing is taken back"
        if stopped:
            break
    assert (said, stopped) == expected


@given(PIECES, STOPS)
def test_no_more_is_held_back_than_could_become_a_stop_string(
    pieces: list[str], stops: tuple[str, ...]
) -> None:
    stream, said, text = StopStrings(stops), "", ""
    for piece in pieces:
        text += piece
        new, stopped = stream.push(piece)
        said += new
        if stopped:
            return
        held = text[len(said) :]
        assert not held or any(stop.startswith(held) for stop in stops)


GREEDY = SamplingParams(ignore_eos=True)


def ask(box: Any, sampling: SamplingParams, max_tokens: int = 40) -> tuple[Any, str]:
    seq = box.engine.add("r", "What is the KV cache?", max_tokens, sampling)
    box.run()
    return seq, "".join(e.text for e in box.events if isinstance(e, Sampled) and e.seq_id == seq.seq_id)


def test_an_answer_ends_before_its_stop_string_in_the_middle_of_any_token(
    machine: Callable[..., Any],
) -> None:
    box = machine()
    free, text = ask(box, GREEDY, max_tokens=100)
    tried = 0
    for at in range(8, len(text) - 3):
        stop = text[at : at + 3]
        if "\ufffd" in stop or tried == 10:
            continue
        first = text.find(stop)
        seq, said = ask(box, SamplingParams(ignore_eos=True, stop=(stop, "never said")), max_tokens=100)
        assert (said, seq.finish_reason) == (text[:first], "stop"), stop
        assert seq.answer == free.answer[: seq.num_answer_tokens]
        assert stop not in box.tokenizer.decode(seq.answer[:-1])
        assert stop in box.tokenizer.decode(seq.answer)
        tried += 1
    assert tried >= 8


def test_what_was_held_back_is_said_when_the_answer_ends_otherwise(machine: Callable[..., Any]) -> None:
    box = machine()
    _, text = ask(box, GREEDY, max_tokens=12)
    seq, said = ask(box, SamplingParams(ignore_eos=True, stop=(text[-2:] + "and more",)), max_tokens=12)
    assert (said, seq.finish_reason) == (text, "length")


def test_a_request_may_name_tokens_that_end_it(machine: Callable[..., Any]) -> None:
    box = machine()
    free, _ = ask(box, GREEDY)
    last = free.answer[9]
    first = free.answer.index(last)
    seq, _ = ask(box, SamplingParams(ignore_eos=True, stop_token_ids=(319, last)))
    assert (seq.answer, seq.finish_reason) == (free.answer[: first + 1], "stop")
    assert [event.reason for event in box.events if isinstance(event, Finished)] == ["length", "stop"]


@pytest.mark.parametrize("limits", [{"num_blocks": 9, "block_size": 8}, {"max_num_batched_tokens": 5}])
def test_stopping_survives_preemption_and_chunks(machine: Callable[..., Any], limits: dict[str, int]) -> None:
    box = machine()
    _, text = ask(box, GREEDY)
    stop = text[20:24]
    crowded = machine(**limits)
    others = [crowded.engine.add(f"o{i}", "Continuous batching fills a slot.", 30, GREEDY) for i in range(3)]
    seq, said = ask(crowded, SamplingParams(ignore_eos=True, stop=(stop,)))
    assert (said, seq.finish_reason) == (text[: text.find(stop)], "stop")
    assert all(other.finish_reason == "length" for other in others)
