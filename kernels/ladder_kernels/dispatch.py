"""The choice between the kernels and their twins. The engine calls nothing else of this package.

`choose` says once which operations a device gets; after that nobody asks again.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor

from ladder_kernels.rope_table import rope_table

__all__ = ["KernelError", "Mode", "Operations", "choose", "rope_table"]

Mode = Literal["auto", "torch", "triton", "interpret"]


class KernelError(Exception):
    """The kernels that were asked for cannot run here. The message is one sentence for a person."""


class PagedAttention(Protocol):
    """See paged_attention.py for shapes and dtypes."""

    def __call__(
        self,
        query: Tensor,
        key_cache: Tensor,
        value_cache: Tensor,
        block_tables: Tensor,
        cu_seqlens_q: Tensor,
        context_lens: Tensor,
        scale: float,
        sliding_window: int | None = None,
    ) -> Tensor:
        """Return out [T, Hq, D]."""


class RmsNorm(Protocol):
    """See rms_norm.py for shapes and dtypes."""

    def __call__(
        self, x: Tensor, weight: Tensor, eps: float, residual: Tensor | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Return y, or (y, x + residual) when a residual is given."""


@dataclass(frozen=True)
class Operations:
    """What the engine runs. Each operation is described in the file of its name, `moe` in moe_gemm.py."""

    name: str
    store_kv: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], None]
    copy_blocks: Callable[[Tensor, Tensor, Tensor], None]
    paged_attention: PagedAttention
    rms_norm: RmsNorm
    rope: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    silu_mul: Callable[[Tensor], Tensor]
    moe: Callable[[Tensor, Tensor, Tensor, Tensor, int, bool], Tensor]
    sample: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def choose(device: torch.device, mode: Mode = "auto") -> Operations:
    """Return the operations for `device`.

    `auto` takes Triton on a GPU (CUDA or ROCm) where it is installed, and the torch twins elsewhere; `torch` always the
    twins; `triton` the compiled kernels; `interpret` the same kernels run by Triton's interpreter on the CPU, slowly.
    Compiled kernels are launched on the current device of the process, so a rank of several GPUs sets its own first.

    Raises KernelError when the mode cannot run here.
    """
    if mode == "torch" or (mode == "auto" and device.type != "cuda"):
        return _twins()
    if mode == "interpret":
        if device.type != "cpu":
            raise KernelError(
                f"The interpreter runs kernels on the CPU, not on {device}; ask for device 'cpu'."
            )
        os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when it is first imported
    elif device.type != "cuda":
        raise KernelError(f"Compiled kernels need a GPU, and {device} is none; use 'torch' or 'interpret'.")
    from ladder_kernels import lang

    if not lang.HAS_TRITON:
        if mode == "auto":
            return _twins()
        raise KernelError("Triton is not installed, so its kernels cannot run; use kernels 'torch'.")
    if (mode == "interpret") != lang.INTERPRETED:
        does, wanted = ("interprets", "0") if lang.INTERPRETED else ("compiles", "1")
        raise KernelError(f"This process {does} kernels; start a new one with TRITON_INTERPRET={wanted}.")
    if mode == "interpret" and (fault := lang.interpreter_fault()):
        raise KernelError(fault)
    return _kernels("interpret" if mode == "interpret" else "triton")


def _twins() -> Operations:
    from ladder_kernels import (
        copy_blocks,
        moe_gemm,
        paged_attention,
        rms_norm,
        rope,
        sample,
        silu_mul,
        store_kv,
    )

    return Operations(
        name="torch",
        store_kv=store_kv.store_kv_torch,
        copy_blocks=copy_blocks.copy_blocks_torch,
        paged_attention=paged_attention.paged_attention_torch,
        rms_norm=rms_norm.rms_norm_torch,
        rope=rope.rope_torch,
        silu_mul=silu_mul.silu_mul_torch,
        moe=moe_gemm.moe_torch,
        sample=sample.sample_torch,
    )


def _kernels(name: str) -> Operations:
    from ladder_kernels import (
        copy_blocks,
        moe_gemm,
        paged_attention,
        rms_norm,
        rope,
        sample,
        silu_mul,
        store_kv,
    )

    return Operations(
        name=name,
        store_kv=store_kv.store_kv_triton,
        copy_blocks=copy_blocks.copy_blocks_triton,
        paged_attention=paged_attention.paged_attention_triton,
        rms_norm=rms_norm.rms_norm_triton,
        rope=rope.rope_triton,
        silu_mul=silu_mul.silu_mul_triton,
        moe=moe_gemm.moe_triton,
        sample=sample.sample_triton,
    )
