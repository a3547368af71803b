"""What every check shares: where it runs, what it found, and how much error is allowed."""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from ladder_kernels import lang
from ladder_kernels.inputs import poisoned_memory


@dataclass(frozen=True)
class Outcome:
    """One comparison: relative error (or share of wrong integers) against the most that is allowed."""

    name: str
    error: float
    limit: float

    @property
    def passed(self) -> bool:
        """False also for NaN."""
        return self.error <= self.limit


@dataclass(frozen=True)
class Setting:
    """Where checks run: the device, whether real shapes are added, and kernels or twins."""

    device: torch.device
    large: bool
    twins: bool

    def call(self, module: ModuleType, name: str, *arguments: Any, **options: Any) -> Any:
        """Run `name` of `module` with poisoned memory."""
        with poisoned_memory():
            return getattr(module, f"{name}_{'torch' if self.twins else 'triton'}")(*arguments, **options)

    def randn(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Random normal numbers, the same on every device."""
        generator = torch.Generator().manual_seed(sum(shape))
        return torch.randn(shape, generator=generator).to(dtype).to(self.device)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """Random int64 in [low, high), the same on every device."""
        generator = torch.Generator().manual_seed(sum(shape))
        return torch.randint(low, high, shape, generator=generator).to(self.device)


def limit_of(dtype: torch.dtype) -> float:
    """The relative error allowed; the interpreter cuts bf16 off where a GPU rounds it."""
    if dtype == torch.bfloat16:
        return 2e-2 if lang.INTERPRETED else 6e-3
    return {torch.float32: 1e-5, torch.float16: 1e-3}[dtype]


def mismatch(out: Tensor, reference: Tensor) -> float:
    """The share of elements that differ, bit for bit."""
    return float((out != reference).double().mean()) if out.numel() else 0.0
