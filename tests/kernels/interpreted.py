"""Triton's interpreter on every kernel. Not collected by name: test_interpreter.py runs this file in its own process."""

from __future__ import annotations

import numpy
import pytest
import torch
import triton
import triton.language as tl
from ladder_kernels import check, lang, paged_attention, split_kv
from ladder_kernels.copy_blocks import copy_blocks_triton
from ladder_kernels.dispatch import choose
from ladder_kernels.inputs import paged_batch, poisoned_memory, relative_error
from ladder_kernels.moe_gemm import moe_gemm_triton
from ladder_kernels.quantised_kv import paged_attention_quantised_triton
from ladder_kernels.sample import sample_triton
from ladder_kernels.store_kv import store_kv_triton

CPU = torch.device("cpu")
SETTING = check.Setting(CPU, large=False, twins=False)


def test_this_process_interprets_and_memory_is_poisoned():
    assert lang.INTERPRETED
    with poisoned_memory():
        assert torch.empty(3).isnan().all()
        assert torch.ones(1).new_empty(3, dtype=torch.float16).isnan().all()


@pytest.mark.parametrize("dtype", check.DTYPES, ids=str)
@pytest.mark.parametrize("operation", check.CHECKS)
def test_kernel_against_fp64(operation, dtype):
    if operation in check.ONE_DTYPE and dtype != torch.float32:
        pytest.skip("has one dtype")
    outcomes = list(check.CHECKS[operation](SETTING, dtype))
    assert outcomes
    assert [outcome for outcome in outcomes if not outcome.passed] == []


def test_attention_against_the_formula_written_apart(dense_attention):
    batch = paged_batch([3, 1, 18], [35, 17, 18], 6, 2, 80, torch.float32, CPU, sliding_window=20)
    out = paged_attention.paged_attention_triton(*batch.arguments())
    assert relative_error(out, dense_attention(*batch.arguments())) < 1e-5


@pytest.fixture
def guard(monkeypatch):
    """tl.dot raises on bf16, which the interpreter would multiply as raw bits."""
    from triton.runtime import interpreter

    dot = interpreter.InterpreterBuilder.create_dot

    def guarded(self, a, b, *rest):
        if tl.bfloat16 in (a.dtype, b.dtype):
            raise TypeError("uncast bf16 in tl.dot")
        return dot(self, a, b, *rest)

    monkeypatch.setattr(interpreter.InterpreterBuilder, "create_dot", guarded)


@triton.jit
def careless_kernel(x_ptr, y_ptr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i[:, None] * 16 + i[None, :])
    tl.store(y_ptr + i[:, None] * 16 + i[None, :], tl.dot(x, x))


def test_the_guard_sees_uncast_bf16(guard):
    with pytest.raises(Exception, match="uncast bf16"):
        careless_kernel[(1,)](torch.ones(16, 16, dtype=torch.bfloat16), torch.empty(16, 16))


def test_no_kernel_feeds_uncast_bf16_to_dot(guard):
    batch = paged_batch([3, 1], [20, 17], 2, 1, 64, torch.bfloat16, CPU)
    plans = split_kv.prefill_plan(64, 2, 2), split_kv.decode_plan(64, 2, 2, splits=2)
    for plan in plans:
        assert paged_attention.paged_attention_triton(*batch.arguments(), plan=plan).isfinite().all()
    cache = torch.ones(2, 16, 1, 64, dtype=torch.int8)
    scales = torch.ones(2, 1)
    tables = torch.tensor([[0, 1], [1, 0]], dtype=torch.int32)
    rest = (cache, cache, scales, scales, tables, batch.cu_seqlens_q, batch.context_lens, 1.0)
    assert paged_attention_quantised_triton(batch.query, *rest).isfinite().all()
    a, w = torch.ones(4, 32, dtype=torch.bfloat16), torch.ones(1, 16, 32, dtype=torch.bfloat16)
    pairs = torch.tensor([0, 1, 2, 3] + [-1] * 12, dtype=torch.int32)
    product = moe_gemm_triton(a, w, pairs, torch.tensor([0], dtype=torch.int32), 4, 1)
    assert (product == 32).all()


def test_offsets_are_64_bits_wide():
    """Block ids times strides pass 2^31 elements: a cache of one byte an element, mostly never touched."""
    block = 16 * 2 * 1024
    num_blocks = 2**31 // block + 2
    keys, values = (torch.empty(num_blocks, 16, 2, 1024, dtype=torch.int8) for _ in "kv")
    new = torch.randint(-100, 100, (1, 2, 1024), dtype=torch.int8)
    last = num_blocks - 1
    store_kv_triton(new, -new, keys, values, torch.tensor([last * 16 + 5]))
    assert torch.equal(keys[last, 5], new[0])
    assert torch.equal(values[last, 5], -new[0])
    copy_blocks_triton(keys[None], values[None], torch.tensor([[last, 1]]))
    assert torch.equal(keys[1, 5], new[0])

    keys[last, 0] = values[last, 0] = new[0]
    scales = torch.full((num_blocks, 32), 0.01)
    heads = keys.view(num_blocks, 16, 32, 64), values.view(num_blocks, 16, 32, 64)
    table, starts, lens = (torch.tensor(x, dtype=torch.int32) for x in ([[last]], [0, 1], [1]))
    query = torch.randn(1, 32, 64)
    out = paged_attention_quantised_triton(query, *heads, scales, scales, table, starts, lens, 1.0)
    torch.testing.assert_close(out[0], new.view(32, 64) * 0.01)  # a lone position is its own value


