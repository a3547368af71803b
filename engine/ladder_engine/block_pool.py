"""The pool of KV blocks: who may write where. It counts owners and knows nothing of sequences."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class BlockPool:
    """`num_blocks` blocks, each free (ref_count 0) or owned (ref_count = number of owners).

    Free blocks are handed out in the order in which they became free, so a block rests as long as it can: what it
    still holds stays readable for as long as possible.
    """

    def __init__(self, num_blocks: int) -> None:
        self.ref_counts = [0] * num_blocks
        self._free = deque(range(num_blocks))

    @property
    def num_free(self) -> int:
        """Blocks without an owner."""
        return len(self._free)

    @property
    def free_block_ids(self) -> tuple[int, ...]:
        """The free blocks, next to be handed out first."""
        return tuple(self._free)

    def allocate(self, count: int) -> list[int]:
        """Take `count` free blocks for one owner. Ask `num_free` first: too few is a ValueError."""
        if count > len(self._free):
            raise ValueError(f"{count} blocks asked for, {len(self._free)} free")
        block_ids = [self._free.popleft() for _ in range(count)]
        for block_id in block_ids:
            self.ref_counts[block_id] = 1
        return block_ids

    def free(self, block_ids: Iterable[int]) -> None:
        """One owner gives up these blocks. Freeing a free block is a ValueError."""
        for block_id in block_ids:
            if self.ref_counts[block_id] == 0:
                raise ValueError(f"block {block_id} is freed twice")
            self.ref_counts[block_id] -= 1
            if self.ref_counts[block_id] == 0:
                self._free.append(block_id)
