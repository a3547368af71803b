"""What a step reads at the least, and how fast this machine moves bytes: the two sides of a decode step's floor."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from time import perf_counter

import torch
from torch import Tensor

from ladder_engine.model import Decoder

COPIED = {"cpu": 1 << 26, "cuda": 1 << 28}  # bytes: more than the caches hold


def weight_bytes(model: Decoder) -> int:
    """Bytes of weights that every step reads: the layers, the last norm and the head. All experts count, met or not."""
    return _bytes_of(model.layers) + model.norm.nbytes + model.head.nbytes


@cache
def copy_rate(device: torch.device) -> float:
    """Bytes per second, read and written, of the best of three large copies on this device; measured once a process.

    0 where there is no room for them.
    """
    try:
        return _copy_rate(device)
    except RuntimeError:  # torch's word for memory that is not there
        return 0.0


def _copy_rate(device: torch.device) -> float:
    source = torch.zeros(COPIED[device.type], dtype=torch.uint8, device=device)
    goal = torch.ones_like(source)
    best = 0.0
    for _ in range(3):
        _wait(device)
        began = perf_counter()
        goal.copy_(source)
        _wait(device)
        best = max(best, 2 * source.nbytes / (perf_counter() - began))
    return best


def _bytes_of(part: object) -> int:
    if isinstance(part, Tensor):
        return part.nbytes
    if isinstance(part, list):
        return sum(map(_bytes_of, part))
    if is_dataclass(part):
        return sum(_bytes_of(getattr(part, field.name)) for field in fields(part))
    return 0


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
