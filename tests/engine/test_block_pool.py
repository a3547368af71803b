"""The block pool against a model of it: a set of free blocks and a list of owners."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from ladder_engine.block_pool import BlockPool


class PoolMachine(RuleBasedStateMachine):
    @initialize(size=st.integers(0, 12))
    def build(self, size: int) -> None:
        self.size = size
        self.pool = BlockPool(size)
        self.owners: list[list[int]] = []

    @rule(data=st.data())
    def allocate(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, self.pool.num_free))
        taken = self.pool.allocate(count)
        assert len(taken) == len(set(taken)) == count
        self.owners.append(taken)

    @precondition(lambda self: self.owners)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        self.pool.free(self.owners.pop(data.draw(st.integers(0, len(self.owners) - 1))))

    @rule(more=st.integers(1, 3))
    def too_many(self, more: int) -> None:
        with pytest.raises(ValueError, match="free"):
            self.pool.allocate(self.pool.num_free + more)

    @precondition(lambda self: self.pool.num_free)
    @rule()
    def free_twice(self) -> None:
        with pytest.raises(ValueError, match="twice"):
            self.pool.free(self.pool.free_block_ids[:1])

    @invariant()
    def every_block_is_free_or_owned_and_never_both(self) -> None:
        owned = [block for owner in self.owners for block in owner]
        assert sorted([*self.pool.free_block_ids, *owned]) == list(range(self.size))
        assert self.pool.ref_counts == [owned.count(block) for block in range(self.size)]
        assert self.pool.num_free == self.size - len(owned)


PoolMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestPool = PoolMachine.TestCase


def test_blocks_rest_as_long_as_they_can() -> None:
    pool = BlockPool(3)
    first = pool.allocate(1)
    pool.free(first)
    assert pool.allocate(3) == [1, 2, *first]
