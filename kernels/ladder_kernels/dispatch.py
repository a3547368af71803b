"""The choice between the kernels and their twins. The engine calls nothing else of this package.

`choose` says once which operations a device gets; after that nobody asks again.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import torch
from torch import Tensor

from ladder_kernels.rope_table import rope_table

__all__ = ["DRAFT_STREAM", "KernelError", "Mode", "Operations", "choose", "rope_table"]

DRAFT_STREAM = (
    2  # the draws of drafts at a position; what is said there uses the streams 0 and 1 (verify_draft.py)
)

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


class Linear(Protocol):
    """A matrix product as torch has it: x [T, in], weight [out, in], bias [out]."""

    def __call__(self, x: Tensor, weight: Tensor, bias: Tensor | None = None, /) -> Tensor:
        """Return x w^T + b, [T, out]."""


class RmsNorm(Protocol):
    """See rms_norm.py for shapes and dtypes."""

    def __call__(
        self, x: Tensor, weight: Tensor, eps: float, residual: Tensor | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Return y, or (y, x + residual) when a residual is given."""


class Sample(Protocol):
    """See sample.py for shapes and dtypes."""

    def __call__(
        self,
        logits: Tensor,
        temperature: Tensor,
        top_k: Tensor,
        top_p: Tensor,
        min_p: Tensor,
        seeds: Tensor,
        positions: Tensor,
        stream: int = 0,
    ) -> Tensor:
        """Return one token id for each row."""


@dataclass(frozen=True)
class Operations:
    """What the engine runs. Each operation is described in the file of its name, `moe` in moe_gemm.py.

    With `batch_invariant` some of them are those of batch_invariant.py.
    `pack_weight` is asked once, at load, for each weight that `linear` will read.
    """

    name: str
    batch_invariant: bool
    store_kv: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], None]
    copy_blocks: Callable[[Tensor, Tensor, Tensor], None]
    paged_attention: PagedAttention
    pack_weight: Callable[[Tensor], Tensor]
    linear: Linear
    rms_norm: RmsNorm
    rope: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    silu_mul: Callable[[Tensor], Tensor]
    moe: Callable[[Tensor, Tensor, Tensor, Tensor, int, bool], Tensor]
    sample: Sample
    filter_probs: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
    verify_draft: Callable[[Tensor, Tensor | None, Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


def choose(device: torch.device, mode: Mode = "auto", batch_invariant: bool = False) -> Operations:
    """Return the operations for `device`; with `batch_invariant` those of batch_invariant.py, where they differ.

    `auto` takes Triton on a GPU (CUDA or ROCm) where it is installed, and the torch twins elsewhere; `torch` always the
    twins; `triton` the compiled kernels; `interpret` the same kernels run by Triton's interpreter on the CPU, slowly.
    Compiled kernels are launched on the current device of the process, so a rank of several GPUs sets its own first.

    Raises KernelError when the mode cannot run here.
    """
    operations = _choose(device, mode)
    return _batch_invariant(operations) if batch_invariant else operations


def _choose(device: torch.device, mode: Mode) -> Operations:
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
        filter_probs,
        gathered_attention,
        moe_gemm,
        packed_linear,
        rms_norm,
        rope,
        sample,
        silu_mul,
        store_kv,
        verify_draft,
    )

    return Operations(
        name="torch",
        batch_invariant=False,
        store_kv=store_kv.store_kv_torch,
        copy_blocks=copy_blocks.copy_blocks_torch,
        paged_attention=gathered_attention.GatheredAttention(),
        pack_weight=packed_linear.pack_weight,
        linear=packed_linear.linear_packed,
        rms_norm=rms_norm.rms_norm_torch,
        rope=rope.StepRope(),
        silu_mul=silu_mul.silu_mul_torch,
        moe=moe_gemm.moe_torch,
        sample=sample.sample_torch,
        filter_probs=filter_probs.filter_probs_torch,
        verify_draft=verify_draft.verify_draft_torch,
    )


def _kernels(name: str) -> Operations:
    from ladder_kernels import (
        copy_blocks,
        filter_probs,
        moe_gemm,
        paged_attention,
        rms_norm,
        rope,
        sample,
        silu_mul,
        store_kv,
        verify_draft,
    )

    return Operations(
        name=name,
        batch_invariant=False,
        store_kv=store_kv.store_kv_triton,
        copy_blocks=copy_blocks.copy_blocks_triton,
        paged_attention=paged_attention.paged_attention_triton,
        pack_weight=_plain,
        linear=torch.nn.functional.linear,
        rms_norm=rms_norm.rms_norm_triton,
        rope=rope.rope_triton,
        silu_mul=silu_mul.silu_mul_triton,
        moe=moe_gemm.moe_triton,
        sample=sample.sample_triton,
        filter_probs=filter_probs.filter_probs_triton,
        verify_draft=verify_draft.verify_draft_triton,
    )


def _batch_invariant(operations: Operations) -> Operations:
    from ladder_kernels import batch_invariant

    if operations.name == "torch":
        return replace(
            operations,
            batch_invariant=True,
            paged_attention=batch_invariant.paged_attention_in_tiles,
            pack_weight=_plain,
            linear=batch_invariant.linear_torch,
            rms_norm=batch_invariant.rms_norm_in_blocks,
            silu_mul=batch_invariant.silu_mul_in_slices,
            moe=batch_invariant.moe_in_blocks,
        )
    return replace(
        operations,
        batch_invariant=True,
        paged_attention=batch_invariant.paged_attention_fixed_split,
        linear=batch_invariant.linear_triton,
        moe=batch_invariant.moe_fixed_tile,
    )


def _plain(weight: Tensor) -> Tensor:
    return weight
