from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_engine.tokenizer import Tokenizer


def pieces(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    stream = tokenizer.stream()
    return [stream.push(token, last=index == len(ids) - 1) for index, token in enumerate(ids)]


@pytest.fixture(scope="module")
def byte_level(checkpoint: Path) -> Tokenizer:
    return Tokenizer.load(checkpoint)


@pytest.fixture(scope="module")
def sentencepiece_like() -> Tokenizer:
    """As Llama 2 has it: spaces are part of the token, the first one is dropped, rare characters fall back to bytes."""
    vocabulary = {"<unk>": 0, **{f"<0x{byte:02X}>": 1 + byte for byte in range(256)}}
    for word in ("▁", "▁block", "▁table", "s", "▁the", "é"):
        vocabulary[word] = len(vocabulary)
    backend = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True)
    )
    decoders = tokenizers.decoders
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return Tokenizer(backend)


# The name of a special token, written out, is that token, and says nothing.
PLAIN = st.text(max_size=30).filter(lambda text: "<|end|>" not in text)


@settings(max_examples=300, deadline=None)
@given(ids=st.lists(st.integers(0, 319), max_size=40))
def test_pieces_of_any_tokens_are_the_text(byte_level: Tokenizer, ids: list[int]) -> None:
    assert "".join(pieces(byte_level, ids)) == byte_level.decode(ids)


@settings(max_examples=100, deadline=None)
@given(text=PLAIN)
def test_pieces_of_real_text_are_the_text_and_never_half_a_character(
    byte_level: Tokenizer, text: str
) -> None:
    parts = pieces(byte_level, byte_level.encode(text))
    assert "".join(parts) == text
    assert "\ufffd" in text or not any("\ufffd" in part for part in parts)


def test_a_special_token_that_is_written_out_says_nothing(byte_level: Tokenizer) -> None:
    ids = byte_level.encode("so<|end|>on")
    assert len(ids) < len(byte_level.encode("so<|enx|>on"))
    assert "".join(pieces(byte_level, ids)) == byte_level.decode(ids) == "soon"


def test_what_is_remembered_of_a_text_has_a_bound(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder_engine.tokenizer._MOST_KNOWN", 5)
    tokenizer = Tokenizer.load(checkpoint)
    ids = tokenizer.encode(
        "A block table says where the KV lives, a block at a time: é, 漢字 and é again. " * 3
    )
    for _ in range(2):
        assert "".join(pieces(tokenizer, ids)) == tokenizer.decode(ids)
        assert sum(len(place.after) for place in tokenizer._places.values()) <= 5


@settings(max_examples=100, deadline=None)
@given(text=PLAIN)
def test_a_prompt_is_cut_where_its_tokens_meet(byte_level: Tokenizer, text: str) -> None:
    ids, lengths = byte_level.cut(text)
    assert ids == byte_level.encode(text)
    assert len(lengths) == len(ids)
    assert sum(lengths) == len(text)
    at = 0
    for number, length in enumerate(lengths):
        at += length
        whole = byte_level.decode(ids[: number + 1])
        assert "\ufffd" in whole or whole == text[:at], "up to here the tokens say just this"


WORD = st.integers(257, 262).map(lambda token: [token])
CHARACTER = st.characters(codec="utf-8").map(lambda letter: [1 + byte for byte in letter.encode()])


@settings(max_examples=300, deadline=None)
@given(units=st.lists(WORD | CHARACTER, max_size=20))
def test_tokenizers_that_treat_the_first_space_differently(
    sentencepiece_like: Tokenizer, units: list[list[int]]
) -> None:
    ids = [token for unit in units for token in unit]
    assert "".join(pieces(sentencepiece_like, ids)) == sentencepiece_like.decode(ids)


def test_text_comes_as_soon_as_its_character_is_whole(byte_level: Tokenizer) -> None:
    ids = byte_level.encode("a語b")
    assert len(ids) == 5
    assert pieces(byte_level, ids) == ["a", "", "", "語", "b"]


def test_special_tokens_are_left_out(byte_level: Tokenizer) -> None:
    assert pieces(byte_level, [*byte_level.encode("a"), 0]) == ["a", ""]
