"""Which blocks each sequence holds. Every change of a block_table is made here, and is in the trace."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from ladder_engine.batch import Moves, Work
from ladder_engine.block_hash import extend_hashes
from ladder_engine.block_pool import BlockPool
from ladder_engine.config import EngineConfig
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import (
    BlocksAllocated,
    BlocksCached,
    BlocksCopied,
    BlocksEvicted,
    BlocksFreed,
    BlocksShared,
    Forked,
    SwappedIn,
    SwappedOut,
)
from ladder_engine.tracing.recorder import Recorder


class BlockManager:
    """Grows, shares and frees block tables over one pool.

    ```
    block_table  | shared: found in the cache | own: computed here ............ |
    tokens       0            num_computed_tokens on entry          num_tokens
    ```
    """

    def __init__(self, config: EngineConfig, recorder: Recorder) -> None:
        self.pool = BlockPool(config.num_blocks)
        self.host_free = deque(range(config.num_host_blocks))
        self._moves = Moves()
        self._config = config
        self._size = config.block_size
        self._slab = config.blocks_for(config.max_model_len) if config.kv_layout == "slab" else 0
        self._record = recorder.add

    def configure(self, config: EngineConfig) -> None:
        """Follow other settings from here on; the pool and its blocks keep their sizes."""
        self._config = config

    def cached_prefix(self, seq: Sequence) -> list[int]:
        """The blocks that hold the KV of the first tokens of `seq`, which owns none yet; empty without prefix_caching.

        The newest known token is always left out: it must be computed, because the next one is sampled after it.
        """
        if not self._config.prefix_caching or seq.host_blocks:
            return []
        size = self._size
        extend_hashes(seq.block_hashes, seq.token_ids, size, seq.extra_keys)
        return self.pool.find(seq.block_hashes[: (seq.num_tokens - 1) // size])

    def has_room(self, unit: list[Sequence], running: list[Sequence]) -> bool:
        """Whether all known tokens of these sequences fit, when each shares the prefix that is cached.

        Only prefix blocks that somebody owns cost nothing: the others are themselves among the free ones. And those who
        run and are still reading their prompts need what is left of them.
        """
        needed = sum(max(0, self._room(seq.num_tokens) - len(seq.block_table)) for seq in running)
        for seq in unit:
            owned = sum(self.pool.ref_counts[block_id] > 0 for block_id in self.cached_prefix(seq))
            needed += self._room(seq.num_tokens) - owned
        return needed <= self.pool.num_free

    def enter(self, seq: Sequence) -> None:
        """Begin the block_table of `seq` with its first tokens whose KV stands: swapped out, or cached by others."""
        prefix = self.cached_prefix(seq)
        if seq.host_blocks:
            self._swap_in(seq)
        elif prefix:
            self.pool.share(prefix)
            seq.block_table = list(prefix)
            seq.num_computed_tokens = len(prefix) * self._size
            self._record(BlocksShared, seq_id=seq.seq_id, block_ids=tuple(prefix))

    def swap_out(self, seq: Sequence) -> bool:
        """Keep the KV of `seq` in host memory, before its blocks are freed; False if there is no room or no need."""
        blocks = seq.block_table[: -(-seq.num_computed_tokens // self._size)]
        if not blocks or len(blocks) > len(self.host_free):
            return False
        seq.host_blocks = [self.host_free.popleft() for _ in blocks]
        self._moves.swapped_out += zip(blocks, seq.host_blocks, strict=True)
        self._record(
            SwappedOut,
            seq_id=seq.seq_id,
            block_ids=tuple(blocks),
            host_block_ids=tuple(seq.host_blocks),
        )
        return True

    def _swap_in(self, seq: Sequence) -> None:
        seq.block_table = self._allocate(len(seq.host_blocks))
        self._moves.swapped_in += zip(seq.host_blocks, seq.block_table, strict=True)
        self._record(
            SwappedIn,
            seq_id=seq.seq_id,
            host_block_ids=tuple(seq.host_blocks),
            block_ids=tuple(seq.block_table),
        )
        self.drop_host(seq)

    def drop_host(self, seq: Sequence) -> None:
        """What `seq` has in host memory is needed no longer."""
        self.host_free += seq.host_blocks
        seq.host_blocks = []

    def hand_over(self) -> Moves:
        """The blocks that must be moved before the next works are computed; from here on they count as moved."""
        moves, self._moves = self._moves, Moves()
        return moves

    def fork(self, child: Sequence, parent: Sequence) -> None:
        """Let `child`, which owns no blocks, share all that holds KV of `parent`, the last block too if it is not full."""
        size = self._size
        shared = parent.block_table[: -(-parent.num_computed_tokens // size)]
        self.pool.share(shared)
        child.block_table = shared
        child.num_computed_tokens = parent.num_computed_tokens
        child.shares_tail = parent.shares_tail = True
        self._record(
            Forked,
            seq_id=child.seq_id,
            parent_id=parent.seq_id,
            name=child.name,
            block_ids=tuple(shared),
            num_tokens=parent.num_tokens,
        )

    def growing(self, works: Iterable[Work]) -> list[Work]:
        """Those of the works for which blocks are still to be allocated, to grow or to copy."""
        size = self._size
        return [
            work
            for work in works
            if work.start + work.num_tokens > len(work.seq.block_table) * size or work.seq.shares_tail
        ]

    def missing(self, growing: Iterable[Work]) -> int:
        """How many blocks that takes. The last owner of a shared block writes into it without a copy."""
        grown = sum(self._room(work.end) - len(work.seq.block_table) for work in growing)
        tails = (self._shared_tail(work) for work in growing)
        writers = Counter(block_id for block_id in tails if block_id is not None)
        return grown + sum(min(count, self.pool.ref_counts[block] - 1) for block, count in writers.items())

    def grow(self, growing: Iterable[Work]) -> None:
        """Allocate them. Ask `missing` first whether there are so many."""
        for work in growing:
            self._copy_tail(work)
            count = self._room(work.end) - len(work.seq.block_table)
            if count > 0:
                block_ids = tuple(self._allocate(count))
                work.seq.block_table += block_ids
                self._record(BlocksAllocated, seq_id=work.seq.seq_id, block_ids=block_ids)

    def _shared_tail(self, work: Work) -> int | None:
        """The block that this work writes into while others own it too; None if there is none."""
        if not work.seq.shares_tail or work.start % self._size == 0:
            return None
        block_id = work.seq.block_table[work.start // self._size]
        return block_id if self.pool.ref_counts[block_id] > 1 else None

    def _copy_tail(self, work: Work) -> None:
        """Copy on write: put an own copy into the block_table in place of a block that others own too."""
        source = self._shared_tail(work)
        work.seq.shares_tail = False
        if source is not None:
            (copy,) = self._allocate(1)
            self.pool.free([source])
            work.seq.block_table[work.start // self._size] = copy
            self._moves.copies.append((source, copy))
            self._record(BlocksCopied, seq_id=work.seq.seq_id, pairs=((source, copy),))

    def _allocate(self, count: int) -> list[int]:
        """Take blocks out of the pool; cached ones lose their names where there are no others."""
        evicted = self.pool.evict(count)
        if evicted:
            self._record(BlocksEvicted, block_ids=tuple(evicted))
        return self.pool.allocate(count)

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
            index
            for index in range(first, last)
            if self.pool.name(seq.block_table[index], seq.block_hashes[index])
        ]
        if named:
            short = [name.hex()[:8] for name in seq.block_hashes[:last]]
            self._record(
                BlocksCached,
                seq_id=seq.seq_id,
                block_ids=tuple(seq.block_table[index] for index in named),
                names=tuple(short[index] for index in named),
                parents=tuple(short[index - 1] if index else "" for index in named),
            )

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
            seq.shares_tail = False
