"""What `bench` measures: each kernel on a real model's shapes, its floor, and what torch offers for the same work."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from ladder_kernels import (
    copy_blocks,
    moe_gemm,
    paged_attention,
    rms_norm,
    rope,
    rope_table,
    sample,
    silu_mul,
    store_kv,
)
from ladder_kernels.inputs import PagedBatch, paged_batch


@dataclass(frozen=True)
class Sizes:
    """How big the measured shapes are: Llama-3.1-8B's heads and widths, in full or a small part for a trial."""

    tokens: int
    context: int
    decodes: int
    prompt: int
    hidden: int
    vocab: int
    experts: int
    copy_bytes: int
    matmul: int


FULL = Sizes(8192, 4096, 32, 8192, 4096, 128256, 64, 2 << 30, 8192)


@dataclass(frozen=True)
class Work:
    """One thing to measure: ours, the peer's name and call if there is one, and the floor."""

    name: str
    ours: Callable[[], object]
    peer_name: str | None
    peer: Callable[[], object] | None
    moved_bytes: int = 0
    flops: int = 0


def works(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    """Everything that is measured, one at a time, so that only one set of inputs is alive."""
    for maker in (_rowwise, _cache, _decode, _prefill, _sampling, _experts):
        yield from maker(device, sizes)


def random_matrix(device: torch.device, *shape: int) -> Tensor:
    """Normal random numbers in bf16."""
    return torch.randn(shape, device=device, dtype=torch.bfloat16)


def _rowwise(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    tokens, hidden = sizes.tokens, sizes.hidden
    x, residual, weight = (
        random_matrix(device, tokens, hidden),
        random_matrix(device, tokens, hidden),
        random_matrix(device, hidden),
    )
    yield Work(
        f"rms_norm {tokens} x {hidden}",
        lambda: rms_norm.rms_norm_triton(x, weight, 1e-5),
        "torch rms_norm",
        lambda: F.rms_norm(x, (hidden,), weight, 1e-5),
        moved_bytes=2 * x.nbytes,
    )
    yield Work(
        f"rms_norm + residual {tokens} x {hidden}",
        lambda: rms_norm.rms_norm_triton(x, weight, 1e-5, residual),
        "torch add, rms_norm",
        lambda: F.rms_norm(x + residual, (hidden,), weight, 1e-5),
        moved_bytes=4 * x.nbytes,
    )
    gate_up = random_matrix(device, tokens, 7 * hidden)
    half = gate_up.shape[1] // 2
    yield Work(
        f"silu_mul {tokens} x {half}",
        lambda: silu_mul.silu_mul_triton(gate_up),
        "torch silu, mul",
        lambda: F.silu(gate_up[:, :half]) * gate_up[:, half:],
        moved_bytes=3 * gate_up.nbytes // 2,
    )


def _cache(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    tokens = sizes.tokens
    qkv = random_matrix(device, tokens, 48, 128)
    query, key, value = qkv[:, :32], qkv[:, 32:40], qkv[:, 40:]
    table = rope_table.rope_table(128, tokens).to(device)
    positions = torch.arange(tokens, device=device)
    yield Work(
        f"rope {tokens} x (32 + 8) x 128",
        lambda: rope.rope_triton(positions, query, key, table),
        "torch, several operations",
        lambda: rope.rope_torch(positions, query, key, table),
        moved_bytes=2 * (query.numel() + key.numel()) * 2 + table.nbytes,
    )
    keys, values = (random_matrix(device, tokens // 16 * 2, 16, 8, 128) for _ in "kv")
    slots = torch.randperm(tokens * 2, device=device)[:tokens]
    yield Work(
        f"store_kv {tokens} x 8 x 128",
        lambda: store_kv.store_kv_triton(key, value, keys, values, slots),
        "torch index_put",
        lambda: (
            keys.flatten(0, 1).index_put_((slots,), key),
            values.flatten(0, 1).index_put_((slots,), value),
        ),
        moved_bytes=4 * key.numel() * 2 + slots.nbytes,
    )
    layers = torch.stack((keys, keys)), torch.stack((values, values))
    blocks = keys.shape[0]
    pairs = torch.randperm(blocks, device=device)[: blocks // 2 * 2].view(2, -1).T.contiguous()
    source, destination = pairs.unbind(1)
    yield Work(
        f"copy_blocks {len(pairs)} pairs, 2 layers",
        lambda: copy_blocks.copy_blocks_triton(*layers, pairs),
        "torch index, index_put",
        lambda: [cache.index_copy_(1, destination, cache.index_select(1, source)) for cache in layers],
        moved_bytes=4 * len(pairs) * 2 * keys[0].nbytes,
    )


def _dense(batch: PagedBatch) -> tuple[Tensor, Tensor, Tensor]:
    """The same queries, keys and values as contiguous tensors [S, heads, length, D], for SDPA; equal lengths only."""
    sequences, length = len(batch.context_lens), int(batch.context_lens[0])
    blocks = batch.block_tables[:, : length // 16].long()
    query = batch.query.view(sequences, -1, *batch.query.shape[1:]).transpose(1, 2).contiguous()
    keys, values = (
        cache[blocks].flatten(1, 2).transpose(1, 2).contiguous()
        for cache in (batch.key_cache, batch.value_cache)
    )
    return query, keys, values


def _decode(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    for sequences, context in ((sizes.decodes, sizes.context), (1, sizes.context * 4)):
        batch = paged_batch([1] * sequences, [context] * sequences, 32, 8, 128, torch.bfloat16, device)
        query, keys, values = _dense(batch)
        yield Work(
            f"decode {sequences} x {context}, 32/8 heads of 128",
            partial(paged_attention.paged_attention_triton, *batch.arguments()),
            "torch SDPA on contiguous KV",
            partial(F.scaled_dot_product_attention, query, keys, values, enable_gqa=True),
            moved_bytes=2 * sequences * context * 8 * 128 * 2 + 2 * query.nbytes,
        )


def _prefill(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    length = sizes.prompt
    batch = paged_batch([length], [length], 32, 8, 128, torch.bfloat16, device)
    query, keys, values = _dense(batch)
    yield Work(
        f"prompt {length}, 32/8 heads of 128, causal",
        lambda: paged_attention.paged_attention_triton(*batch.arguments()),
        "torch SDPA on contiguous KV",
        lambda: F.scaled_dot_product_attention(query, keys, values, is_causal=True, enable_gqa=True),
        flops=4 * 128 * 32 * length * (length + 1) // 2,
    )


def _sampling(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    rows = sizes.decodes
    logits = torch.randn(rows, sizes.vocab, device=device)
    ones = torch.ones(rows, device=device)
    seeds = torch.arange(rows, device=device)
    for name, top_k, top_p in (("temperature", 0, 1.0), ("top-k 50, top-p 0.9", 50, 0.9)):
        arguments = (logits, ones, ones.int() * top_k, ones * top_p, ones * 0, seeds, seeds)
        yield Work(
            f"sample {rows} x {sizes.vocab}, {name}",
            partial(sample.sample_triton, *arguments),
            "torch, several operations",
            partial(sample.sample_torch, *arguments),
            moved_bytes=logits.nbytes,
        )


def _experts(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    experts, hidden, width, top_k = sizes.experts, sizes.hidden // 2, sizes.hidden // 4, min(8, sizes.experts)
    w_gate_up, w_down = (
        random_matrix(device, experts, 2 * width, hidden),
        random_matrix(device, experts, hidden, width),
    )
    x, logits = random_matrix(device, sizes.tokens, hidden), random_matrix(device, sizes.tokens, experts)
    yield Work(
        f"moe {sizes.tokens} tokens, {top_k} of {experts} experts",
        lambda: moe_gemm.moe_triton(x, logits, w_gate_up, w_down, top_k),
        "torch, expert by expert",
        lambda: moe_gemm.moe_torch(x, logits, w_gate_up, w_down, top_k),
        flops=2 * sizes.tokens * top_k * 3 * width * hidden,
    )
