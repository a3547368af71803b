"""Checks of the operations that move and mix activations: cache, attention, norm, rope, gate, experts."""

from collections.abc import Iterator

import torch
from torch import Tensor

from ladder_kernels import (
    copy_blocks,
    lang,
    moe_gemm,
    moe_route,
    paged_attention,
    quantised_kv,
    rms_norm,
    rope,
    rope_table,
    silu_mul,
    split_kv,
    store_kv,
)
from ladder_kernels.inputs import paged_batch, relative_error
from ladder_kernels.setting import Outcome, Setting, limit_of, mismatch


def check_store_kv(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """Rows land in their slots; slot -1 and every other row stay as they were."""
    for tokens, heads, head_dim in ((7, 3, 80), (1, 1, 64), *([(8192, 8, 128)] if setting.large else [])):
        qkv = setting.randn(tokens, 3, heads, head_dim, dtype=dtype)
        caches = [
            torch.full((tokens // 16 + 4, 16, heads, head_dim), 7.0, dtype=dtype, device=setting.device)
        ] * 4
        caches = [cache.clone() for cache in caches]
        slots = torch.randperm(caches[0].shape[0] * 16, generator=torch.Generator().manual_seed(1))[:tokens]
        slots[tokens // 2] = -1
        slots = slots.to(setting.device)
        setting.call(store_kv, "store_kv", qkv[:, 1], qkv[:, 2], caches[0], caches[1], slots)
        store_kv.store_kv_torch(qkv[:, 1], qkv[:, 2], caches[2], caches[3], slots)
        error = mismatch(caches[0], caches[2]) + mismatch(caches[1], caches[3])
        yield Outcome(f"{tokens} tokens, {heads} x {head_dim}", error, 0.0)


def check_copy_blocks(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """Blocks arrive whole in every layer."""
    for layers, blocks, heads, head_dim in ((2, 6, 3, 80), *([(32, 512, 8, 128)] if setting.large else [])):
        keys = setting.randn(layers, blocks, 16, heads, head_dim, dtype=dtype)
        values = keys * 2
        wanted_keys, wanted_values = keys.clone(), values.clone()
        pairs = torch.tensor([[0, 3], [1, 5], [0, blocks - 2]], device=setting.device)
        setting.call(copy_blocks, "copy_blocks", keys, values, pairs)
        copy_blocks.copy_blocks_torch(wanted_keys, wanted_values, pairs)
        error = mismatch(keys, wanted_keys) + mismatch(values, wanted_values)
        yield Outcome(f"{layers} layers, {heads} x {head_dim}", error, 0.0)


# name, q_lens, context_lens, q_heads, kv_heads, head_dim, further options of paged_batch, plan
_ATTENTION: tuple[tuple[str, list[int], list[int], int, int, int, dict[str, int], split_kv.Plan | None], ...] = (
    ("decode at block edges, group 1", [1] * 4, [15, 16, 17, 1], 2, 2, 64, {}, None),
    ("decode, group 7, head 80", [1] * 3, [31, 33, 1], 7, 1, 80, {}, None),
    ("decode, shared blocks, group 8", [1] * 3, [40, 33, 47], 8, 1, 128, {"shared_blocks": 2}, None),
    ("chunks and decodes, group 3", [1, 5, 17, 1, 0], [40, 5, 50, 16, 20], 6, 2, 64, {}, None),
    ("one prompt, one token", [1], [1], 3, 1, 64, {}, None),
    ("chunks, sliding window", [1, 20, 1], [40, 20, 70], 4, 2, 64, {"sliding_window": 9}, None),
    ("window shorter than a tile", [40], [60], 4, 2, 64, {"sliding_window": 3}, split_kv.Plan(128, 16, 4, 2)),
    ("splits, some empty", [1, 1, 1], [100, 1, 17], 4, 2, 64, {}, split_kv.decode_plan(64, 2, 2, splits=4)),
    ("splits and window", [1, 1], [100, 17], 4, 2, 64, {"sliding_window": 40}, split_kv.decode_plan(64, 2, 2, splits=3)),
    ("batch-invariant, chunks", [1, 5], [70, 37], 6, 2, 64, {}, split_kv.batch_invariant_plan(3, 96, split_size=32)),
)  # fmt: skip
_LARGE_ATTENTION: tuple[tuple[str, list[int], list[int], int, int, int, dict[str, int], split_kv.Plan | None], ...] = (
    ("decode 32 x 4096", [1] * 32, [4096 - 37 * i for i in range(32)], 32, 8, 128, {}, None),
    ("decode 1 x 8192", [1], [8191], 32, 8, 128, {}, None),
    ("prompt 2 x 2048", [2048, 1500], [2048, 1500], 32, 8, 128, {}, None),
    ("prompt, head 80", [513], [513], 8, 8, 80, {}, None),
    ("mixed, 32 decodes and a chunk", [1] * 32 + [512], [1024] * 32 + [2000], 32, 8, 128, {}, None),
    ("long window", [1024], [3000], 8, 2, 128, {"sliding_window": 700}, None),
)  # fmt: skip


def check_paged_attention(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """Any mix of chunks and decodes, with and without splits."""
    for name, q_lens, lens, q_heads, kv_heads, head_dim, options, plan in (
        *_ATTENTION,
        *(_LARGE_ATTENTION if setting.large and dtype != torch.float32 else ()),
    ):
        batch = paged_batch(q_lens, lens, q_heads, kv_heads, head_dim, dtype, setting.device, **options)
        if plan is None:  # what a GPU would launch, also under the interpreter
            longest = batch.block_tables.shape[1] * 16
            plan = split_kv.gpu_plan(batch.query, batch.key_cache, len(lens), longest, multiprocessors=132)
        elif dtype == torch.float32:  # the tiles of these plans are made for 16 bits
            plan = split_kv.Plan(plan.block_m, 16, 4, 2, plan.num_splits, plan.split_size)
        with_plan = {} if setting.twins else {"plan": plan}
        out = setting.call(paged_attention, "paged_attention", *batch.arguments(), **with_plan)
        reference = paged_attention.paged_attention_torch(*batch.arguments(torch.float64))
        yield Outcome(name, relative_error(out, reference), limit_of(dtype))


def check_rms_norm(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """With and without residual, on odd widths and strided rows."""
    for rows, hidden in (
        (5, 200),
        (19, 64),
        (1, 1),
        *([(4096, 4096), (70000, 128)] if setting.large else []),
    ):
        x, residual = (
            setting.randn(rows, hidden + 8, dtype=dtype)[:, :hidden],
            setting.randn(rows, hidden, dtype=dtype),
        )
        weight = setting.randn(hidden, dtype=dtype)
        y = setting.call(rms_norm, "rms_norm", x, weight, 1e-6)
        reference = rms_norm.rms_norm_torch(x.double(), weight.double(), 1e-6)
        assert isinstance(reference, Tensor)
        yield Outcome(f"{rows} x {hidden}", relative_error(y, reference), limit_of(dtype))
        y, summed = setting.call(rms_norm, "rms_norm", x, weight, 1e-6, residual)
        wide = x.double() + residual.double()
        yield Outcome(f"{rows} x {hidden} sum", relative_error(summed, wide), limit_of(dtype))
        reference = rms_norm.rms_norm_torch(summed.double(), weight.double(), 1e-6)
        assert isinstance(reference, Tensor)
        yield Outcome(f"{rows} x {hidden} residual", relative_error(y, reference), limit_of(dtype))


def check_rope(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """Odd head counts and head sizes; queries and keys as slices of one QKV tensor."""
    for tokens, q_heads, kv_heads, head_dim in (
        (5, 7, 1, 80),
        (3, 6, 3, 64),
        *([(4096, 32, 8, 128)] if setting.large else []),
    ):
        qkv = setting.randn(tokens, q_heads + 2 * kv_heads, head_dim, dtype=dtype)
        query, key = qkv[:, :q_heads], qkv[:, q_heads : q_heads + kv_heads]
        table = rope_table.rope_table(head_dim, 128).to(setting.device)
        positions = setting.integers(0, 128, tokens)
        outs = setting.call(rope, "rope", positions, query, key, table)
        references = rope.rope_torch(positions, query.double(), key.double(), table)
        for part, out, reference in zip(("query", "key"), outs, references, strict=True):
            yield Outcome(f"{part} {tokens} x {head_dim}", relative_error(out, reference), limit_of(dtype))


def check_silu_mul(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """Odd widths, and gates far below zero."""
    for rows, width in ((5, 100), (1, 1), *([(4096, 14336)] if setting.large else [])):
        gate_up = setting.randn(rows, 2 * width, dtype=dtype)
        gate_up[0, : width // 2] = -60.0
        reference = silu_mul.silu_mul_torch(gate_up.double())
        yield Outcome(
            f"{rows} x {width}",
            relative_error(setting.call(silu_mul, "silu_mul", gate_up), reference),
            limit_of(dtype),
        )


def check_quantised_kv(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """A growing block is scaled again; attention reads the narrow cache as the twin reads the widened one."""
    # a step of int8 is 1 / 127 of the block's largest, one of e4m3 1 / 8 of the value; the interpreter cuts fp8 off
    for kind, step in ((torch.int8, 0.01), (torch.float8_e4m3fn, 0.07 if lang.INTERPRETED else 0.04)):
        if kind == torch.float8_e4m3fn and not _has_fp8(setting.device):
            continue
        new = setting.randn(40, 2, 3, 80, dtype=dtype)
        new[20:] *= 3
        slots = torch.arange(16, 56, device=setting.device)
        cache = _store_in_parts(setting, new, slots, kind)
        wanted = _store_in_parts(Setting(setting.device, setting.large, twins=True), new, slots, kind)
        yield Outcome(f"{kind} scales", relative_error(cache[2], wanted[2]), 1e-6)
        stored = quantised_kv.dequantise(cache[0], cache[2], torch.float32).flatten(0, 1)[slots]
        yield Outcome(f"{kind} rows", relative_error(stored, new[:, 0]), step)
        query = setting.randn(3, 6, 80, dtype=dtype)
        tables, starts, lens = (
            torch.tensor(x, dtype=torch.int32, device=setting.device) for x in ([[1, 2, 3]], [0, 3], [40])
        )
        rest = (*cache, tables, starts, lens, 80**-0.5)
        out = setting.call(quantised_kv, "paged_attention_quantised", query, *rest)
        reference = quantised_kv.paged_attention_quantised_torch(query.double(), *rest)
        yield Outcome(f"{kind} attention", relative_error(out, reference), limit_of(dtype))


def _store_in_parts(
    setting: Setting, new: Tensor, slots: Tensor, kind: torch.dtype
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Store 5 tokens, one, then the rest, into a cache of garbage; return both caches and both scales."""
    garbage = torch.full((4, 16, 3, 80), 0x7F, dtype=torch.uint8, device=setting.device).view(kind)
    scales = torch.full((4, 3), 9.0, device=setting.device)
    cache = (garbage, garbage.clone(), scales, scales.clone())
    for first, end in ((0, 5), (5, 6), (6, len(slots))):
        key, value = new[first:end].unbind(1)
        setting.call(quantised_kv, "store_kv_quantised", key, value, *cache, slots[first:end])
    return cache


def _has_fp8(device: torch.device) -> bool:
    return device.type != "cuda" or torch.cuda.get_device_capability(device) >= (8, 9)


def check_moe(setting: Setting, dtype: torch.dtype) -> Iterator[Outcome]:
    """Routing and alignment exactly, the layer within tolerance: empty experts, all to one, E not a power of two."""
    shapes = ((5, 6, 2, 40, 24), (20, 3, 1, 64, 32), *([(512, 128, 8, 2048, 768)] if setting.large else []))
    for tokens, experts, top_k, hidden, width in shapes:
        logits = setting.randn(tokens, experts, dtype=dtype)
        if top_k == 1:
            logits[:, 1] = 9.0
        weights, ids = setting.call(moe_route, "moe_route", logits, top_k, True)
        wanted, wanted_ids = moe_route.moe_route_torch(logits, top_k, True)
        name = f"{tokens} tokens, {experts} experts"
        yield Outcome(f"{name}: routing", mismatch(ids, wanted_ids), 0.0)
        yield Outcome(f"{name}: weights", relative_error(weights, wanted), 1e-5)
        aligned = setting.call(moe_route, "moe_align", wanted_ids, experts, 16)
        expected = moe_route.moe_align_torch(wanted_ids, experts, 16)
        error = sum(mismatch(a, b) for a, b in zip(aligned, expected, strict=True))
        yield Outcome(f"{name}: alignment", error, 0.0)
        x = setting.randn(tokens, hidden, dtype=dtype)
        w_gate_up = setting.randn(experts, 2 * width, hidden, dtype=dtype) / hidden**0.5
        w_down = setting.randn(experts, hidden, width, dtype=dtype) / width**0.5
        y = setting.call(moe_gemm, "moe", x, logits, w_gate_up, w_down, top_k)
        reference = moe_gemm.moe_torch(x.double(), logits, w_gate_up.double(), w_down.double(), top_k)
        yield Outcome(f"{name}: layer", relative_error(y, reference), limit_of(dtype))