@pytest.fixture
def even_dot(monkeypatch):
    """tl.dot as a tensor core does it: each row in the same way. numpy's BLAS treats the rows at the end of a tile apart."""
    from triton.runtime import interpreter

    def dot(self, a, b, d, *rest):
        product = numpy.einsum("mk,kn->mn", a.data.astype(numpy.float32), b.data.astype(numpy.float32))
        return interpreter.TensorHandle(product.astype(d.data.dtype) + d.data, d.dtype.scalar)

    monkeypatch.setattr(interpreter.InterpreterBuilder, "create_dot", dot)


def run_invariant(batch, sequences, chunk=None):
    """paged_attention of some of the sequences under the batch-invariant plan, prompts in chunks when asked."""
    plan = split_kv.batch_invariant_plan(2, 128, split_size=32)
    outs = {}
    done = dict.fromkeys(sequences, 0)
    lens, starts = batch.context_lens.tolist(), batch.cu_seqlens_q.tolist()
    while any(done[s] < starts[s + 1] - starts[s] for s in sequences):
        steps = {s: min(chunk or 10**9, starts[s + 1] - starts[s] - done[s]) for s in sequences}
        rows = torch.cat(
            [torch.arange(starts[s] + done[s], starts[s] + done[s] + steps[s]) for s in sequences]
        )
        context = [lens[s] - (starts[s + 1] - starts[s]) + done[s] + steps[s] for s in sequences]
        cu = torch.tensor([0, *torch.tensor(list(steps.values())).cumsum(0).tolist()], dtype=torch.int32)
        out = paged_attention.paged_attention_triton(
            batch.query[rows],
            batch.key_cache,
            batch.value_cache,
            batch.block_tables[sequences],
            cu,
            torch.tensor(context, dtype=torch.int32),
            batch.scale,
            plan=plan,
        )
        for row, value in zip(rows.tolist(), out, strict=True):
            outs[row] = value
        for s in sequences:
            done[s] += steps[s]
    return torch.stack([outs[row] for row in sorted(outs)])


def test_batch_invariant_mode_gives_the_same_bits_alone_in_a_batch_and_in_chunks(even_dot):
    batch = paged_batch([1, 9, 1], [100, 70, 33], 4, 2, 64, torch.float16, CPU)
    together = run_invariant(batch, [0, 1, 2])
    alone = torch.cat([run_invariant(batch, [s]) for s in (0, 1, 2)])
    assert torch.equal(together, alone)
    assert torch.equal(run_invariant(batch, [1], chunk=4), together[1:10])


def test_batch_invariant_products_give_the_same_bits_alone_and_in_a_batch(even_dot):
    operations = choose(CPU, "interpret", batch_invariant=True)
    x, weight, bias = torch.randn(19, 40), torch.randn(70, 40), torch.randn(70)
    whole = operations.linear(x, weight, bias)
    assert relative_error(whole, x.double() @ weight.double().T + bias.double()) < 1e-5
    logits, gate_up, down = torch.randn(19, 3), torch.randn(3, 20, 40), torch.randn(3, 40, 10)
    layer = operations.moe(x, logits, gate_up, down, 2, True)
    for rows in ([18], [7, 2, 9]):
        assert torch.equal(operations.linear(x[rows], weight, bias), whole[rows])
        assert torch.equal(operations.moe(x[rows], logits[rows], gate_up, down, 2, True), layer[rows])
    query = paged_batch([1, 5], [40, 20], 4, 2, 64, torch.float32, CPU)
    out = operations.paged_attention(*query.arguments())
    assert relative_error(out, paged_attention.paged_attention_torch(*query.arguments(torch.float64))) < 1e-5


def test_splits_do_not_change_the_result_beyond_rounding():
    batch = paged_batch([1, 1], [150, 3], 4, 2, 64, torch.float32, CPU)
    outs = []
    for splits in (1, 2, 5, 9):
        plan = split_kv.Plan(16, 16, 4, 2, num_splits=splits)
        with poisoned_memory():
            outs.append(paged_attention.paged_attention_triton(*batch.arguments(), plan=plan))
    for out in outs[1:]:
        assert relative_error(out, outs[0]) < 1e-6


def test_the_kernel_draws_by_seed_and_position_whatever_the_slot():
    logits = torch.randn(1, 50, generator=torch.Generator().manual_seed(2)).expand(3, -1)
    ones, off = torch.ones(3), torch.zeros(3, dtype=torch.int32)
    seeds = torch.tensor([7, -7, 2**40 + 7])
    positions = torch.tensor([3, 3, 2**35])
    forward = sample_triton(logits, ones, off, ones, ones * 0, seeds, positions)
    backward = sample_triton(logits, ones, off, ones, ones * 0, seeds.flip(0), positions.flip(0))
    assert torch.equal(forward, backward.flip(0))


def test_nothing_to_do_is_done_without_a_launch():
    operations = choose(CPU, "interpret")
    empty = torch.empty(0, 2, 64)
    cache = torch.zeros(1, 16, 2, 64)
    none = torch.empty(0, dtype=torch.int64)
    operations.store_kv(empty, empty, cache, cache, none)
    operations.copy_blocks(cache[None], cache[None], none.view(0, 2))
    starts, lens = torch.zeros(1, dtype=torch.int32), torch.empty(0, dtype=torch.int32)
    out = operations.paged_attention(
        empty, cache, cache, torch.empty(0, 1, dtype=torch.int32), starts, lens, 1.0
    )
    assert out.shape == (0, 2, 64)
    assert operations.silu_mul(torch.empty(0, 8)).shape == (0, 4)
    assert operations.rope(none, empty, empty, torch.zeros(4, 64))[0].shape == (0, 2, 64)
    floats = torch.empty(0)
    assert operations.sample(torch.empty(0, 9), floats, floats.int(), floats, floats, none, none).shape == (
        0,
    )
