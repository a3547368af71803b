"""linear on a CPU with weights that lie as the product reads them.

    torch's linear packs weight [out, in] into tiles at every call; with the few rows of a decode that costs as much as the
    product. oneDNN packs once and keeps the tiles:

    weight [out, in]  ──pack, at load──>  tiles of 16 inputs x 64 outputs, one after another  ──every step──>  x w^T + b

Only fp32 on an x86 CPU is packed. A packed weight has the shape and the size of the plain one, but nothing else reads it.
"""

import torch
from torch import Tensor
from torch.nn.functional import linear

_ONEDNN = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
HAS_TILES = _ONEDNN and torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")


def pack_weight(weight: Tensor) -> Tensor:
    """`weight` [out, in] for linear_packed: packed, or as it is where nothing is gained."""
    if not HAS_TILES or weight.device.type != "cpu" or weight.dtype != torch.float32:
        return weight
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
    return packed


def linear_packed(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x w^T + b, [T, out]; `weight` packed or not."""
    if not weight.is_mkldnn:
        return linear(x, weight, bias)
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return y
