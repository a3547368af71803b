"""Every kernel compiled for four chips without a GPU, each chip in a process of its own that compiles."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="ahead-of-time compilation is Triton's")
pytestmark = pytest.mark.skipif(
    "not __import__('pathlib').Path(__import__('triton').__file__).parent.joinpath('backends/nvidia/bin/cuobjdump').exists()",
    reason="this build of Triton brings no cuobjdump",
)


@pytest.mark.parametrize("chip", ["sm_80", "sm_90", "sm_100", "gfx942"])
def test_every_kernel_compiles_without_spills_and_with_tensor_cores(run_python, chip):
    done = run_python("-m", "ladder_kernels", "aot", "--chip", chip, interpret=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("No faults.\n")
    lines = [line for line in done.stdout.splitlines() if line.startswith("paged_attention")]
    assert len(lines) >= 9
    mma = {
        "sm_80": "mma.sync",
        "sm_90": "wgmma.mma_async",
        "sm_100": "tcgen05.mma",
        "gfx942": "v_mfma_f32_32x32x8_bf16",
    }
    assert next(line for line in lines if "prefill bf16" in line).endswith(mma[chip])


GATES = """
from dataclasses import replace
from ladder_kernels import aot, aot_cases, split_kv
import ladder_kernels, pkgutil, importlib

# every kernel of the package is a case
kernels = set()
for module in pkgutil.iter_modules(ladder_kernels.__path__):
    if not module.name.startswith(("__main__", "bench", "check")):
        kernels |= {n for n in vars(importlib.import_module(f"ladder_kernels.{module.name}")) if n.endswith("_kernel") and n[0] != "_"}
cased = {case.kernel.__name__ for target in aot.TARGETS for case in aot.cases(target)}
assert kernels == cased, kernels ^ cased

# the gates close: a plan that is too big spills and takes too much shared memory
sm_90 = next(t for t in aot.TARGETS if t.name == "sm_90")
big = aot_cases.attention_case("too big", "fp16", "fp16", 128, 4, split_kv.Plan(128, 128, num_warps=4, num_stages=2))
result = aot.compile_case(big, sm_90)
assert result.spills > 0 and any("spilled" in fault for fault in aot.faults(result))
assert aot.faults(replace(result, spills=0, shared=300_000)) != []
assert aot.faults(replace(result, spills=0, mma="-")) == ["no tensor-core instruction"]
assert aot.faults(replace(result, spills=0)) == []

# the split heuristic counts on this many decode programs on one multiprocessor of 65536 registers
decode = aot_cases.attention_case("", "fp16", "fp16", 128, 4, split_kv.decode_plan(128, 2, 4, splits=8))
result = aot.compile_case(decode, sm_90)
assert split_kv.RESIDENT * result.registers * 32 * decode.num_warps <= 65536
assert split_kv.RESIDENT * (result.shared + 1024) <= sm_90.max_shared
print("gates hold")
"""


def test_the_gates_close_and_no_kernel_is_left_out(run_python):
    done = run_python("-c", GATES, interpret=False)
    assert done.stdout == "gates hold\n", done.stderr


LAUNCHES = """
import torch
from ladder_kernels import aot, aot_cases
from ladder_kernels import copy_blocks, filter_probs, moe_gemm, moe_route, quantised_kv, rms_norm, rope, sample, silu_mul
from ladder_kernels import split_kv, store_kv, verify_draft

compiled = [
    (case.kernel.__name__, case.constants, case.num_warps)
    for case in aot.cases(next(t for t in aot.TARGETS if t.name == "sm_90"))
]
launched = []

class Recorder:
    def __init__(self, kernel):
        self.kernel = kernel
    def __getitem__(self, grid):
        return lambda *_, num_warps=4, num_stages=3, **constants: launched.append(
            (self.kernel.__name__, constants, num_warps)
        )

for module in (
    copy_blocks, filter_probs, moe_gemm, moe_route, quantised_kv, rms_norm, rope, sample, silu_mul, split_kv, store_kv,
    verify_draft,
):
    for name, kernel in list(vars(module).items()):
        if name.endswith("_kernel"):
            setattr(module, name, Recorder(kernel))

half = torch.float16
def some(*shape, dtype=half):
    return torch.empty(shape, dtype=dtype)
def rows(dtype, n=2):
    return torch.zeros(n, dtype=dtype)
kv, cache, slots = some(2, 8, 128), some(4, 16, 8, 128), rows(torch.int64)
store_kv.store_kv_triton(kv, kv, cache, cache, slots)
layers = some(32, 4, 16, 8, 128)
copy_blocks.copy_blocks_triton(layers, layers, torch.zeros(1, 2, dtype=torch.int64))
hidden, weight = some(2, 4096), some(4096)
rms_norm.rms_norm_triton(hidden, weight, 1e-5)
rms_norm.rms_norm_triton(hidden, weight, 1e-5, hidden)
rms_norm.rms_norm_triton(some(64, 128), some(128), 1e-5)
rope.rope_triton(slots, some(2, 32, 128), kv, some(16, 128, dtype=torch.float32))
silu_mul.silu_mul_triton(some(2, 2 * 14336))
split_kv.merge_splits(some(2, 32, 128), some(2, 32, 8, 128, dtype=torch.float32), some(2, 32, 8, dtype=torch.float32))
f, i, l = rows(torch.float32), rows(torch.int32), rows(torch.int64)
logits = some(2, 128256, dtype=torch.float32)
sample.sample_triton(logits, f, i, f, f, l, l)
filter_probs.filter_probs_triton(logits, f, i, f, f)
target, draft = some(2, 5, 128256, dtype=torch.float32), some(2, 4, 128256, dtype=torch.float32)
verify_draft.verify_draft_triton(target, draft, rows(torch.int64, 8).view(2, 4), i, l, l)
verify_draft.verify_draft_triton(target, None, rows(torch.int64, 8).view(2, 4), i, l, l)
for dtype, block_m in ((half, 16), (torch.bfloat16, 64), (torch.float32, 16)):
    moe_gemm.moe_triton(
        some(2, 2048, dtype=dtype), some(2, 128, dtype=torch.float32), some(128, 1536, 2048, dtype=dtype),
        some(128, 2048, 768, dtype=dtype), 8, True, block_m,
    )
for dtype in (torch.int8, torch.float8_e4m3fn):
    small, scales = cache.to(dtype), some(4, 8, dtype=torch.float32)
    quantised_kv.store_kv_quantised_triton(kv, kv, small, small, scales, scales, slots)

for case in compiled:
    others = [launch for launch in launched if launch[0] == case[0]]
    assert case in others or case[0] == "paged_attention_kernel", (case, others)
print("what is compiled is what is launched")
"""


def test_what_is_compiled_ahead_is_what_is_launched(run_python):
    """Attention aside, whose cases take their plans from the launcher's own functions."""
    done = run_python("-c", LAUNCHES, interpret=False)
    assert done.stdout == "what is compiled is what is launched\n", done.stderr
