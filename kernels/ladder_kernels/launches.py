"""What a call of each operation launches, from its arguments: grids as the launching code has them, floors as the kernel
files state them.

For the torch twins it is what their kernels would launch. A tensor that has to be made contiguous first is not counted.
These functions look at values on the device (block tables, routes), so they wait for it: only an observed call pays.
"""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor

from ladder_kernels.attention_reads import attention_grid, program_reads
from ladder_kernels.batch_invariant import FIXED_TILE
from ladder_kernels.copy_blocks import CHUNK
from ladder_kernels.lang import cdiv
from ladder_kernels.launch import AttentionCut, Call, Launch
from ladder_kernels.moe_gemm import combine_tile, gemm_tile, moe_block_m
from ladder_kernels.moe_route import moe_route_torch, route_rows
from ladder_kernels.rms_norm import norm_rows
from ladder_kernels.silu_mul import silu_tile
from ladder_kernels.split_kv import batch_invariant_plan, plan_attention


def describe(operation: str, batch_invariant: bool, *arguments: object, **options: object) -> Call:
    """What this call launches; the arguments are those of the operation."""
    call: Callable[..., Call] = _CALLS[operation]
    if operation in ("linear", "paged_attention", "moe"):
        return call(batch_invariant, *arguments, **options)
    return call(*arguments, **options)


def _call(
    operation: str, shape: str, like: Tensor, *launches: Launch, cut: AttentionCut | None = None
) -> Call:
    return Call(operation, shape, str(like.dtype).removeprefix("torch."), launches, cut)


