"""A batch as flat arrays: what the model reads in one step. numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ladder_engine.batch import Work


@dataclass(frozen=True, slots=True)
class Inputs:
    """T tokens of S sequences, one after another without padding.

    ```
    token_ids     int64 [T]              positions      int64 [T]   where each token stands in its sequence
    slot_mapping  int64 [T]              block_id * block_size + offset: where its KV goes
    block_tables  int32 [S, max_blocks]  padded with block 0
    cu_seqlens_q  int32 [S + 1]          sequence s has the tokens cu_seqlens_q[s] .. cu_seqlens_q[s + 1]
    context_lens  int32 [S]              KV length including this step's tokens
    sample_rows   int64 [N]              the tokens after which one is sampled: the newest of a sequence, and its drafts
    ```
    and for each of the N samples: temperature, top_p, min_p fp32, top_k int32, seeds int64, and sample_positions
    int64, the place of the new token in its sequence.
    """

    token_ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    slot_mapping: NDArray[np.int64]
    block_tables: NDArray[np.int32]
    cu_seqlens_q: NDArray[np.int32]
    context_lens: NDArray[np.int32]
    sample_rows: NDArray[np.int64]
    temperature: NDArray[np.float32]
    top_k: NDArray[np.int32]
    top_p: NDArray[np.float32]
    min_p: NDArray[np.float32]
    seeds: NDArray[np.int64]
    sample_positions: NDArray[np.int64]


def prepare(works: list[Work], block_size: int) -> Inputs:
    """Lay out the works of a step, one at least."""
    starts = np.array([work.start for work in works], dtype=np.int64)
    lens = np.array([work.num_tokens for work in works], dtype=np.int64)
    ends = np.cumsum(lens)
    rows = np.repeat(np.arange(len(works)), lens)
    positions = np.arange(ends[-1]) + (starts - ends + lens)[rows]

    tables = np.zeros((len(works), max(len(work.seq.block_table) for work in works)), dtype=np.int32)
    for row, work in enumerate(works):
        tables[row, : len(work.seq.block_table)] = work.seq.block_table
    blocks, offsets = np.divmod(positions, block_size)

    tokens = (work.token_ids for work in works)
    samples = [
        (work.seq, seed, ends[index] - 1 - len(work.draft_tokens) + place, work.seq.num_tokens + place)
        for index, work in enumerate(works)
        if work.samples
        for seed in work.seq.seeds
        for place in range(1 + len(work.draft_tokens))
    ]
    wishes = [seq.sampling for seq, _, _, _ in samples]
    return Inputs(
        token_ids=np.fromiter(chain.from_iterable(tokens), np.int64, count=ends[-1]),
        positions=positions,
        slot_mapping=tables[rows, blocks].astype(np.int64) * block_size + offsets,
        block_tables=tables,
        cu_seqlens_q=np.concatenate(([0], ends), dtype=np.int32),
        context_lens=(starts + lens).astype(np.int32),
        sample_rows=np.array([row for _, _, row, _ in samples], dtype=np.int64),
        temperature=np.array([wish.temperature for wish in wishes], dtype=np.float32),
        top_k=np.array([wish.top_k for wish in wishes], dtype=np.int32),
        top_p=np.array([wish.top_p for wish in wishes], dtype=np.float32),
        min_p=np.array([wish.min_p for wish in wishes], dtype=np.float32),
        seeds=np.array([seed for _, seed, _, _ in samples], dtype=np.int64),
        sample_positions=np.array([position for _, _, _, position in samples], dtype=np.int64),
    )
