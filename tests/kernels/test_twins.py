"""The torch twins define right, so they are held against references in fp64 that share no code with them."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_kernels.copy_blocks import copy_blocks_torch
from ladder_kernels.dispatch import rope_table
from ladder_kernels.gathered_attention import GatheredAttention
from ladder_kernels.inputs import paged_batch, relative_error
from ladder_kernels.packed_linear import linear_packed, pack_weight
from ladder_kernels.paged_attention import paged_attention_torch
from ladder_kernels.rms_norm import rms_norm_torch
from ladder_kernels.rope import StepRope, rope_torch
from ladder_kernels.silu_mul import silu_mul_torch
from ladder_kernels.split_kv import merge_splits_torch
from ladder_kernels.store_kv import store_kv_torch

CPU = torch.device("cpu")


@pytest.fixture(params=["twin", "gathered"])
def attention(request):
    """What defines right, and what a CPU runs; the latter has met another step before."""
    if request.param == "twin":
        return paged_attention_torch
    gathered = GatheredAttention()
    gathered(*paged_batch([2, 1], [9, 4], 2, 1, 8, torch.float32, CPU, seed=1).arguments())
    return gathered


@pytest.mark.parametrize(
    ("q_lens", "context_lens", "q_heads", "kv_heads", "head_dim", "options"),
    [
        ([1, 1, 1, 1], [15, 16, 17, 1], 4, 4, 64, {}),
        ([1, 1], [33, 48], 7, 1, 80, {}),
        ([5, 1, 17, 0, 1], [5, 40, 30, 9, 1], 6, 2, 32, {}),
        ([3, 1, 30], [40, 20, 35], 8, 1, 128, {"sliding_window": 7}),
        ([1, 4, 1], [50, 40, 33], 3, 1, 16, {"shared_blocks": 2}),
        ([2, 1], [9, 4], 2, 1, 8, {"block_size": 1}),
        ([6], [6], 2, 2, 8, {"block_size": 256}),
    ],
)
def test_attention_is_the_dense_formula_and_reads_no_garbage(
    attention, dense_attention, q_lens, context_lens, q_heads, kv_heads, head_dim, options
):
    batch = paged_batch(q_lens, context_lens, q_heads, kv_heads, head_dim, torch.float32, CPU, **options)
    reference = dense_attention(*batch.arguments())
    assert relative_error(attention(*batch.arguments()), reference) < 1e-6
    assert relative_error(attention(*batch.arguments(torch.float64)), reference) < 1e-13
    half = batch.arguments(torch.float16)
    assert relative_error(attention(*half), dense_attention(*half)) < 1e-3


def test_the_garbage_is_there():
    batch = paged_batch([1], [17], 1, 1, 4, torch.float32, CPU)
    assert batch.key_cache.isnan().any()
    assert (batch.block_tables[0, 2:].abs() > 1000).any()
    last_block = batch.key_cache[batch.block_tables[0, 1]]
    assert not last_block[0].isnan().any()
    assert last_block[1:].isnan().all()


@pytest.mark.parametrize("window", [None, 11])
def test_attention_in_small_groups_is_attention_at_once(monkeypatch, window):
    batch = paged_batch(
        [37, 1, 3, 3, 20], [60, 50, 8, 9, 20], 4, 2, 16, torch.float64, CPU, sliding_window=window
    )
    whole = GatheredAttention()(*batch.arguments())
    for limit, least in (("MAX_QUERIES", 19), ("MAX_PADDING", 0), ("MAX_ROWS", 10)):
        monkeypatch.setattr(f"ladder_kernels.gathered_attention.{limit}", least)
    assert relative_error(GatheredAttention()(*batch.arguments()), whole) < 1e-14


def test_layers_of_one_step_differ_in_cache_and_window_only():
    """A step is laid out once; each layer brings its own KV, and some of them a window."""
    gathered = GatheredAttention()
    first, second = (
        paged_batch([1, 5, 1], [70, 9, 30], 4, 2, 8, torch.float64, CPU, seed=seed) for seed in (0, 1)
    )
    first_layer = first.arguments()
    for caches, window in ((first, None), (second, None), (second, 4), (first, None)):
        layer = list(first_layer)
        layer[1:3], layer[7] = caches.arguments()[1:3], window
        layer[1], layer[2] = (torch.nan_to_num(cache) for cache in layer[1:3])
        assert relative_error(gathered(*layer), paged_attention_torch(*layer)) < 1e-13
    later = second.arguments()
    assert relative_error(gathered(*later), paged_attention_torch(*later)) < 1e-13


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40)), min_size=1, max_size=5),
    st.integers(0, 2**16),
    st.sampled_from([None, 1, 5]),
)
def test_a_sequence_does_not_feel_its_neighbours(parts, seed, window):
    attention = GatheredAttention()
    q_lens = [q for q, _ in parts]
    lens = [max(q + older, 1) for q, older in parts]
    batch = paged_batch(q_lens, lens, 4, 2, 8, torch.float64, CPU, sliding_window=window, seed=seed)
    together = attention(*batch.arguments())
    for seq in range(len(parts)):
        first, end = batch.cu_seqlens_q[seq : seq + 2].tolist()
        alone = attention(
            batch.query[first:end],
            batch.key_cache,
            batch.value_cache,
            batch.block_tables[seq : seq + 1],
            torch.tensor([0, end - first], dtype=torch.int32),
            batch.context_lens[seq : seq + 1],
            batch.scale,
            window,
        )
        torch.testing.assert_close(alone, together[first:end], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("rows", "inner", "out"), [(1, 64, 96), (7, 33, 5), (40, 100, 130), (0, 8, 4)])
def test_a_packed_weight_gives_the_product_of_the_plain_one(rows, inner, out):
    x, weight, bias = torch.randn(rows, inner + 3)[:, :inner], torch.randn(out, inner), torch.randn(out)
    packed = pack_weight(weight)
    assert packed.shape == weight.shape
    for each in (None, bias):
        exact = x.double() @ weight.double().T + (0 if each is None else each.double())
        assert relative_error(linear_packed(x, packed, each), exact) < 1e-6


def test_only_fp32_on_a_cpu_is_packed():
    for weight in (torch.ones(4, 8, dtype=torch.bfloat16), torch.ones(4, 8, device="meta")):
        assert pack_weight(weight) is weight
    half = torch.randn(4, 8, dtype=torch.float16)
    assert torch.equal(linear_packed(half, pack_weight(half)), torch.nn.functional.linear(half, half))


def test_merging_splits_by_log_sum_exp_is_attention_over_all():
    scores, values = torch.randn(3, 2, 40, dtype=torch.float64), torch.randn(3, 2, 40, 8, dtype=torch.float64)
    whole = (scores.softmax(-1)[..., None, :] @ values).squeeze(-2)
    parts, lse = [], []
    for first, end in ((0, 7), (7, 7), (7, 39), (39, 40)):
        part = scores[..., first:end]
        parts.append((part.softmax(-1)[..., None, :] @ values[..., first:end, :]).squeeze(-2))
        lse.append(part.logsumexp(-1) / math.log(2) if end > first else torch.full((3, 2), -math.inf))
    parts[1] = torch.full_like(parts[1], math.nan)  # an empty split leaves its part unwritten
    merged = merge_splits_torch(torch.stack(parts, -2), torch.stack(lse, -1))
    torch.testing.assert_close(merged, whole, rtol=1e-12, atol=1e-12)


def test_store_kv_writes_its_slots_and_nothing_else():
    key, value = torch.randn(4, 2, 8), torch.randn(4, 2, 8)
    key_cache, value_cache = torch.zeros(3, 16, 2, 8), torch.zeros(3, 16, 2, 8)
    store_kv_torch(key, value, key_cache, value_cache, torch.tensor([47, -1, 16, 3]))
    for cache, new in ((key_cache, key), (value_cache, value)):
        assert torch.equal(cache[2, 15], new[0])
        assert torch.equal(cache[1, 0], new[2])
        assert torch.equal(cache[0, 3], new[3])
        assert cache.count_nonzero() == 3 * 16


def test_copy_blocks_copies_in_every_layer_and_refuses_a_race():
    keys, values = torch.randn(2, 5, 16, 1, 4), torch.randn(2, 5, 16, 1, 4)
    before = keys.clone(), values.clone()
    copy_blocks_torch(keys, values, torch.tensor([[0, 3], [0, 4]]))
    for cache, old in zip((keys, values), before, strict=True):
        assert torch.equal(cache[:, 3], old[:, 0])
        assert torch.equal(cache[:, 4], old[:, 0])
        assert torch.equal(cache[:, :3], old[:, :3])
    for race in ([[0, 1], [2, 1]], [[0, 1], [1, 2]]):
        with pytest.raises(ValueError, match="destination"):
            copy_blocks_torch(keys, values, torch.tensor(race))


@pytest.mark.parametrize(("dtype", "limit"), [(torch.float32, 1e-6), (torch.float16, 1e-3)])
def test_rms_norm(dtype, limit):
    x, residual, weight = (torch.randn(s).to(dtype) for s in ((6, 80), (6, 80), (80,)))
    r = x.double() + residual.double()
    expected = r / (r.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * weight.double()
    y, summed = rms_norm_torch(x, weight, 1e-5, residual)
    assert relative_error(summed, r) < limit
    assert relative_error(y, expected) < limit
    assert torch.equal(rms_norm_torch(summed, weight, 1e-5), y)


def test_silu_mul():
    gate, up = torch.randn(5, 33, dtype=torch.float64), torch.randn(5, 33, dtype=torch.float64)
    out = silu_mul_torch(torch.cat((gate, up), -1).float())
    assert relative_error(out, gate * up / (1 + torch.exp(-gate))) < 1e-6


def test_rope_turns_pairs_by_position_times_frequency():
    head_dim, theta = 8, 500.0
    positions = torch.tensor([0, 3, 99])
    query, key = torch.randn(3, 4, head_dim), torch.randn(3, 2, head_dim)
    outs = rope_torch(positions, query, key, rope_table(head_dim, 100, theta))
    for x, out in zip((query, key), outs, strict=True):
        for i in range(head_dim // 2):
            turn = torch.polar(torch.ones(3).double(), positions.double() * theta ** (-2 * i / head_dim))
            expected = torch.complex(x[..., i].double(), x[..., i + head_dim // 2].double()) * turn[:, None]
            torch.testing.assert_close(out[..., i].double(), expected.real, rtol=1e-5, atol=1e-5)
            torch.testing.assert_close(
                out[..., i + head_dim // 2].double(), expected.imag, rtol=1e-5, atol=1e-5
            )


def test_rope_of_a_step_knows_positions_and_tables_apart():
    """A draft model with another table may share a step's rope, and so may a later step of as many tokens."""
    rope, tables = StepRope(), [rope_table(8, 50, theta) for theta in (500.0, 10_000.0)]
    query, key = torch.randn(3, 4, 8), torch.randn(3, 2, 8)
    early, late = torch.tensor([0, 3, 9]), torch.tensor([1, 4, 10])
    for positions, table in ((early, tables[0]), (late, tables[0]), (late, tables[1]), (early, tables[1])):
        for out, right in zip(
            rope(positions, query, key, table), rope_torch(positions, query, key, table), strict=True
        ):
            assert torch.equal(out, right)


