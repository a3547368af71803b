"""One sequence becomes several: the answers of a request that asks for more than one, and the beams of a search."""

from __future__ import annotations

from collections.abc import Callable

from ladder_engine.block_manager import BlockManager
from ladder_engine.sequence import Output, Sequence
from ladder_engine.tracing.events import Chosen
from ladder_engine.tracing.recorder import Recorder


class Branching:
    """Forks sequences. A fork runs from its first moment on, next to its parent; its place has been kept free.

    `say` appends one token to a sequence, and records it.
    """

    def __init__(
        self,
        blocks: BlockManager,
        recorder: Recorder,
        new_id: Callable[[], int],
        say: Callable[[Sequence, Output], None],
    ) -> None:
        self._blocks = blocks
        self._record = recorder.add
        self._new_id = new_id
        self._say = say

    def answers(self, seq: Sequence, outputs: list[Output], running: list[Sequence]) -> None:
        """The prompt is computed, and `outputs` has a first token for each answer: each goes its own way."""
        seeds, seq.seeds = seq.seeds, seq.seeds[:1]
        branches = [seq, *(self._fork(seq, running) for _ in seeds[1:])]
        for branch, seed, output in zip(branches, seeds, outputs, strict=True):
            branch.seeds = (seed,)
            self._say(branch, output)

    def beams(self, seq: Sequence, output: Output, running: list[Sequence]) -> None:
        """`output` has the likeliest tokens after one beam. When all have been heard, the search goes on or ends."""
        search = seq.search
        assert search is not None
        if not search.hear(seq, output):
            return
        placed = search.place(search.choose())
        if not placed:
            self._end(seq, running)
        was = list(search.beams)
        for place, offer in placed:
            if place == len(search.beams):
                search.beams.append(self._fork(was[offer.source], running))
            elif place != offer.source:
                self._replace(search.beams[place], was[offer.source])
        for place, offer in placed:
            self._say(search.beams[place], Output(offer.token_id))

    def _fork(self, parent: Sequence, running: list[Sequence]) -> Sequence:
        root = parent.search.beams[0] if parent.search else parent
        child = parent.fork(self._new_id(), f"{root.name} #{len(root.forks) + 2}")
        root.forks.append(child)
        running.insert(running.index(root) + len(root.forks), child)
        self._blocks.fork(child, parent)
        return child

    def _replace(self, beam: Sequence, source: Sequence) -> None:
        """`beam` is not worth going on with: it gives up what it has, and goes on from `source` instead."""
        self._blocks.free(beam)
        beam.repeat(source)
        self._blocks.fork(beam, source)

    def _end(self, seq: Sequence, running: list[Sequence]) -> None:
        search = seq.search
        assert search is not None
        answers = search.answers[: search.num_answers]
        while len(search.beams) < len(answers):  # the first token was the last
            search.beams.append(self._fork(seq, running))
        for beam in search.beams:
            beam.finish_reason = "dropped"
        for beam, answer in zip(search.beams, answers, strict=False):
            beam.finish_reason = answer.reason
            beam.token_ids[beam.num_prompt_tokens :] = answer.token_ids
            self._record(
                Chosen,
                seq_id=beam.seq_id,
                token_ids=tuple(answer.token_ids),
                text=answer.text,
                score=answer.score,
            )
