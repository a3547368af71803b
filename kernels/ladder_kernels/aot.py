"""Ahead-of-time compilation: every kernel for four chips on a machine without any, and what came out of it.

`python -m ladder_kernels aot` prints the table. The gates: no spilled registers, shared memory within the chip's
limit, and tensor-core instructions wherever a kernel multiplies 16-bit matrices.

Nothing here touches a driver. The process must compile, not interpret: TRITON_INTERPRET=0.
"""

import functools
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladder_kernels.aot_cases import TARGETS, Case, Target, cases
from ladder_kernels.lang import INTERPRETED, triton

__all__ = ["TARGETS", "Case", "Result", "Target", "cases", "compile_case", "faults", "table"]


@dataclass(frozen=True)
class Result:
    """What the compiler made of a case. `spills` are bytes of stack (CUDA) or spilled vector registers (ROCm)."""

    case: Case
    target: Target
    registers: int
    shared: int
    spills: int
    mma: str


def compile_case(case: Case, target: Target) -> Result:
    """Compile `case` for `target`. Raises whatever Triton raises when it cannot."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    if INTERPRETED:
        raise RuntimeError("This process interprets kernels; compile in one with TRITON_INTERPRET=0.")
    types = iter(case.types.split())
    signature, attributes = {}, {}
    for place, name in enumerate(case.kernel.arg_names):
        if name in case.constants:
            signature[name] = "constexpr"
            continue
        signature[name], _, multiple = next(types).partition(":")
        if multiple:
            attributes[(place,)] = [["tt.divisibility", int(multiple)]]
    compiled = triton.compile(
        ASTSource(case.kernel, signature, case.constants, attributes),
        target=GPUTarget(target.backend, target.arch, target.warp_size),
        options={"num_warps": case.num_warps, "num_stages": case.num_stages},
    )
    read = _read_cuda if target.backend == "cuda" else _read_hip
    registers, spills, mma = read(compiled.asm)
    return Result(case, target, registers, compiled.metadata.shared, spills, mma)


def _read_cuda(asm: Any) -> tuple[int, int, str]:
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder, "kernel.cubin")
        cubin.write_bytes(asm["cubin"])
        command = [str(_cuobjdump()), "--dump-resource-usage", str(cubin)]
        usage = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    number = {key: int(value) for key, value in re.findall(r"(REG|STACK|LOCAL):(\d+)", usage)}
    kinds = re.findall(r"\b(wgmma\.mma_async|tcgen05\.mma|mma\.sync)\b", asm["ptx"])
    return number["REG"], number["STACK"] + number["LOCAL"], kinds[0] if kinds else "-"


def _read_hip(asm: Any) -> tuple[int, int, str]:
    text = asm["amdgcn"]
    number = {key: int(value) for key, value in re.findall(r"\.(vgpr_count|vgpr_spill_count):\s+(\d+)", text)}
    kinds = re.findall(r"\bv_mfma_\w+", text)
    return number["vgpr_count"], number["vgpr_spill_count"], kinds[0] if kinds else "-"


@functools.cache
def _cuobjdump() -> Path:
    """The cuobjdump that Triton's wheel brings along."""
    return Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"


def faults(result: Result) -> list[str]:
    """What is wrong with a result; [] when it passes the gates."""
    found = []
    if result.spills:
        found.append(f"{result.spills} spilled")
    if result.shared > result.target.max_shared:
        found.append(f"{result.shared} bytes of shared memory, the chip has {result.target.max_shared}")
    if result.case.tensor_cores and result.mma == "-":
        found.append("no tensor-core instruction")
    return found


def table(targets: Iterable[Target] = TARGETS) -> Iterator[tuple[str, int]]:
    """Compile everything for `targets`; yield the lines of the table, each with its number of faults."""
    yield f"{'kernel':42} {'chip':7} {'warps':>5} {'registers':>9} {'shared':>7} {'spills':>6}  mma", 0
    for target in targets:
        for case in cases(target):
            result = compile_case(case, target)
            wrong = faults(result)
            line = (
                f"{case.name:42} {target.name:7} {case.num_warps:5} {result.registers:9} {result.shared:7}"
                f" {result.spills:6}  {result.mma}"
            )
            yield line + (f"   FAULT: {'; '.join(wrong)}" if wrong else ""), len(wrong)
