"""Triton for the kernel files, or a stand-in where it is not installed, so that the twins import everywhere.

A process either compiles kernels or interprets them: Triton decides when it is imported, by TRITON_INTERPRET. Where
there is no GPU there is nothing to launch on, so the kernels of such a process are interpreted unless it asked for
compilation (`python -m ladder_kernels aot` does) by setting TRITON_INTERPRET=0.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy
import torch

__all__ = [
    "HAS_TRITON",
    "INTERPRETED",
    "cdiv",
    "interpreter_fault",
    "jit",
    "next_power_of_2",
    "tl",
    "triton",
    "upcasts",
]

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")


class _Missing:
    """Stands for every name of `triton.language` in annotations and constants of kernels that cannot run."""

    def __getattr__(self, name: str) -> "_Missing":
        return self

    def __call__(self, *_args: object, **_kwargs: object) -> "_Missing":
        return self


try:
    import triton
    import triton.language as tl

    HAS_TRITON = True
    INTERPRETED = not isinstance(tl.sum, triton.runtime.JITFunction)
except ImportError:
    triton = tl = _Missing()
    HAS_TRITON = INTERPRETED = False


def jit(function: Callable[..., Any]) -> Any:
    """`triton.jit`, or the bare function where Triton is missing (dispatch never launches it there)."""
    return triton.jit(function) if HAS_TRITON else function


def cdiv(a: int, b: int) -> int:
    """Round a / b up."""
    return -(-a // b)


def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not below n (n >= 1)."""
    return 1 << (n - 1).bit_length()


def upcasts(dtype: torch.dtype) -> bool:
    """Whether dot operands of `dtype` must become fp32: the interpreter would multiply the raw bits of bf16."""
    return INTERPRETED and dtype == torch.bfloat16


@jit
def _loop_kernel(count_ptr):  # type: ignore[no-untyped-def]
    for _ in range(0, tl.load(count_ptr)):  # noqa: PIE808
        pass


def interpreter_fault() -> str | None:
    """One sentence when this Triton cannot interpret kernels under this numpy (3.6 cannot from numpy 2.4 on), else None."""
    try:
        _loop_kernel[(1,)](torch.ones(1, dtype=torch.int32))
    except Exception:
        return (
            f"Triton {triton.__version__} cannot interpret kernels under numpy {numpy.__version__};"
            " install a newer Triton or numpy below 2.4, or use kernels 'torch'."
        )
    return None
