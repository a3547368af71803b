"""Every kernel under Triton's interpreter, in a process that set TRITON_INTERPRET before triton was imported."""

from __future__ import annotations

import pytest

pytest.importorskip("triton", reason="the interpreter is Triton's")


def test_every_kernel_under_the_interpreter(run_python):
    done = run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/kernels/interpreted.py")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    print(done.stdout.splitlines()[-1])
