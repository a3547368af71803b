"""An engine whose model is a checksum: what the tests of the scheduler and of its mechanisms share.

The executor's KV cache is an array of token ids, and the next token is a checksum of what it finds through the block
table. So a token written to the wrong slot, a block shared by mistake, or KV that was never computed changes the
answer, and the answer is known: the checksum of the sequence's own tokens.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from ladder_engine.batch import Batch, Work
from ladder_engine.config import EngineConfig
from ladder_engine.drafting import TO_BE_DRAFTED
from ladder_engine.engine import Engine
from ladder_engine.inputs import Inputs, prepare
from ladder_engine.sampling import SamplingParams
from ladder_engine.sequence import Output, Sequence
from ladder_engine.tracing.events import (
    SCHEMA,
    AnyEvent,
    RunStarted,
)
from ladder_engine.tracing.fold import RunState, fold
from ladder_engine.tracing.recorder import Recorder

VOCABULARY, EOS = 23, 0


def next_token(tokens: list[int], seed: int | None = None) -> int:
    """What follows these tokens; with a seed, what a sampling request with it says."""
    return zlib.crc32(bytes(tokens) + (b"" if seed is None else seed.to_bytes(8, "little"))) % VOCABULARY


def likeliest(tokens: list[int], count: int) -> list[tuple[int, float]]:
    """The tokens that may follow, likeliest first, with what stands for their log-probabilities; no two are equal."""
    scored = [(token, -1 - zlib.crc32(bytes([*tokens, token])) / 2**30) for token in range(VOCABULARY)]
    return sorted(scored, key=lambda pair: -pair[1])[:count]


def answer(prompt: list[int], max_tokens: int, ignore_eos: bool, seed: int | None = None) -> list[int]:
    """What any right engine says."""
    tokens = list(prompt)
    for _ in range(max_tokens):
        tokens.append(next_token(tokens, seed))
        if tokens[-1] == EOS and not ignore_eos:
            break
    return tokens[len(prompt) :]


class Letters:
    """A tokenizer with a token for each letter."""

    def cut(self, text: str) -> tuple[list[int], tuple[int, ...]]:
        return [ord(letter) - ord("a") for letter in text], (1,) * len(text)

    def stream(self) -> Letters:
        return self

    def push(self, token_id: int, *, last: bool) -> str:
        return chr(ord("a") + token_id)


class ChecksumExecutor:
    def __init__(self, config: EngineConfig) -> None:
        self.block_size = config.block_size
        self.cache = np.full(config.num_blocks * config.block_size, 255, dtype=np.uint8)
        self.draft_cache = self.cache.copy()
        self.host = np.full((config.num_host_blocks, config.block_size), 255, dtype=np.uint8)

    def execute(self, batch: Batch) -> list[list[Output]]:
        blocks = self.cache.reshape(-1, self.block_size)
        for block, host in batch.moves.swapped_out:
            self.host[host] = blocks[block]
        for host, block in batch.moves.swapped_in:
            blocks[block] = self.host[host]
        for source, copy in batch.moves.copies:
            blocks[copy] = blocks[source]
            drafted = self.draft_cache.reshape(-1, self.block_size)
            drafted[copy] = drafted[source]
        for work in batch.works:
            if work.num_catch_up_tokens:
                self.draft(work)
        inputs = prepare(batch.works, self.block_size)
        self.cache[inputs.slot_mapping] = inputs.token_ids
        rows = zip(inputs.sample_rows, inputs.sample_positions, inputs.seeds, strict=True)
        return [
            [self.sample(inputs, work, *next(rows)) for _ in range(work.num_samples)]
            for work in batch.works
            if work.samples
        ]

    def sample(self, inputs: Inputs, work: Work, row: int, place: int, seed: int) -> Output:
        seq = np.searchsorted(inputs.cu_seqlens_q, row, side="right") - 1
        assert inputs.positions[row] + 1 == place <= inputs.context_lens[seq]
        blocks = inputs.block_tables[seq].astype(np.int64)[:, None] * self.block_size
        tokens = self.cache[(blocks + np.arange(self.block_size)).reshape(-1)[:place]].tolist()
        wish = work.seq.sampling
        token = next_token(tokens, int(seed) if wish.temperature else None)
        if wish.logprobs is None:
            return Output(token)
        return Output(token, ((token, 0.0), *likeliest(tokens, wish.logprobs)))

    def draft(self, work: Work) -> None:
        """Do what a draft model does, and see that the KV it would read is that of the sequence's own tokens."""
        seq, start = work.seq, work.seq.num_draft_computed_tokens
        end = start + work.num_catch_up_tokens
        self.write_draft(seq, start, seq.token_ids[start:end])
        assert self.draft_cache[self.slots(seq, end)].tolist() == seq.token_ids[:end]
        if work.draft_tokens:
            assert end == seq.num_tokens
            assert set(work.draft_tokens) == {TO_BE_DRAFTED}
            work.draft_tokens = half_right(seq.token_ids, len(work.draft_tokens))
            self.write_draft(seq, end, work.draft_tokens[:-1])

    def write_draft(self, seq: Sequence, start: int, token_ids: list[int]) -> None:
        self.draft_cache[self.slots(seq, start + len(token_ids))[start:]] = token_ids

    def slots(self, seq: Sequence, count: int) -> Any:
        """Where the first `count` tokens of a sequence have their KV."""
        blocks = np.array(seq.block_table, dtype=np.int64)[:, None] * self.block_size
        slots = (blocks + np.arange(self.block_size)).reshape(-1)
        assert len(slots) >= count
        return slots[:count]


