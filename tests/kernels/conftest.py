"""What the kernel tests share: references in fp64 that read like the formulas, written apart from the product."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def _dense_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None,
) -> Tensor:
    """One sequence, one head, one query at a time."""
    out = torch.zeros(query.shape, dtype=torch.float64)
    block_size, group = key_cache.shape[1], query.shape[1] // key_cache.shape[2]
    for seq, context in enumerate(context_lens.tolist()):
        first, end = cu_seqlens_q[seq].item(), cu_seqlens_q[seq + 1].item()
        slots = [(int(block_tables[seq, p // block_size]), p % block_size) for p in range(context)]
        keys = torch.stack([key_cache[slot] for slot in slots]).double()
        values = torch.stack([value_cache[slot] for slot in slots]).double()
        for token in range(first, end):
            position = context - (end - first) + token - first
            oldest = 0 if sliding_window is None else max(0, position - sliding_window + 1)
            for head in range(query.shape[1]):
                seen = slice(oldest, position + 1)
                scores = keys[seen, head // group] @ query[token, head].double() * scale
                out[token, head] = scores.softmax(0) @ values[seen, head // group]
    return out


@pytest.fixture
def dense_attention() -> Callable[..., Tensor]:
    return _dense_attention


def _run_python(*arguments: str, interpret: bool = True) -> subprocess.CompletedProcess[str]:
    """A fresh Python with the packages of this checkout; kernels are interpreted or compiled there, never both."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "kernels"),
        "TRITON_INTERPRET": str(int(interpret)),
        "TRITON_DEFAULT_FP_FUSION": "1",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=290
    )


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    return _run_python
