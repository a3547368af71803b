"""Beam search: the likeliest whole answers, as far as `width` beginnings at a time can find them.

The score of an answer is the sum of its tokens' log-probabilities over its length to the power of `length_penalty`. In
every step each beam offers its likeliest tokens; of all offers the best `width` that do not end an answer go on, and an
offer that ends one is kept if it is among the best `width`. The search is over when no beam can still beat the
`width` best answers found, or at max_tokens (transformers' `early_stopping="never"`).

A beam is a sequence of its own. Who goes on in another's place takes that one's blocks by reference (BlockManager.fork).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder_engine.sampling import SamplingParams

if TYPE_CHECKING:
    from ladder_engine.sequence import Output, Sequence
    from ladder_engine.tracing.events import FinishReason


@dataclass(frozen=True, slots=True)
class Offer:
    """One more token for the beam in place `source`; `score` is the sum of log-probabilities with it."""

    score: float
    source: int
    token_id: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; `score` is normalised by its length."""

    score: float
    token_ids: list[int]
    text: str
    reason: FinishReason


class BeamSearch:
    """The search for one request. `beams` are its sequences, the request's own one first."""

    def __init__(self, root: Sequence, sampling: SamplingParams, max_tokens: int) -> None:
        self.width = sampling.beam_width
        self.num_answers = sampling.n
        self.beams = [root]
        self.answers: list[Answer] = []
        self._scores = [0.0]
        self.length_penalty = sampling.length_penalty
        self._max_tokens = max_tokens
        self._stream = copy(root.stream)
        self._outputs: dict[int, Output] = {}

    def hear(self, seq: Sequence, output: Output) -> bool:
        """Take what may follow one beam; returns whether all beams have been heard, so that `choose` may be called."""
        self._outputs[seq.seq_id] = output
        return len(self._outputs) == len(self.beams)

    def forget(self, seq: Sequence) -> None:
        """One beam has lost its KV, and will be heard again."""
        self._outputs.pop(seq.seq_id, None)

    def choose(self) -> list[Offer]:
        """The offers with which the search goes on, none when it is over. `answers` are the best found so far."""
        offers = [
            Offer(self._scores[place] + logprob, place, token_id)
            for place, seq in enumerate(self.beams)
            for token_id, logprob in self._outputs[seq.seq_id].logprobs[1:]
        ]
        offers.sort(key=lambda offer: -offer.score)
        self._outputs.clear()
        going_on: list[Offer] = []
        for rank, offer in enumerate(offers):
            if offer.token_id not in self.beams[0].end_token_ids:
                going_on.append(offer)
            elif rank < self.width:
                self._keep(offer, "stop")
            if len(going_on) == self.width:
                break
        length = self.beams[0].num_answer_tokens + 1
        if length == self._max_tokens:
            for offer in going_on:
                self._keep(offer, "length")
            return []
        return [] if self._is_over(going_on[0].score, length) else going_on

    def place(self, going_on: list[Offer]) -> list[tuple[int, Offer]]:
        """Give each offer a place: its own beam's for the best of each beam, then places that are no longer needed or new."""
        stays = {offer.source: offer for offer in reversed(going_on)}
        free = [place for place in range(len(going_on)) if place not in stays]
        moves = [offer for offer in going_on if stays[offer.source] is not offer]
        placed = sorted([*stays.items(), *zip(free, moves, strict=True)], key=lambda pair: pair[0])
        self._scores = [offer.score for _, offer in placed]
        return placed

    def _is_over(self, best: float, length: int) -> bool:
        """Whether no beam can beat the answers: a sum only falls, and the longest answer is penalised least."""
        longest = self._max_tokens if self.length_penalty > 0 else length
        return (
            len(self.answers) == self.width and best / longest**self.length_penalty <= self.answers[-1].score
        )

    def _keep(self, offer: Offer, reason: FinishReason) -> None:
        beam = self.beams[offer.source]
        token_ids = [*beam.answer, offer.token_id]
        score = offer.score / len(token_ids) ** self.length_penalty
        stream, last = copy(self._stream), len(token_ids) - 1
        text = "".join(stream.push(token_id, last=i == last) for i, token_id in enumerate(token_ids))
        self.answers.append(Answer(score, token_ids, text, reason))
        self.answers.sort(key=lambda answer: -answer.score)
        del self.answers[self.width :]
