"""The twins of the mixture of experts and of the quantised cache, against loops that read like the words."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_kernels.inputs import relative_error
from ladder_kernels.moe_gemm import moe_torch
from ladder_kernels.moe_route import moe_align_torch, moe_route_torch
from ladder_kernels.quantised_kv import dequantise, store_kv_quantised_torch


@pytest.mark.parametrize("renormalise", [True, False])
def test_a_token_gets_the_weighted_sum_of_its_experts(renormalise):
    x, logits = torch.randn(5, 8).double(), torch.randn(5, 3)
    w_gate_up, w_down = torch.randn(3, 12, 8).double(), torch.randn(3, 8, 6).double()
    expected = torch.zeros_like(x)
    for token in range(5):
        probs = logits[token].softmax(0).double()
        best = sorted(range(3), key=lambda e: -probs[e])[:2]
        share = sum(probs[e] for e in best) if renormalise else 1.0
        for e in best:
            gate, up = (w_gate_up[e] @ x[token]).chunk(2)
            expected[token] += probs[e] / share * (w_down[e] @ (gate * gate.sigmoid() * up))
    assert relative_error(moe_torch(x, logits, w_gate_up, w_down, 2, renormalise), expected) < 1e-6


def test_equal_experts_go_to_the_lower_id():
    _, ids = moe_route_torch(torch.tensor([[1.0, 3.0, 3.0, 3.0]]), 2, True)
    assert ids.tolist() == [[1, 2]]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 7),
    st.integers(0, 20),
    st.integers(1, 3),
    st.integers(0, 2**16),
    st.sampled_from([1, 4, 16]),
)
def test_alignment_gives_every_pair_one_place_in_a_tile_of_its_expert(experts, tokens, top_k, seed, block_m):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, experts, (tokens, top_k), generator=generator, dtype=torch.int32)
    pairs, block_experts = moe_align_torch(ids, experts, block_m)
    assert len(pairs) == len(block_experts) * block_m
    assert sorted(p for p in pairs.tolist() if p >= 0) == list(range(tokens * top_k))
    for tile, expert in zip(pairs.view(-1, block_m).tolist(), block_experts.tolist(), strict=True):
        real = [p for p in tile if p >= 0]
        assert real == sorted(real)
        assert tile[len(real) :] == [-1] * (block_m - len(real))
        assert (expert == -1) == (not real)
        assert all(ids.flatten()[p] == expert for p in real)
    filled = [e for e in block_experts.tolist() if e >= 0]
    assert filled == sorted(filled)


@pytest.mark.parametrize(("dtype", "step"), [(torch.int8, 1 / 127), (torch.float8_e4m3fn, 1 / 16)])
def test_a_block_that_grows_keeps_its_rows_within_a_step(dtype, step):
    new = torch.randn(40, 2, 8) * torch.linspace(0.1, 5, 40)[:, None, None]
    caches = [torch.full((4, 16, 2, 8), 0x7F, dtype=torch.uint8).view(dtype) for _ in "kv"]
    scales = [torch.full((4, 2), float("nan")) for _ in "kv"]
    slots = torch.arange(16, 56)
    first = 0
    for count in (3, 1, 1, 20, 15):
        part = slice(first, first + count)
        store_kv_quantised_torch(new[part], -new[part], *caches, *scales, slots[part])
        first += count
    for cache, scale, wanted in zip(caches, scales, (new, -new), strict=True):
        assert scale[0].isnan().all()  # block 0 was never written
        rows = dequantise(cache, scale, torch.float32).flatten(0, 1)[slots]
        largest = torch.stack([wanted[first : first + 16].abs().amax((0, 2)) for first in (0, 16, 32)])
        # each growth rounds the old rows again: half a step each, and a block grew at most three times
        bound = 2 * step * largest[torch.arange(40) // 16][..., None]
        assert ((rows - wanted).abs() <= bound).all()


def test_slot_minus_one_writes_nothing():
    caches = [torch.zeros(2, 16, 1, 8, dtype=torch.int8) for _ in "kv"]
    scales = [torch.zeros(2, 1) for _ in "kv"]
    store_kv_quantised_torch(
        torch.ones(2, 1, 8), torch.ones(2, 1, 8), *caches, *scales, torch.tensor([-1, 16])
    )
    assert caches[0].count_nonzero() == 8
    assert (caches[0][1, 0] == 127).all()
