"""Which blocks each sequence holds. Every change of a block_table is made here, and is in the trace."""

from __future__ import annotations

from collections.abc import Iterable

from ladder_engine.batch import Work
from ladder_engine.block_hash import extend_hashes
from ladder_engine.block_pool import BlockPool
from ladder_engine.config import EngineConfig
from ladder_engine.recorder import Recorder
from ladder_engine.sequence import Sequence
from ladder_engine.trace import BlocksAllocated, BlocksCached, BlocksEvicted, BlocksFreed, BlocksShared


class BlockManager:
    """Grows, shares and frees block tables over one pool.

    ```
    block_table  | shared: found in the cache | own: computed here ............ |
    tokens       0            num_computed_tokens on entry          num_tokens
    ```
    """

    def __init__(self, config: EngineConfig, recorder: Recorder) -> None:
        self.pool = BlockPool(config.num_blocks)
        self._config = config
        self._size = config.block_size
        self._slab = config.blocks_for(config.max_model_len) if config.kv_layout == "slab" else 0
        self._record = recorder.add

    def cached_prefix(self, seq: Sequence) -> list[int]:
        """The blocks that hold the KV of the first tokens of `seq`, which owns none yet; empty without prefix_caching.

        The newest known token is always left out: it must be computed, because the next one is sampled after it.
        """
        if not self._config.prefix_caching:
            return []
        size = self._size
        extend_hashes(seq.block_hashes, seq.token_ids, size, seq.extra_keys)
        return self.pool.find(seq.block_hashes[: (seq.num_tokens - 1) // size])

    def has_room(self, seq: Sequence, prefix: list[int]) -> bool:
        """Whether all known tokens of `seq` fit, when it shares `prefix`.

        Only prefix blocks that somebody owns cost nothing: the others are themselves among the free ones.
        """
        owned = sum(self.pool.ref_counts[block_id] > 0 for block_id in prefix)
        return self._room(seq.num_tokens) - owned <= self.pool.num_free

    def share(self, seq: Sequence, prefix: list[int]) -> None:
        """Begin the block_table of `seq` with these blocks, whose KV stands."""
        if prefix:
            self.pool.share(prefix)
            seq.block_table = list(prefix)
            seq.num_computed_tokens = len(prefix) * self._size
            self._record(BlocksShared, seq_id=seq.seq_id, block_ids=tuple(prefix))

    def growing(self, works: Iterable[Work]) -> list[Work]:
        """Those of the works for which blocks are still to be allocated."""
        size = self._size
        return [work for work in works if work.start + work.num_tokens > len(work.seq.block_table) * size]

    def missing(self, growing: Iterable[Work]) -> int:
        """How many blocks that takes."""
        return sum(self._room(work.end) - len(work.seq.block_table) for work in growing)

    def grow(self, growing: Iterable[Work]) -> None:
        """Allocate them. Ask `missing` first whether there are so many."""
        for work in growing:
            self._allocate(work.seq, self._room(work.end) - len(work.seq.block_table))

    def _allocate(self, seq: Sequence, count: int) -> None:
        """Append `count` blocks to the block_table."""
        if count <= 0:
            return
        evicted = self.pool.evict(count)
        if evicted:
            self._record(BlocksEvicted, block_ids=tuple(evicted))
        block_ids = self.pool.allocate(count)
        seq.block_table += block_ids
        self._record(BlocksAllocated, seq_id=seq.seq_id, block_ids=tuple(block_ids))

    def _room(self, num_tokens: int) -> int:
        """Blocks that a sequence holds for `num_tokens` tokens. Slabs are all of one size, so they stay in one piece."""
        return self._slab or -(-num_tokens // self._size)

    def cache(self, seq: Sequence, start: int) -> None:
        """Name the blocks that have become full since `start` tokens were computed, so that others find them."""
        size = self._size
        first, last = start // size, seq.num_computed_tokens // size
        if first == last:
            return
        extend_hashes(seq.block_hashes, seq.token_ids, size, seq.extra_keys)
        named = [
            seq.block_table[index]
            for index in range(first, last)
            if self.pool.name(seq.block_table[index], seq.block_hashes[index])
        ]
        if named:
            self._record(BlocksCached, seq_id=seq.seq_id, block_ids=tuple(named))

    def trim(self, seq: Sequence) -> None:
        """Give back the blocks at the end of the block_table that hold no token that counts."""
        keep = self._room(seq.num_computed_tokens)
        spare = seq.block_table[keep:]
        if spare:
            del seq.block_table[keep:]
            self.pool.free(spare)
            self._record(BlocksFreed, seq_id=seq.seq_id, block_ids=tuple(spare))

    def free(self, seq: Sequence) -> None:
        """Take all blocks from `seq`. Those with a name stay cached."""
        if seq.block_table:
            self.pool.free(seq.block_table)
            self._record(BlocksFreed, seq_id=seq.seq_id, block_ids=tuple(seq.block_table))
            seq.block_table = []