SCALINGS = [
    {"rope_type": "default"},
    {"rope_type": "linear", "factor": 4.0},
    {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
    {
        "rope_type": "yarn",
        "factor": 40.0,
        "original_max_position_embeddings": 4096,
        "mscale": 1.0,
        "mscale_all_dim": 0.8,
        "beta_fast": 16,
        "beta_slow": 2,
    },
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "truncate": False},
]


@pytest.mark.parametrize("scaling", SCALINGS, ids=lambda s: s["rope_type"])
@pytest.mark.parametrize("head_dim", [64, 80, 128])
def test_rope_tables_are_those_of_transformers(scaling, head_dim):
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    from transformers import LlamaConfig

    config = LlamaConfig(
        hidden_size=4 * head_dim,
        num_attention_heads=4,
        head_dim=head_dim,
        max_position_embeddings=131072,
        rope_parameters={**scaling, "rope_theta": 500000.0},
    )
    positions = torch.tensor([[0, 1, 2, 17, 300]])
    cos, sin = llama.LlamaRotaryEmbedding(config)(torch.zeros(1, 5, head_dim), positions)
    table = rope_table(head_dim, 301, 500000.0, scaling)[positions[0]]
    torch.testing.assert_close(table[:, : head_dim // 2], cos[0, :, : head_dim // 2], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(table[:, head_dim // 2 :], sin[0, :, : head_dim // 2], rtol=1e-4, atol=1e-4)


def test_an_unknown_rope_type_is_refused():
    with pytest.raises(ValueError, match="longrope"):
        rope_table(64, 10, scaling={"rope_type": "longrope"})
