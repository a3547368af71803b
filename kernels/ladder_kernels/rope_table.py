"""The table of cosines and sines that `rope` reads, for the frequency rules that published models use.

    default   f_i = theta^(-2i / D),  i = 0 .. D/2 - 1
    linear    f_i / factor
    llama3    long waves are stretched by `factor`, short ones kept, those between blended (Llama 3.1)
    factors   f_i / factors_i: any rule, worked out beforehand (GGUF files carry Llama 3's like that)
    yarn      the same idea with a ramp in rotations, and cos and sin scaled by an attention factor (arXiv 2309.00071)

`scaling` is the `rope_scaling` (or `rope_parameters`) object of a Hugging Face config.json.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor


def rope_table(
    head_dim: int, max_position: int, theta: float = 10000.0, scaling: Mapping[str, Any] | None = None
) -> Tensor:
    """Return the table [max_position, head_dim], fp32: cos in the first half of a row, sin in the second.

    Raises ValueError for a rope type that is none of these.
    """
    scaling = scaling or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind not in _RULES:
        raise ValueError(f"rope type {kind!r} is not supported; known are {', '.join(_RULES)}")
    base = 1.0 / theta ** (torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    frequencies, attention_factor = _RULES[kind](base, scaling, theta, max_position)
    angles = torch.arange(max_position, dtype=torch.float64)[:, None] * frequencies
    return (torch.cat((angles.cos(), angles.sin()), dim=-1) * attention_factor).float()


def _default(base: Tensor, _scaling: Mapping[str, Any], _theta: float, _max: int) -> tuple[Tensor, float]:
    return base, 1.0


def _linear(base: Tensor, scaling: Mapping[str, Any], _theta: float, _max: int) -> tuple[Tensor, float]:
    return base / scaling["factor"], 1.0


def _llama3(base: Tensor, scaling: Mapping[str, Any], _theta: float, _max: int) -> tuple[Tensor, float]:
    factor, low, high = scaling["factor"], scaling["low_freq_factor"], scaling["high_freq_factor"]
    rotations = scaling["original_max_position_embeddings"] * base / (2 * math.pi)
    keep = ((rotations - low) / (high - low)).clamp(0, 1)
    return base * keep + base / factor * (1 - keep), 1.0


def _factors(base: Tensor, scaling: Mapping[str, Any], _theta: float, _max: int) -> tuple[Tensor, float]:
    factors = torch.tensor(scaling["factors"], dtype=torch.float64)
    if factors.shape != base.shape:
        raise ValueError(f"there are {factors.numel()} factors for {base.numel()} frequencies")
    return base / factors, 1.0


def _yarn(base: Tensor, scaling: Mapping[str, Any], theta: float, max_position: int) -> tuple[Tensor, float]:
    factor, original = scaling["factor"], scaling.get("original_max_position_embeddings") or max_position
    head_dim = 2 * base.numel()

    def dimension(rotations: float) -> float:
        """The dimension whose wave turns `rotations` times over the original context."""
        return head_dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(theta))

    low, high = dimension(scaling.get("beta_fast") or 32.0), dimension(scaling.get("beta_slow") or 1.0)
    if scaling.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, head_dim - 1)
    if low == high:
        high += 0.001
    stretch = ((torch.arange(base.numel(), dtype=torch.float64) - low) / (high - low)).clamp(0, 1)
    return base / factor * stretch + base * (1 - stretch), _attention_factor(scaling, factor)


def _attention_factor(scaling: Mapping[str, Any], factor: float) -> float:
    def magnitude(scale: float) -> float:
        return 0.1 * scale * math.log(factor) + 1.0 if factor > 1 else 1.0

    if scaling.get("attention_factor") is not None:
        return float(scaling["attention_factor"])
    if scaling.get("mscale") and scaling.get("mscale_all_dim"):
        return magnitude(scaling["mscale"]) / magnitude(scaling["mscale_all_dim"])
    return magnitude(1.0)


_RULES = {"default": _default, "linear": _linear, "llama3": _llama3, "factors": _factors, "yarn": _yarn}
