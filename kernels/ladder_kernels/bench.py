"""`python -m ladder_kernels bench`: how fast is every kernel, beside torch's own, as a share of what this card can do?

Each number is the median of many launches between two CUDA events, on random data, with the L2 cache flushed before every
launch. Two ceilings are measured in the same run: the rate of a device copy (read plus written bytes) and the rate of a
16-bit matrix product. A kernel's bytes or FLOPs are its floor as its file states it, so a share above 1 would mean a wrong
count. The peer is what torch offers for the same work on the same data; where it has nothing of the kind, none is named.
"""

import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

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


class Timer(Protocol):
    """Measures one call."""

    def __call__(self, call: Callable[[], object]) -> float:
        """Seconds that one call takes on the device."""


class EventTimer:
    """The median over launches between CUDA events, L2 flushed before each, for about `budget_s` seconds."""

    def __init__(
        self, device: torch.device, budget_s: float = 0.5, launches: tuple[int, int] = (10, 100)
    ) -> None:
        self._budget_s = budget_s
        self._launches = launches
        self._flush = torch.empty(1 << 30, dtype=torch.int8, device=device)

    def __call__(self, call: Callable[[], object]) -> float:
        """Seconds that one call takes on the device; the first calls, which compile, do not count."""
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        low, high = self._launches
        count = min(high, max(low, int(self._budget_s / max(self._once(call), 1e-6))))
        return statistics.median(self._once(call) for _ in range(count))

    def _once(self, call: Callable[[], object]) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        self._flush.zero_()  # also keeps the device busy while the host queues the launch
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) / 1e3


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


@dataclass(frozen=True)
class Row:
    """One measured line. Rates are per second; `share` is of the copy rate or of the matmul rate."""

    name: str
    seconds: float
    rate: float
    unit: str
    share: float
    peer_name: str | None
    peer_seconds: float | None


@dataclass(frozen=True)
class Report:
    """What one run measured, and on what."""

    device: str
    torch: str
    triton: str
    copy_rate: float
    matmul_rate: float
    rows: list[Row]


def measure(timer: Timer, device: torch.device, sizes: Sizes) -> Report:
    """Measure both ceilings, then every kernel."""
    copy_rate, matmul_rate = _copy_rate(timer, device, sizes), _matmul_rate(timer, device, sizes)
    rows = []
    for work in works(device, sizes):
        seconds = timer(work.ours)
        peer_seconds = timer(work.peer) if work.peer else None
        amount, ceiling, unit = (
            (work.flops, matmul_rate, "FLOP/s") if work.flops else (work.moved_bytes, copy_rate, "B/s")
        )
        rate = amount / seconds
        rows.append(Row(work.name, seconds, rate, unit, rate / ceiling, work.peer_name, peer_seconds))
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    return Report(name, torch.__version__, _triton_version(), copy_rate, matmul_rate, rows)


def _copy_rate(timer: Timer, device: torch.device, sizes: Sizes) -> float:
    source = torch.randn(sizes.copy_bytes // 4, device=device)
    return 2 * sizes.copy_bytes / timer(partial(torch.empty_like(source).copy_, source))


def _matmul_rate(timer: Timer, device: torch.device, sizes: Sizes) -> float:
    a, b = (_randn(device, sizes.matmul, sizes.matmul) for _ in "ab")
    return 2 * sizes.matmul**3 / timer(partial(torch.mm, a, b))


def works(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    """Everything that is measured, one at a time, so that only one set of inputs is alive."""
    for maker in (_rowwise, _cache, _decode, _prefill, _sampling, _experts):
        yield from maker(device, sizes)


def _randn(device: torch.device, *shape: int) -> Tensor:
    return torch.randn(shape, device=device, dtype=torch.bfloat16)


def _rowwise(device: torch.device, sizes: Sizes) -> Iterator[Work]:
    tokens, hidden = sizes.tokens, sizes.hidden
    x, residual, weight = (
        _randn(device, tokens, hidden),
        _randn(device, tokens, hidden),
        _randn(device, hidden),
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
    gate_up = _randn(device, tokens, 7 * hidden)
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
    qkv = _randn(device, tokens, 48, 128)
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
    keys, values = (_randn(device, tokens // 16 * 2, 16, 8, 128) for _ in "kv")
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
    w_gate_up, w_down = _randn(device, experts, 2 * width, hidden), _randn(device, experts, hidden, width)
    x, logits = _randn(device, sizes.tokens, hidden), _randn(device, sizes.tokens, experts)
    yield Work(
        f"moe {sizes.tokens} tokens, {top_k} of {experts} experts",
        lambda: moe_gemm.moe_triton(x, logits, w_gate_up, w_down, top_k),
        "torch, expert by expert",
        lambda: moe_gemm.moe_torch(x, logits, w_gate_up, w_down, top_k),
        flops=2 * sizes.tokens * top_k * 3 * width * hidden,
    )


def write(report: Report, folder: Path) -> str:
    """Write bench.json and bench.md to `folder`; return the Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(asdict(report), indent=1) + "\n")
    lines = [
        f"Measured on {report.device} with torch {report.torch} and triton {report.triton}, L2 flushed, medians.",
        f"Ceilings of the same run: copy {report.copy_rate / 1e9:.0f} GB/s, bf16 matmul {report.matmul_rate / 1e12:.0f} TFLOP/s.",
        "",
        "| kernel | time (µs) | rate | share of ceiling | peer | peer time (µs) |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for row in report.rows:
        rate = f"{row.rate / 1e12:.1f} TFLOP/s" if row.unit == "FLOP/s" else f"{row.rate / 1e9:.0f} GB/s"
        peer = f"{row.peer_seconds * 1e6:.1f}" if row.peer_seconds is not None else ""
        lines.append(
            f"| {row.name} | {row.seconds * 1e6:.1f} | {rate} | {row.share:.0%} | {row.peer_name or ''} | {peer} |"
        )
    text = "\n".join(lines) + "\n"
    (folder / "bench.md").write_text(text)
    return text


def _triton_version() -> str:
    from ladder_kernels.lang import HAS_TRITON, triton

    return str(triton.__version__) if HAS_TRITON else "none"
