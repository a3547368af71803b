"""The block pool against a model of it: lists of owners, and the cached blocks in the order of their last use."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from ladder_engine.block_pool import BlockPool

NAMES = st.sampled_from([bytes([letter]) for letter in b"abcdef"])


class PoolMachine(RuleBasedStateMachine):
    @initialize(size=st.integers(0, 12))
    def build(self, size: int) -> None:
        self.size = size
        self.pool = BlockPool(size)
        self.owners: list[list[int]] = []
        self.names: dict[int, bytes] = {}
        self.cached: list[int] = []  # least recently used first

    @rule(data=st.data())
    def allocate(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, self.pool.num_free))
        unnamed = self.pool.num_free - len(self.cached)
        victims = self.cached[: max(0, count - unnamed)]
        assert self.pool.evict(count) == victims
        del self.cached[: len(victims)]
        for block in victims:
            del self.names[block]
        taken = self.pool.allocate(count)
        assert len(taken) == len(set(taken)) == count
        self.owners.append(taken)

    @precondition(lambda self: self.owners)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        given_up = self.owners.pop(data.draw(st.integers(0, len(self.owners) - 1)))
        self.pool.free(given_up)
        owned = [block for owner in self.owners for block in owner]
        self.cached += [block for block in reversed(given_up) if block in self.names and block not in owned]

    @precondition(lambda self: any(self.owners))
    @rule(data=st.data(), name=NAMES)
    def give_name(self, data: st.DataObject, name: bytes) -> None:
        block = data.draw(st.sampled_from([block for owner in self.owners for block in owner]))
        is_new = block not in self.names and name not in self.names.values()
        assert self.pool.name(block, name) == is_new
        if is_new:
            self.names[block] = name

    @rule(asked=st.lists(NAMES, max_size=4, unique=True))
    def find_and_share(self, asked: list[bytes]) -> None:
        by_name = {name: block for block, name in self.names.items()}
        length = next((i for i, name in enumerate(asked) if name not in by_name), len(asked))
        found = self.pool.find(asked)
        assert found == [by_name[name] for name in asked[:length]]
        self.pool.share(found)
        self.owners.append(found)
        self.cached = [block for block in self.cached if block not in found]

    @rule(more=st.integers(1, 3))
    def too_many(self, more: int) -> None:
        with pytest.raises(ValueError, match="free"):
            self.pool.allocate(self.pool.num_free + more)

    @precondition(lambda self: self.pool.num_free)
    @rule()
    def free_twice(self) -> None:
        with pytest.raises(ValueError, match="twice"):
            self.pool.free(list(self.pool.free_block_ids[:1]))

    @invariant()
    def every_block_is_free_or_owned_and_never_both(self) -> None:
        owned = [block for owner in self.owners for block in owner]
        assert sorted([*self.pool.free_block_ids, *set(owned)]) == list(range(self.size))
        assert self.pool.ref_counts == [owned.count(block) for block in range(self.size)]
        assert self.pool.num_free == self.size - len(set(owned))
        assert list(self.pool.cached_block_ids) == self.cached
        assert self.pool.num_cached == len(self.cached)


PoolMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestPool = PoolMachine.TestCase


def test_blocks_rest_as_long_as_they_can() -> None:
    pool = BlockPool(3)
    first = pool.allocate(1)
    pool.free(first)
    assert pool.allocate(3) == [1, 2, *first]


def test_the_end_of_a_prefix_is_evicted_before_its_beginning() -> None:
    pool = BlockPool(3)
    table = pool.allocate(3)
    for block, name in zip(table, (b"a", b"b", b"c"), strict=True):
        pool.name(block, name)
    pool.free(table)
    assert pool.evict(1) == table[2:]
    assert pool.find([b"a", b"b", b"c"]) == table[:2]
