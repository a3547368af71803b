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
