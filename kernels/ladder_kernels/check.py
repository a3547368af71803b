"""`python -m ladder_kernels check`: is every kernel right on this device?

Each check runs a kernel on shapes that hurt, with outputs allocated from poisoned memory, and compares it with its twin
run in fp64 on the same inputs. On a CPU the interpreter runs the kernels; where Triton is missing the twins themselves
are checked in their own precision. On a GPU the shapes of a real model are added.
"""

from collections.abc import Callable, Iterator

import torch

from ladder_kernels import check_layers, check_tokens
from ladder_kernels.setting import Outcome, Setting

__all__ = ["CHECKS", "DTYPES", "ONE_DTYPE", "Outcome", "Setting", "run"]

DTYPES = (torch.float32, torch.float16, torch.bfloat16)

CHECKS: dict[str, Callable[[Setting, torch.dtype], Iterator[Outcome]]] = {
    "store_kv": check_layers.check_store_kv,
    "copy_blocks": check_layers.check_copy_blocks,
    "paged_attention": check_layers.check_paged_attention,
    "rms_norm": check_layers.check_rms_norm,
    "rope": check_layers.check_rope,
    "silu_mul": check_layers.check_silu_mul,
    "sample": check_tokens.check_sample,
    "filter_probs": check_tokens.check_filter_probs,
    "verify_draft": check_tokens.check_verify_draft,
    "moe": check_layers.check_moe,
    "quantised_kv": check_layers.check_quantised_kv,
}
ONE_DTYPE = ("sample", "filter_probs", "verify_draft")


def run(setting: Setting, only: str | None = None) -> Iterator[tuple[str, torch.dtype, Outcome]]:
    """Every check, or those of operation `only`, in every dtype it has."""
    for operation, check in CHECKS.items():
        if only in (None, operation):
            for dtype in DTYPES[:1] if operation in ONE_DTYPE else DTYPES:
                for outcome in check(setting, dtype):
                    yield operation, dtype, outcome
