"""Text to tokens, and tokens back to text while they come."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import tokenizers

from ladder_engine.errors import ModelError
from ladder_engine.weights.gguf_file import GgufFile
from ladder_engine.weights.gguf_llama import gguf_in
from ladder_engine.weights.gguf_tokenizer import gguf_tokenizer

_UNFINISHED = "\ufffd"  # what a decoder writes for bytes that are not (yet) a whole character
_MOST_KNOWN = 1 << 16  # continuations that are remembered


class Tokenizer:
    """The tokenizer of a model: tokenizer.json of its folder, or what its GGUF file carries."""

    def __init__(self, backend: tokenizers.Tokenizer, add_special_tokens: bool = True) -> None:
        self._backend = backend
        self._add_special_tokens = add_special_tokens
        self.beginning = _Place()
        self._places: dict[tuple[tuple[int, ...], int], _Place] = {}
        self._num_known = 0

    @staticmethod
    def load(folder: Path) -> Tokenizer:
        """Raises ModelError naming the file."""
        gguf = gguf_in(folder)
        if gguf:
            return Tokenizer(gguf_tokenizer(GgufFile(gguf)))
        path = folder / "tokenizer.json"
        try:
            return Tokenizer(tokenizers.Tokenizer.from_file(str(path)))
        except Exception as error:  # the Rust side raises bare Exception
            raise ModelError(
                f"{path}: cannot be read as a tokenizer ({error}); copy the file again."
            ) from None

    def bare(self) -> Tokenizer:
        """The same without special tokens in front: a chat template writes its own."""
        return Tokenizer(self._backend, add_special_tokens=False)

    @property
    def vocabulary(self) -> dict[str, int]:
        """Every token and its id."""
        found: dict[str, int] = self._backend.get_vocab()
        return found

    @property
    def num_tokens(self) -> int:
        """How many tokens it knows, special ones included."""
        size: int = self._backend.get_vocab_size(with_added_tokens=True)
        return size

    def one_token_words(self) -> list[str]:
        """The plain words that are one token each behind a space, in a fixed order: text of them has a known length."""
        marked = {token[1:] for token in self._backend.get_vocab() if token[:1] in ("Ġ", "▁")}
        plain = sorted(word for word in marked if word.isascii() and word.isalpha())
        return [word for word in plain if len(self.bare().encode(f" {word}")) == 1]

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, with the special tokens that the tokenizer itself puts in front."""
        ids: list[int] = self._backend.encode(text, add_special_tokens=self._add_special_tokens).ids
        return ids

    def cut(self, text: str) -> tuple[list[int], tuple[int, ...]]:
        """Token ids of `text` as `encode` gives them, and how many of its characters each stands for.

        Of tokens that share a character the first has it; special tokens stand for none.
        """
        encoding = self._backend.encode(text, add_special_tokens=self._add_special_tokens)
        ends = list(accumulate((end for _, end in encoding.offsets), max))
        return encoding.ids, tuple(end - start for start, end in zip([0, *ends], ends, strict=False))

    def decode(self, token_ids: list[int]) -> str:
        """Text of `token_ids`, special tokens left out."""
        text: str = self._backend.decode(token_ids, skip_special_tokens=True)
        return text

    def advance(self, place: _Place, token_id: int, last: bool) -> tuple[str, _Place]:
        """One step of a TextStream: the text that `token_id` adds, and where the stream stands then."""
        ids, done, piece = (*place.ids, token_id), place.done, ""
        text = self.decode(list(ids))
        if last or not text.endswith(_UNFINISHED):
            piece = text[len(self.decode(list(ids[:done]))) :]
            if piece:
                ids, done = ids[done:], len(ids) - done
        step = piece, self._places.setdefault((ids, done), _Place(ids, done))
        if not last:
            self._remember(place, token_id, step)
        return step

    def _remember(self, place: _Place, token_id: int, step: tuple[str, _Place]) -> None:
        if self._num_known == _MOST_KNOWN:
            for each in self._places.values():
                each.after.clear()
            self._places.clear()
            self._num_known = 0
        place.after[token_id] = step
        self._num_known += 1

    def stream(self) -> TextStream:
        """A fresh stream for one answer."""
        return TextStream(self)


class _Place:
    """Where a stream stands: `ids` are the last finished piece and the tokens since, of which `done` are text already.

    Text repeats itself, so `after` remembers what has followed from here, by token.
    """

    __slots__ = ("after", "done", "ids")

    def __init__(self, ids: tuple[int, ...] = (), done: int = 0) -> None:
        self.ids = ids
        self.done = done
        self.after: dict[int, tuple[str, _Place]] = {}


class TextStream:
    """Turns one answer's tokens into text as they come: the pieces together are `decode` of all tokens.

    A character may be spread over several tokens, so text whose end is unfinished is held back. Decoding starts one
    piece before the new one, because some tokenizers write a token differently at the start of a text.
    """

    __slots__ = ("_place", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._place = tokenizer.beginning

    def push(self, token_id: int, *, last: bool = False) -> str:
        """The text that `token_id` completes; with `last`, everything that was held back too."""
        known = None if last else self._place.after.get(token_id)
        piece, self._place = known or self._tokenizer.advance(self._place, token_id, last)
        return piece
