"""`python -m ladder_kernels aot | check | bench`: the kernels' proofs as programs.

    aot                          compile every kernel for four chips, without a GPU; print registers, shared memory, spills
    check --device cuda|cpu      compare every kernel with its twin; on a CPU Triton's interpreter runs the kernels
    bench --device cuda --out D  measure every kernel beside torch's own operations; write bench.json and bench.md to D

Exit status 1 says that something is wrong, 2 that the command cannot run here.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ladder_kernels", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    aot = commands.add_parser("aot", help="compile every kernel for four chips and print what came out")
    aot.add_argument("--chip", help="one chip, as the table names it")
    check = commands.add_parser("check", help="compare every kernel with its twin")
    check.add_argument("--device", default="cpu")
    check.add_argument("--twins", action="store_true", help="check the torch twins themselves")
    check.add_argument("--only", metavar="OPERATION", help="one operation")
    bench = commands.add_parser("bench", help="measure every kernel beside torch's own operations")
    bench.add_argument("--device", default="cuda")
    bench.add_argument("--out", type=Path, required=True, metavar="DIR")
    options = parser.parse_args(arguments)
    if options.command == "aot":
        return _aot(options.chip)
    if options.command == "check":
        return _check(options.device, options.twins, options.only)
    return _bench(options.device, options.out)


def _aot(chip: str | None) -> int:
    os.environ["TRITON_INTERPRET"] = "0"
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    from ladder_kernels import lang

    if not lang.HAS_TRITON:
        return _refuse("aot needs Triton, and it is not installed.")
    from ladder_kernels.aot import TARGETS, table

    targets = [target for target in TARGETS if chip in (None, target.name)]
    if not targets:
        return _refuse(
            f"There is no chip {chip!r}; known are {', '.join(target.name for target in TARGETS)}."
        )
    count = 0
    for line, wrong in table(targets):
        print(line, flush=True)
        count += wrong
    print(f"{count} faults." if count else "No faults.")
    return 1 if count else 0


def _check(device_name: str, twins: bool, only: str | None) -> int:
    if device_name == "cpu":
        os.environ.setdefault("TRITON_INTERPRET", "1")  # also where there is a GPU
    import torch

    from ladder_kernels import check, lang

    device = torch.device(device_name)
    if device.type == "cuda" and not torch.cuda.is_available():
        return _refuse("This machine has no GPU; use --device cpu.")
    if only is not None and only not in check.CHECKS:
        return _refuse(f"There is no operation {only!r}; known are {', '.join(check.CHECKS)}.")
    twins = twins or not lang.HAS_TRITON
    if lang.INTERPRETED and not twins and (fault := lang.interpreter_fault()):
        return _refuse(fault)
    how = "twins" if twins else "interpreted kernels" if lang.INTERPRETED else "compiled kernels"
    print(f"{how} on {_name(device)}, torch {torch.__version__}")
    began = time.monotonic()
    total = failed = 0
    setting = check.Setting(device, large=device.type == "cuda", twins=twins)
    for operation, dtype, outcome in check.run(setting, only):
        total += 1
        failed += not outcome.passed
        verdict = "ok" if outcome.passed else "WRONG"
        kind = str(dtype).removeprefix("torch.")
        print(
            f"{operation:16} {kind:9} {outcome.name:44} {outcome.error:9.2e} of {outcome.limit:7.1e}  {verdict}"
        )
    print(f"{total - failed} of {total} right, in {time.monotonic() - began:.0f} s.")
    return 1 if failed else 0


def _bench(device_name: str, out: Path) -> int:
    import torch

    if torch.device(device_name).type != "cuda" or not torch.cuda.is_available():
        return _refuse("bench measures a GPU, and this machine has none; nothing was written.")
    from ladder_kernels import bench, bench_works

    device = torch.device(device_name)
    report = bench.measure(bench.EventTimer(device), device, bench_works.FULL)
    print(bench.write(report, out))
    return 0


def _name(device: Any) -> str:
    import torch

    return torch.cuda.get_device_name(device) if device.type == "cuda" else "the CPU"


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