def half_right(token_ids: list[int], most: int) -> list[int]:
    """A draft of what really follows, wrong at a place that depends on the text."""
    draft = answer(token_ids, most, ignore_eos=True)
    wrong = sum(token_ids) % (most + 2)
    if wrong < most:
        draft[wrong] = (draft[wrong] + 1) % VOCABULARY
    return draft


class Bench:
    """An engine without a model, its events, and the state that they fold to."""

    def __init__(self, **limits: Any) -> None:
        roomy = {"num_blocks": 64, "block_size": 2, "max_num_seqs": 8, "max_num_batched_tokens": 16,
                 "max_model_len": 64}  # fmt: skip
        self.config = EngineConfig(**(roomy | limits))
        self.events: list[AnyEvent] = []
        self.unfolded: list[AnyEvent] = []
        recorder = Recorder(self.take)
        recorder.add(RunStarted, schema=SCHEMA, scenario="s", model="m", kernels="k", device="d", engine=self.config,
                     num_blocks=self.config.num_blocks, block_size=self.config.block_size,
                     max_num_seqs=self.config.max_num_seqs, max_model_len=self.config.max_model_len,
                     max_num_batched_tokens=self.config.max_num_batched_tokens, kv_bytes_per_token=1,
                     prefix_caching=self.config.prefix_caching)  # fmt: skip
        self.executor = ChecksumExecutor(self.config)
        self.engine = Engine(self.config, self.executor, Letters(), (EOS,), recorder)  # type: ignore[arg-type]
        self.state = RunState()
        self.num_added = 0

    def take(self, events: list[AnyEvent]) -> None:
        self.events += events
        self.unfolded += events

    @property
    def live(self) -> list[Sequence]:
        return [*self.engine.scheduler.running, *self.engine.scheduler.waiting]

    def add(
        self,
        num_prompt_tokens: int,
        max_tokens: int,
        ignore_eos: bool = True,
        shared: int = 0,
        family: int = 0,
        salt: str = "",
        wish: dict[str, Any] | None = None,
        **who: Any,
    ) -> Sequence:
        """A request whose prompt begins with `shared` tokens that all of its family begin with."""
        index = self.num_added
        self.num_added += 1
        letters = [(index * 7 + 3 * place + 1) % VOCABULARY for place in range(num_prompt_tokens)]
        letters[:shared] = [(family * 11 + place) % VOCABULARY for place in range(num_prompt_tokens)][:shared]
        prompt = "".join(chr(ord("a") + letter) for letter in letters)
        return self.engine.add(
            f"r{index}",
            prompt,
            max_tokens,
            SamplingParams(**({"ignore_eos": ignore_eos} | (wish or {}))),
            salt,
            **who,
        )

    def step(self) -> list[AnyEvent]:
        before = len(self.events)
        self.engine.step()
        return self.events[before:]

    def steps(self, most: int = 1000) -> Iterator[list[AnyEvent]]:
        """The events of each step until there is nothing to do."""
        for _ in range(most):
            if not self.engine.has_work:
                return
            yield self.step()
        raise AssertionError(f"not done after {most} steps")

    def run(self, most: int = 1000) -> int:
        return sum(1 for _ in self.steps(most))

    def of(self, kind: type) -> list[AnyEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    def kv(self, block_ids: tuple[int, ...]) -> list[int]:
        """The tokens whose KV stands in these blocks."""
        slots = np.array(block_ids)[:, None] * self.config.block_size + np.arange(self.config.block_size)
        return [int(token) for token in self.executor.cache[slots].reshape(-1)]

    def check_blocks(self) -> None:
        pool = self.engine.scheduler.pool
        owned = Counter(block for seq in self.live for block in seq.block_table)
        assert pool.ref_counts == [owned[block] for block in range(self.config.num_blocks)]
        assert sorted([*pool.free_block_ids, *owned]) == list(range(self.config.num_blocks))
        assert set(pool.cached_block_ids) <= set(pool.free_block_ids)
        kept = [block for seq in self.live for block in seq.host_blocks]
        host = [*self.engine.scheduler.blocks.host_free, *kept]
        assert sorted(host) == list(range(self.config.num_host_blocks))

    def check_fold(self) -> None:
        """The trace alone gives the engine's own queues and block tables."""
        self.engine.recorder.flush()
        self.state = fold(self.unfolded, self.state)
        self.unfolded = []
        scheduler = self.engine.scheduler
        assert self.state.running == [seq.seq_id for seq in scheduler.running]
        assert self.state.waiting == [seq.seq_id for seq in scheduler.waiting]
        for seq in self.live:
            told = self.state.sequences[seq.seq_id]
            assert told.block_table == tuple(seq.block_table)
            assert (told.num_tokens, told.num_computed_tokens) == (seq.num_tokens, seq.num_computed_tokens)
            assert told.wait_reason == seq.wait_reason
            assert told.text == "".join(chr(ord("a") + token) for token in seq.answer)
        owners = [
            {seq.seq_id for seq in self.live if block in seq.block_table}
            for block in range(self.config.num_blocks)
        ]
        assert [set(self.state.owners(block)) for block in range(self.config.num_blocks)] == owners
        assert self.state.num_free_blocks == scheduler.pool.num_free
        kept = {block: seq.seq_id for seq in self.live for block in seq.host_blocks}
        assert self.state.host_owner == kept
        assert set(self.state.cached_block_ids) == set(scheduler.pool.cached_block_ids)


def check_answer(seq: Sequence) -> None:
    prompt = seq.token_ids[: seq.num_prompt_tokens]
    seed = seq.seeds[0] if seq.sampling.temperature else None
    expected = answer(prompt, seq.max_tokens, not seq.end_token_ids, seed)
    assert seq.answer == expected
    assert seq.finish_reason == ("stop" if expected[-1] == EOS and seq.end_token_ids else "length")


Found = list[tuple[float, list[int]]]


def find(seq: Sequence, width: int, penalty: float) -> Found:
    """Beam search as a plain loop over lists: no early end, no blocks, nothing shared."""
    prompt = seq.token_ids[: seq.num_prompt_tokens]
    beams: Found = [(0.0, [])]
    whole: Found = []
    for length in range(1, seq.max_tokens + 1):
        offers = [
            (score + logprob, [*said, token])
            for score, said in beams
            for token, logprob in likeliest([*prompt, *said], VOCABULARY)
        ]
        offers.sort(key=lambda offer: -offer[0])
        beams = []
        for rank, (score, said) in enumerate(offers):
            if said[-1] in seq.end_token_ids:
                if rank < width:
                    whole.append((score / length**penalty, said))
            elif len(beams) < width:
                beams.append((score, said))
    whole += [(score / seq.max_tokens**penalty, said) for score, said in beams]
    return sorted(whole, key=lambda pair: -pair[0])[:width]


def check_search(root: Sequence, width: int = 0, penalty: float | None = None) -> None:
    """The answers of a beam search are those of the plain one, best first; the other beams were dropped."""
    assert root.search
    search, family = root.search, [root, *root.forks]
    expected = find(root, width or search.width, search.length_penalty if penalty is None else penalty)
    answers = family[: search.num_answers]
    assert [one.answer for one in answers] == [said for _, said in expected[: search.num_answers]]
    for one in answers:
        assert one.finish_reason == ("stop" if one.answer[-1] in one.end_token_ids else "length")
    assert all(one.finish_reason == "dropped" for one in family[search.num_answers :])
