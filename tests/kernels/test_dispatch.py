"""The choice of operations, the split heuristic, and the programs of `python -m ladder_kernels`."""

from __future__ import annotations

import dataclasses
import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from ladder_kernels.__main__ import main
from ladder_kernels.dispatch import KernelError, Operations, choose
from ladder_kernels.split_kv import MAX_SPLITS, MIN_SPLIT, RESIDENT, num_splits

CPU = torch.device("cpu")


def test_a_cpu_gets_the_twins():
    assert choose(CPU).name == choose(CPU, "torch").name == "torch"


def test_compiled_kernels_on_a_cpu_are_refused_in_one_sentence():
    with pytest.raises(KernelError, match="need a GPU, and cpu is none"):
        choose(CPU, "triton")
    with pytest.raises(KernelError, match="on the CPU, not on cuda"):
        choose(torch.device("cuda"), "interpret")


SWAP = """
import torch
from ladder_kernels.dispatch import choose
twins, kernels = choose(torch.device("cpu")), choose(torch.device("cpu"), "interpret")
gate_up = torch.randn(3, 10)
assert kernels.name == "interpret" and kernels.silu_mul is not twins.silu_mul
torch.testing.assert_close(kernels.silu_mul(gate_up), twins.silu_mul(gate_up))
print("swapped")
"""


@pytest.mark.skipif(
    torch.cuda.is_available(), reason="with a GPU a process that began to compile goes on compiling"
)
def test_one_process_can_use_twins_first_and_the_interpreter_later(run_python):
    pytest.importorskip("triton", reason="the interpreter is Triton's")
    assert run_python("-c", "import os; del os.environ['TRITON_INTERPRET']" + SWAP).stdout == "swapped\n"


WITHOUT_TRITON = """
import sys
sys.modules["triton"] = None
import torch
from ladder_kernels.dispatch import KernelError, choose
assert choose(torch.device("cpu")).silu_mul(torch.ones(1, 2)).shape == (1, 1)
try:
    choose(torch.device("cpu"), "interpret")
except KernelError as error:
    print(error)
from ladder_kernels.__main__ import main
assert main(["check", "--only", "rope"]) == 0
assert main(["aot"]) == 2
"""


def test_without_triton_the_twins_serve_and_the_rest_says_so(run_python):
    done = run_python("-c", WITHOUT_TRITON)
    assert done.returncode == 0, done.stderr
    assert "Triton is not installed" in done.stdout
    assert "twins on the CPU" in done.stdout


def test_a_process_that_compiles_says_that_it_does_not_interpret(run_python):
    pytest.importorskip("triton", reason="without Triton there is nothing to compile")
    code = 'import torch, ladder_kernels.dispatch as d; d.choose(torch.device("cpu"), "interpret")'
    done = run_python("-c", code, interpret=False)
    assert (
        "KernelError: This process compiles kernels; start a new one with TRITON_INTERPRET=1." in done.stderr
    )


BROKEN_INTERPRETER = """
import torch
from ladder_kernels import dispatch, lang
lang._loop_kernel = None  # as a Triton that fails at the first loop
dispatch.choose(torch.device("cpu"), "interpret")
"""


def test_an_interpreter_that_cannot_loop_is_refused_before_a_run(run_python):
    pytest.importorskip("triton", reason="the interpreter is Triton's")
    done = run_python("-c", BROKEN_INTERPRETER)
    assert "cannot interpret kernels under numpy" in done.stderr.splitlines()[-1]


def test_dispatch_imports_no_triton(run_python):
    done = run_python("-c", "import sys, ladder_kernels.dispatch; print('triton' in sys.modules)")
    assert done.stdout == "False\n"


def test_every_operation_is_there():
    operations = choose(CPU)
    assert [field.name for field in dataclasses.fields(Operations)] == [
        "name",
        "batch_invariant",
        "store_kv",
        "copy_blocks",
        "paged_attention",
        "pack_weight",
        "linear",
        "rms_norm",
        "rope",
        "silu_mul",
        "moe",
        "sample",
        "filter_probs",
        "verify_draft",
    ]
    assert all(callable(getattr(operations, f.name)) for f in dataclasses.fields(Operations)[2:])


@given(st.integers(1, 5000), st.integers(1, 200_000), st.sampled_from([1, 108, 132, 148, 304]))
def test_splits_are_few_long_and_only_where_programs_are_missing(programs, context, multiprocessors):
    splits = num_splits(programs, context, multiprocessors)
    assert 1 <= splits <= MAX_SPLITS
    if splits > 1:
        assert context // splits >= MIN_SPLIT
        assert programs < 0.8 * RESIDENT * multiprocessors


def test_a_lone_long_decode_fills_the_device_and_a_full_batch_is_not_split():
    assert num_splits(8, 131072, 132) * 8 > 0.8 * RESIDENT * 132
    assert num_splits(1024, 4096, 132) == 1
    assert num_splits(8, 200, 132) == 1


def test_check_runs_as_a_program_on_the_twins(capsys):
    assert main(["check", "--twins"]) == 0
    out = capsys.readouterr().out
    assert "WRONG" not in out
    for operation in ("paged_attention", "sample", "verify_draft", "moe", "quantised_kv"):
        assert f"\n{operation} " in out


def test_check_finds_a_wrong_operation(capsys, monkeypatch):
    monkeypatch.setattr(
        "ladder_kernels.silu_mul.silu_mul_torch", lambda x: x.new_empty(x.shape[0], x.shape[1] // 2)
    )
    assert main(["check", "--twins", "--only", "silu_mul"]) == 1  # never written, so it is NaN
    assert "WRONG" in capsys.readouterr().out


def test_commands_that_cannot_run_here_say_why(capsys):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert main(["check", "--device", "cuda"]) == 2
    assert main(["bench", "--out", "nowhere"]) == 2
    assert main(["check", "--only", "rop"]) == 2
    assert "nothing was written" in capsys.readouterr().err


def test_a_report_divides_floors_by_times_and_by_the_ceilings_of_its_run(tmp_path):
    from ladder_kernels.bench import Row, measure, write
    from ladder_kernels.bench_works import Sizes

    sizes = Sizes(16, 32, 2, 16, 32, 50, 2, 1 << 12, 16)
    report = measure(
        lambda call: 0.001, CPU, sizes
    )  # a clock that runs nothing and always says a millisecond
    assert report.copy_rate == 2 * (1 << 12) / 0.001
    assert report.matmul_rate == 2 * 16**3 / 0.001
    norm = next(row for row in report.rows if row.name == "rms_norm 16 x 32")
    assert norm == Row(
        norm.name, 0.001, 2 * 16 * 32 * 2 / 0.001, "B/s", 2 * 16 * 32 * 2 / (2 << 12), "torch rms_norm", 0.001
    )
    decode = next(row for row in report.rows if row.name.startswith("decode 2 x 32"))
    assert decode.rate == (2 * 2 * 32 * 8 * 128 * 2 + 2 * 2 * 32 * 128 * 2) / 0.001
    prompt = next(row for row in report.rows if row.name.startswith("prompt"))
    pairs = sum(position + 1 for position in range(16))
    assert prompt.unit == "FLOP/s"
    assert prompt.rate == 4 * 128 * 32 * pairs / 0.001
    text = write(report, tmp_path / "out")
    assert len(json.loads((tmp_path / "out" / "bench.json").read_text())["rows"]) == text.count("\n| ") - 1
