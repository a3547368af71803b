"""The pool of KV blocks: who may write where, and which block holds what. It knows nothing of sequences."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class BlockPool:
    """`num_blocks` blocks: owned (ref_count = number of owners), or without owner and free to be handed out.

    A full block can be given a name (block_hash.py). A named block without owner is cached: whoever has the same prefix
    can share it, until its room is needed. Blocks without a name are handed out first, in the order in which they
    became free; then the cached ones lose their names, least recently used first.
    """

    def __init__(self, num_blocks: int) -> None:
        self.ref_counts = [0] * num_blocks
        self._empty = deque(range(num_blocks))
        self._cached: dict[int, None] = {}  # named, without owner, least recently used first
        self._names: dict[int, bytes] = {}
        self._by_name: dict[bytes, int] = {}

    @property
    def num_free(self) -> int:
        """Blocks without an owner, cached or not."""
        return len(self._empty) + len(self._cached)

    @property
    def num_cached(self) -> int:
        """Those of them that are cached."""
        return len(self._cached)

    @property
    def free_block_ids(self) -> tuple[int, ...]:
        """The blocks without an owner, next to be handed out first."""
        return (*self._empty, *self._cached)

    @property
    def cached_block_ids(self) -> tuple[int, ...]:
        """Those of them that are cached, next to be evicted first."""
        return tuple(self._cached)

    def evict(self, count: int) -> list[int]:
        """Take the names from as many cached blocks as `allocate(count)` will need; returns these blocks."""
        evicted = list(self._cached)[: max(0, count - len(self._empty))]
        for block_id in evicted:
            del self._cached[block_id]
            del self._by_name[self._names.pop(block_id)]
            self._empty.append(block_id)
        return evicted

    def allocate(self, count: int) -> list[int]:
        """Take `count` blocks for one owner. Ask `num_free` and call `evict` first: too few is a ValueError."""
        if count > len(self._empty):
            raise ValueError(f"{count} blocks asked for, {len(self._empty)} free")
        block_ids = [self._empty.popleft() for _ in range(count)]
        for block_id in block_ids:
            self.ref_counts[block_id] = 1
        return block_ids

    def name(self, block_id: int, block_hash: bytes) -> bool:
        """Name an owned block, so that it can be found; False if another block has the name, or this one has one."""
        if block_hash in self._by_name or block_id in self._names:
            return False
        self._names[block_id] = block_hash
        self._by_name[block_hash] = block_id
        return True

    def find(self, hashes: Iterable[bytes]) -> list[int]:
        """The blocks with these names, up to the first name that no block has."""
        found: list[int] = []
        for block_hash in hashes:
            if block_hash not in self._by_name:
                break
            found.append(self._by_name[block_hash])
        return found

    def share(self, block_ids: Iterable[int]) -> None:
        """One more owner for these blocks, each of which is owned or cached."""
        for block_id in block_ids:
            self.ref_counts[block_id] += 1
            self._cached.pop(block_id, None)

    def free(self, block_ids: list[int]) -> None:
        """One owner gives up these blocks, in the order of its block_table. Freeing a free block is a ValueError.

        The end of a prefix is of use only with its beginning, so of those that are cached the last is evicted first.
        """
        for block_id in block_ids:
            if self.ref_counts[block_id] == 0:
                raise ValueError(f"block {block_id} is freed twice")
            self.ref_counts[block_id] -= 1
        unowned = [block_id for block_id in block_ids if self.ref_counts[block_id] == 0]
        self._empty.extend(block_id for block_id in unowned if block_id not in self._names)
        self._cached.update(
            dict.fromkeys(block_id for block_id in reversed(unowned) if block_id in self._names)
        )
