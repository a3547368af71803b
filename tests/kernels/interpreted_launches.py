"""What launches.py says of a call, against what Triton's interpreter does. test_launches.py runs this in its own process.

Every load and store of every program is counted as it happens, so nothing here repeats a formula.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from ladder_kernels.dispatch import choose
from ladder_kernels.inputs import paged_batch
from ladder_kernels.launches import describe
from ladder_kernels.rope_table import rope_table
from triton.runtime import interpreter

CPU = torch.device("cpu")
KERNELS = choose(CPU, "interpret")
INVARIANT = choose(CPU, "interpret", batch_invariant=True)


@dataclass
class Tally:
    """The grids in order of launch, and of each launch the bytes moved and the addresses that each program loaded."""

    grids: list[tuple[int, ...]] = field(default_factory=list)
    moved: list[Counter[str]] = field(default_factory=list)
    loaded: list[defaultdict[tuple[int, ...], set[int]]] = field(default_factory=list)

    def begin(self, grid):
        self.grids.append(tuple(grid))
        self.moved.append(Counter())
        self.loaded.append(defaultdict(set))

    def add(self, builder, ptrs, mask, loads):
        dtype = interpreter._get_np_dtype(ptrs.get_element_ty())
        where = ptrs.data[np.broadcast_to(mask.data, ptrs.data.shape)]
        self.moved[-1]["data" if np.issubdtype(dtype, np.floating) else "indices"] += (
            where.size * dtype.itemsize
        )
        if loads:
            self.loaded[-1][tuple(builder.grid_idx)].update(where.ravel().tolist())


@pytest.fixture
def tally(monkeypatch):
    tally = Tally()
    builder, executor = interpreter.InterpreterBuilder, interpreter.GridExecutor
    load, store, run = builder.create_masked_load, builder.create_masked_store, executor.__call__

    def counted_load(self, ptrs, mask, *rest):
        tally.add(self, ptrs, mask, loads=True)
        return load(self, ptrs, mask, *rest)

    def counted_store(self, ptrs, value, mask, *rest):
        tally.add(self, ptrs, mask, loads=False)
        return store(self, ptrs, value, mask, *rest)

    def counted_run(self, *arguments, **options):
        tally.begin(self.grid)
        return run(self, *arguments, **options)

    monkeypatch.setattr(builder, "create_masked_load", counted_load)
    monkeypatch.setattr(builder, "create_masked_store", counted_store)
    monkeypatch.setattr(executor, "__call__", counted_run)
    return tally


def agree(tally, operation, kernels, *arguments, indices=True):
    """Run the operation and compare grids and bytes; returns what was said of it."""
    call = describe(operation, kernels.batch_invariant, *arguments)
    tally.__init__()
    getattr(kernels, operation)(*arguments)
    ran = [launch for launch in call.launches if launch.grid]
    assert [tuple(one) for one in tally.grids] == [launch.grid for launch in ran]
    for launch, moved in zip(ran, tally.moved, strict=True):
        if launch.moved_bytes is not None:
            assert launch.moved_bytes == moved["data"] + (moved["indices"] if indices else 0), launch
            assert launch.moved_bytes >= launch.floor_bytes
    return call


def rand(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


def test_rows(tally):
    x, weight = rand(21, 200), rand(200)
    agree(tally, "rms_norm", KERNELS, x, weight, 1e-5)
    agree(tally, "rms_norm", KERNELS, x, weight, 1e-5, rand(21, 200))
    agree(tally, "silu_mul", KERNELS, rand(5, 2 * 2100))
    table = rope_table(32, 64)
    call = agree(
        tally, "rope", KERNELS, torch.tensor([3, 3, 9]), rand(3, 4, 32), rand(3, 2, 32), table, indices=False
    )
    assert call.launches[0].floor_bytes == 2 * 3 * 6 * 32 * 4 + 2 * 32 * 4  # two distinct positions


def test_cache(tally):
    keys, values = rand(8, 16, 2, 40), rand(8, 16, 2, 40)
    slots = torch.tensor([5, -1, 77])
    call = describe("store_kv", False, rand(3, 2, 40), rand(3, 2, 40), keys, values, slots)
    KERNELS.store_kv(rand(3, 2, 40), rand(3, 2, 40), keys, values, slots)
    assert call.launches[0].moved_bytes == sum(tally.moved[0].values())
    layers = rand(3, 8, 16, 2, 40), rand(3, 8, 16, 2, 40)
    agree(tally, "copy_blocks", KERNELS, *layers, torch.tensor([[1, 4], [2, 5]]))


BATCHES = {
    "a prompt chunk beside decodes": ([70, 1, 1], [90, 33, 16], None),
    "decodes": ([1] * 5, [3, 64, 17, 16, 200], None),
    "a window": ([40, 1, 3], [300, 250, 3], 50),
}


@pytest.mark.parametrize("kernels", [KERNELS, INVARIANT], ids=["planned", "batch-invariant"])
@pytest.mark.parametrize("name", BATCHES)
def test_attention(tally, name, kernels):
    q_lens, contexts, window = BATCHES[name]
    batch = paged_batch(q_lens, contexts, 6, 2, 24, torch.float32, CPU, sliding_window=window)
    call = agree(tally, "paged_attention", kernels, *batch.arguments(), indices=False)
    blocks_loaded = blocks_by_program(batch.key_cache, tally.loaded[0])
    blocks_said = defaultdict(set)
    cut = call.attention
    for program in cut.programs:
        for kv_head in range(2):
            for position in range(program.begin, program.end):
                block = cut.block_ids[program.sequence][position // 16]
                blocks_said[program.query_program, kv_head, program.split].add(
                    (block, position % 16, kv_head)
                )
    assert dict(blocks_said) == blocks_loaded


def test_attention_of_a_long_context_is_split(tally):
    batch = paged_batch([1, 30], [1100, 600], 4, 2, 16, torch.float32, CPU)
    call = agree(tally, "paged_attention", INVARIANT, *batch.arguments(), indices=False)
    assert [launch.kernel for launch in call.launches] == ["paged_attention_kernel", "merge_splits_kernel"]
    assert {program.split for program in call.attention.programs if program.num_positions} == {0, 1, 2}


def blocks_by_program(cache, loaded):
    """For each program (block, slot, head) of the cache's rows that it loaded from."""
    base, (_, block_size, heads, head_dim) = cache.data_ptr(), cache.shape
    found = {}
    for program, addresses in loaded.items():
        places = {
            (address - base) // (4 * head_dim) for address in addresses if 0 <= address - base < cache.nbytes
        }
        rows = {(row // heads // block_size, row // heads % block_size, row % heads) for row in places}
        if rows:
            found[program] = rows
    return found


def test_experts(tally):
    x, logits = rand(9, 40), rand(9, 5)
    for kernels in (KERNELS, INVARIANT):
        call = agree(tally, "moe", kernels, x, logits, rand(5, 2 * 24, 40), rand(5, 40, 24), 2, True)
        assert len(call.launches) == 7
    agree(tally, "linear", INVARIANT, x, rand(70, 40))
    assert describe("linear", False, x, rand(70, 40)).launches[0].grid == ()


def test_sampling(tally):
    logits, zeros = rand(3, 5000), torch.zeros(3)
    seeds = torch.arange(3)
    agree(tally, "sample", KERNELS, logits, zeros, zeros.int(), zeros + 1, zeros, seeds, seeds)
    agree(tally, "filter_probs", KERNELS, logits, zeros, zeros.int(), zeros + 1, zeros)
    warm = agree(tally, "sample", KERNELS, logits, zeros + 1, zeros.int(), zeros + 1, zeros, seeds, seeds)
    assert warm.launches[0].moved_bytes is None
    probs = torch.full((2, 3, 50), 1 / 50)
    drafts, counts = torch.zeros(2, 2, dtype=torch.int64), torch.tensor([2, 1], dtype=torch.int32)
    agree(tally, "verify_draft", KERNELS, probs, probs[:, :2], drafts, counts, seeds[:2], seeds[:2])