def _linear(batch_invariant: bool, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Call:
    (rows, inner), out, item = x.shape, weight.shape[0], x.element_size()
    floor = (rows * inner + out * inner + rows * out + (0 if bias is None else out)) * item
    launch = Launch("torch's matrix product", (), None, floor)
    if batch_invariant:
        tiles = cdiv(rows, FIXED_TILE)
        launch = _gemm(rows, rows, inner, out, (tiles, tiles, FIXED_TILE), 1, item)
    return _call("linear", f"[{rows}, {inner}] x [{out}, {inner}]", x, launch)


def _rms_norm(x: Tensor, weight: Tensor, _eps: float, residual: Tensor | None = None) -> Call:
    rows, hidden = x.shape
    programs = cdiv(rows, norm_rows(hidden))
    floor = (2 if residual is None else 4) * x.numel() * x.element_size()
    launch = Launch("rms_norm_kernel", (programs,), floor + programs * weight.nbytes, floor)
    return _call("rms_norm", f"[{rows}, {hidden}]" + ("" if residual is None else " + residual"), x, launch)


def _rope(positions: Tensor, query: Tensor, key: Tensor, _cos_sin: Tensor) -> Call:
    tokens, q_heads, head_dim = query.shape
    rows = 2 * (query.numel() + key.numel()) * query.element_size()
    distinct = len(torch.unique(positions))
    launch = Launch("rope_kernel", (tokens,), rows + 4 * head_dim * tokens, rows + 4 * head_dim * distinct)
    return _call("rope", f"[{tokens}, {q_heads} + {key.shape[1]}, {head_dim}]", query, launch)


def _silu_mul(gate_up: Tensor) -> Call:
    tokens, inner = gate_up.shape[0], gate_up.shape[1] // 2
    return _call(
        "silu_mul", f"[{tokens}, 2 x {inner}]", gate_up, _silu(tokens, inner, gate_up.element_size())
    )


def _silu(tokens: int, inner: int, item: int) -> Launch:
    moved = 3 * tokens * inner * item
    return Launch("silu_mul_kernel", (tokens, cdiv(inner, silu_tile(inner))), moved, moved)


def _store_kv(key: Tensor, _value: Tensor, _keys: Tensor, _values: Tensor, slot_mapping: Tensor) -> Call:
    tokens, kv_heads, head_dim = key.shape
    row = 4 * kv_heads * head_dim * key.element_size()
    written = int((slot_mapping >= 0).sum())
    launch = Launch("store_kv_kernel", (tokens,), written * row + 8 * tokens, tokens * row + 8 * tokens)
    return _call("store_kv", f"[{tokens}, {kv_heads}, {head_dim}]", key, launch)


def _copy_blocks(key_cache: Tensor, _value_cache: Tensor, src_to_dst: Tensor) -> Call:
    pairs, layers, numel = len(src_to_dst), key_cache.shape[0], key_cache[0, 0].numel()
    grid = (pairs, layers, cdiv(numel, CHUNK))
    floor = 4 * pairs * layers * numel * key_cache.element_size()
    launch = Launch("copy_blocks_kernel", grid, floor + 16 * grid[0] * grid[1] * grid[2], floor)
    return _call("copy_blocks", f"{pairs} pairs, {layers} layers", key_cache, launch)


def _paged_attention(
    batch_invariant: bool,
    query: Tensor,
    key_cache: Tensor,
    _value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    _scale: float,
    window: int | None = None,
) -> Call:
    (tokens, q_heads, head_dim), (block_size, kv_heads) = query.shape, key_cache.shape[1:3]
    group, room = q_heads // kv_heads, block_tables.shape[1] * block_size
    seqs = len(context_lens)
    plan = (
        batch_invariant_plan(group, room) if batch_invariant else plan_attention(query, key_cache, seqs, room)
    )
    starts, contexts = cu_seqlens_q.tolist(), context_lens.tolist()
    q_lens = [end - start for start, end in pairwise(starts)]
    programs = tuple(program_reads(plan, group, starts, contexts, window))
    tables = block_tables.tolist()
    cut = AttentionCut(
        plan, group, kv_heads, tuple(q_lens), tuple(contexts),
        tuple(tuple(table[: cdiv(context, block_size)]) for table, context in zip(tables, contexts, strict=True)),
        programs,
    )  # fmt: skip
    seen = [
        min(context, context if window is None else window + q_len - 1)
        for context, q_len in zip(contexts, q_lens, strict=True)
    ]
    item, kv_row, rows = query.element_size(), 2 * head_dim * key_cache.element_size(), tokens * q_heads
    read = (
        sum(program.num_positions for program in programs) * kv_heads * kv_row
        + query.nbytes * plan.num_splits
    )
    floor = sum(seen) * kv_heads * kv_row + 2 * query.nbytes
    grid = attention_grid(plan, tokens, seqs, q_heads, kv_heads)
    launches = [Launch("paged_attention_kernel", grid, read + query.nbytes, floor)]
    if plan.num_splits > 1:
        parts = _parts_written(cut, window) * q_heads * head_dim * 4 + rows * plan.num_splits * 4
        merge = parts + rows * head_dim * item
        launches = [
            Launch("paged_attention_kernel", grid, read + parts, floor),
            Launch("merge_splits_kernel", (rows,), merge, merge),
        ]
    shape = f"{seqs} sequences, {tokens} x {q_heads} queries, {sum(contexts)} positions x {kv_heads}"
    return _call("paged_attention", shape, query, *launches, cut=cut)


def _parts_written(cut: AttentionCut, window: int | None) -> int:
    """(token, split) pairs where the split sees something; the others write no part, and none is read."""
    written = 0
    for program in cut.programs:
        q_len, context = cut.query_lens[program.sequence], cut.context_lens[program.sequence]
        first = context - q_len + program.first
        for position in range(first, first + program.num_tokens):
            oldest = 0 if window is None else position - window + 1
            written += program.begin <= position and max(program.begin, oldest) < program.end
    return written


def _moe(
    batch_invariant: bool,
    x: Tensor,
    router_logits: Tensor,
    _w_gate_up: Tensor,
    w_down: Tensor,
    top_k: int,
    renormalise: bool = True,
) -> Call:
    (tokens, hidden), experts, item = x.shape, w_down.shape[0], x.element_size()
    pairs, inner = tokens * top_k, w_down.shape[2]
    block_m = FIXED_TILE if batch_invariant else moe_block_m(pairs, experts)
    counts = torch.bincount(
        moe_route_torch(router_logits, top_k, renormalise)[1].flatten(), minlength=experts
    )
    live, met = int(((counts + block_m - 1) // block_m).sum()), int((counts > 0).sum())
    tiles = cdiv(pairs + min(experts, pairs) * (block_m - 1), block_m), live, block_m
    route, ids = router_logits.nbytes + 8 * pairs, 4 * experts * pairs
    combine = pairs * hidden * item + 4 * pairs + tokens * hidden * item
    pieces = cdiv(hidden, combine_tile(hidden))
    return _call(
        "moe", f"[{tokens}, {hidden}], {top_k} of {experts} experts", x,
        Launch("moe_route_kernel", (cdiv(tokens, route_rows(experts)),), route, route),
        Launch("moe_count_kernel", (experts,), ids + 4 * experts, ids),
        Launch("moe_align_kernel", (experts,), ids + 4 * (experts**2 + pairs + live), ids),
        _gemm(tokens, pairs, hidden, 2 * inner, tiles, met, item),
        _silu(pairs, inner, item),
        _gemm(pairs, pairs, inner, hidden, tiles, met, item),
        Launch("moe_combine_kernel", (tokens, pieces), combine + 4 * pairs * (pieces - 1), combine),
    )  # fmt: skip


def _gemm(
    rows: int, pairs: int, inner: int, out: int, tiles: tuple[int, int, int], met: int, item: int
) -> Launch:
    """The grouped product: `rows` different rows of a, `met` matrices; tiles there are, those filled, and their rows."""
    (all_tiles, live, block_m), across = tiles, cdiv(out, gemm_tile(item)[0])
    places = 4 * across * (all_tiles + live * block_m)  # a tile's expert, and its pairs
    moved = (pairs * inner * across + live * out * inner + pairs * out) * item + places
    floor = (rows * inner + met * out * inner + pairs * out) * item
    return Launch("moe_gemm_kernel", (all_tiles * across,), moved, floor)


def _sample(logits: Tensor, temperature: Tensor, *_rest: Tensor, stream: int = 0) -> Call:  # noqa: ARG001
    """A greedy row is walked once; how often another one is depends on where its filters cut."""
    greedy = bool((temperature <= 0).all())
    moved = logits.nbytes + 12 * len(logits) if greedy else None
    launch = Launch("sample_kernel", (len(logits),), moved, logits.nbytes)
    return _call("sample", f"[{len(logits)}, {logits.shape[1]}]", logits, launch)


def _filter_probs(logits: Tensor, temperature: Tensor, *_rest: Tensor) -> Call:
    greedy = bool((temperature <= 0).all())
    moved = 2 * logits.nbytes + 4 * len(logits) if greedy else None
    launch = Launch("filter_probs_kernel", (len(logits),), moved, 2 * logits.nbytes)
    return _call("filter_probs", f"[{len(logits)}, {logits.shape[1]}]", logits, launch)


def _verify_draft(target_probs: Tensor, *_rest: Tensor | None) -> Call:
    """How many rows are looked at depends on how many drafts are right."""
    seqs, rows, vocab = target_probs.shape
    launch = Launch("verify_draft_kernel", (seqs,), None, 8 * seqs * vocab)
    return _call("verify_draft", f"[{seqs}, {rows}, {vocab}]", target_probs, launch)


_CALLS: dict[str, Callable[..., Call]] = {
    "store_kv": _store_kv,
    "copy_blocks": _copy_blocks,
    "paged_attention": _paged_attention,
    "linear": _linear,
    "rms_norm": _rms_norm,
    "rope": _rope,
    "silu_mul": _silu_mul,
    "moe": _moe,
    "sample": _sample,
    "filter_probs": _filter_probs,
    "verify_draft": _verify_draft,
}
