"""`python -m ladder_kernels bench`: how fast is every kernel, beside torch's own, as a share of what this card can do?

Each number is the median of many launches between two CUDA events, on random data, with the L2 cache flushed before every
launch. Two ceilings are measured in the same run: the rate of a device copy (read plus written bytes) and the rate of a
16-bit matrix product. A kernel's bytes or FLOPs are its floor as its file states it, so a share above 1 would mean a wrong
count. The peer is what torch offers for the same work on the same data; where it has nothing of the kind, none is named.
"""

import json
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import torch

from ladder_kernels.bench_works import Sizes, random_matrix, works


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
    a, b = (random_matrix(device, sizes.matmul, sizes.matmul) for _ in "ab")
    return 2 * sizes.matmul**3 / timer(partial(torch.mm, a, b))


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
