"""The sealed interpreter: what a run says, and that nothing gets out of it or outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from ladder_content.model import Vector
from ladder_desktop.lessons.sandbox import OUTPUT, Ending, Outcome, Sandbox, Switch, shown


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(seconds=0.5)
    yield sandbox
    sandbox.close()


def run(sandbox: Sandbox, code: str, *vectors: Vector) -> Outcome:
    return sandbox.run(code, Switch(), vectors)


def test_a_program_prints_and_finishes(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "import math\nfor n in range(3):\n    print(n, math.sqrt(n * n))")
    assert outcome == Outcome(Ending.FINISHED, "0 0.0\n1 1.0\n2 2.0\n")


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("def f():\n    return 1 / 0\nprint('so far')\nf()", 2, "ZeroDivisionError: division by zero"),
        ("x = 1\ny = (", 2, "SyntaxError"),
        ("\nprint(undefined)", 2, "NameError: name 'undefined' is not defined"),
        ("def f(n):\n    return f(n + 1)\nf(0)", 2, "RecursionError"),
        ("raise ValueError", 1, "ValueError"),
        ("raise SystemExit", 1, "SystemExit"),
        ("raise TimeoutError('mine')", 1, "TimeoutError: mine"),
        ("def g():\n    yield 1", 2, "needs yield expressions, which the sealed interpreter does not know"),
        ("(" * 20_000, 1, "nested"),
        ("raise ValueError('x' * 10**6)", 1, "ValueError: xxx"),
    ],
)
def test_a_mistake_is_told_with_its_line(sandbox: Sandbox, code: str, line: int, message: str) -> None:
    outcome = run(sandbox, code)
    assert outcome.ending is Ending.FAILED
    assert outcome.line == line
    assert message in outcome.message
    assert outcome.sentence.startswith(f"Line {line}: ")
    assert len(outcome.sentence) < 600
    assert outcome.output == ("so far\n" if "so far" in code else "")


BOMBS = {
    "loop": ("while True:\n    pass", Ending.TIMED_OUT),
    "loop that catches all": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        Ending.TIMED_OUT,
    ),
    "flood": ("while True:\n    print('x' * 1000)", Ending.TOO_MUCH_OUTPUT),
    "flood of one line": ("print('x' * 1_000_000)", Ending.TOO_MUCH_OUTPUT),
    "flood of nothing": ("while True:\n    print()", Ending.TOO_MUCH_OUTPUT),
    "one great list": ("a = [0] * 10**9", Ending.OUT_OF_MEMORY),
    "growing list": ("a = []\nwhile True:\n    a.append('x' * 1_000_000)", Ending.OUT_OF_MEMORY),
    "one great number": ("a = 10 ** 10**8", Ending.OUT_OF_MEMORY),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_ends_with_a_sentence_and_the_next_run_is_well(sandbox: Sandbox, bomb: str) -> None:
    code, ending = BOMBS[bomb]
    outcome = run(sandbox, code)
    assert outcome.ending is ending
    assert outcome.sentence.endswith(".")
    assert len(outcome.output) == (OUTPUT if ending is Ending.TOO_MUCH_OUTPUT else 0)
    assert run(sandbox, "print('well')").output == "well\n"


@pytest.mark.parametrize(
    "code",
    [
        "print(open('/etc/passwd').read())",
        "import os\nprint(os.listdir('/'))",
        "import subprocess",
        "import socket",
        "import ctypes",
        "__import__('os')",
        "print(().__class__.__bases__)",
        "input()",
    ],
)
def test_there_is_no_way_out(sandbox: Sandbox, code: str) -> None:
    outcome = run(sandbox, code)
    assert outcome.ending is Ending.FAILED
    assert outcome.output == ""


def test_no_environment_no_clock_and_no_chance_reach_a_program(sandbox: Sandbox) -> None:
    code = "import time, random\nprint(time.time(), random.random())\ntime.sleep(60)"
    first, second = run(sandbox, code), run(sandbox, code)
    assert first.ending is Ending.FINISHED
    assert first == second
    assert first.output.startswith("1767225600.0 ")


def test_nothing_of_one_run_is_left_for_the_next(sandbox: Sandbox) -> None:
    run(sandbox, "secret = 1")
    assert "NameError" in run(sandbox, "print(secret)").message


def test_a_text_that_cannot_be_encoded_is_a_sentence(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "print('\ud800')")
    assert (outcome.ending, outcome.line) == (Ending.FAILED, None)
    assert "surrogates" in outcome.sentence


def test_vectors_are_called_and_judged(sandbox: Sandbox) -> None:
    code = "def kv(layers, heads):\n    print('called')\n    return 2 * layers * heads * 128 * 2"
    outcome = run(
        sandbox,
        code,
        Vector(call="kv(32, 8)", expected=131072),
        Vector(call="kv(32, 8)", expected=131000, tolerance=0.001),
        Vector(call="kv(32, 1)", expected=131072),
        Vector(call="kv()", expected=1),
        Vector(call="gone(1)", expected=1),
        Vector(call="[0.1 + 0.2, True]", expected=[0.3, True]),
        Vector(call="10 ** 5000", expected=1),
        Vector(call="float('nan')", expected=1.0),
        Vector(call="kv(", expected=1),
    )
    assert outcome.ending is Ending.FINISHED
    assert [checked.right for checked in outcome.checked] == [True, True, *[False] * 3, True, *[False] * 3]
    assert [checked.got for checked in outcome.checked][:3] == ["131072", "131072", "16384"]
    assert "TypeError" in outcome.checked[3].got
    assert "NameError" in outcome.checked[4].got
    assert "digits" in outcome.checked[6].got
    assert "SyntaxError" in outcome.checked[8].got


def test_vectors_of_code_that_fails_are_not_reached(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "1 / 0", Vector(call="1", expected=1))
    assert (outcome.ending, outcome.checked) == (Ending.FAILED, ())


@pytest.mark.parametrize("bomb", ["loop", "flood", "one great list"])
def test_a_bomb_in_a_vector_ends_the_check(sandbox: Sandbox, bomb: str) -> None:
    code, ending = BOMBS[bomb]
    body = "\n".join("    " + line for line in code.splitlines())
    calls = (
        Vector(call="1", expected=1),
        Vector(call="bomb()", expected=1),
        Vector(call="1", expected=1),
    )
    outcome = run(sandbox, f"def bomb():\n{body}", *calls)
    assert outcome.ending is ending
    assert len(outcome.checked) == 1


def test_any_value_is_shown_short() -> None:
    for value in ([0] * 10**6, "x" * 10**6, {"a": [[[[1]]]]}, 10**5000, [10**5000], 0.1 + 0.2):
        assert len(shown(value)) <= 400


def test_stop_ends_a_run_before_and_after_it_has_begun() -> None:
    sandbox = Sandbox(seconds=60)
    before = Switch()
    before.press()
    assert sandbox.run("while True: pass", before).ending is Ending.STOPPED
    switch = Switch()
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(sandbox.run("while True: pass", switch)))
    thread.start()
    while not switch.worker:
        thread.join(0.01)
    switch.press()
    thread.join()
    assert [outcome.ending for outcome in outcomes] == [Ending.STOPPED]
    assert run(sandbox, "print(1)").output == "1\n"
    sandbox.close()


def test_a_worker_that_breaks_down_is_replaced(sandbox: Sandbox) -> None:
    switch = Switch()
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(sandbox.run("while True: pass", switch)))
    thread.start()
    while not (worker := switch.worker):
        thread.join(0.01)
    os.kill(worker, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    thread.join()
    assert [outcome.ending for outcome in outcomes] == [Ending.FAILED]
    assert "broke down" in outcomes[0].sentence
    assert run(sandbox, "print(1)").output == "1\n"


def test_many_slow_vectors_end_with_the_first_ones(sandbox: Sandbox) -> None:
    code = "def slow():\n    n = 0\n    while n < 1_000_000:\n        n += 1\n    return n"
    outcome = run(sandbox, code, *[Vector(call="slow()", expected=1_000_000)] * 500)
    assert outcome.ending is Ending.TIMED_OUT
    assert len(outcome.checked) < 500


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads /proc")
def test_close_leaves_no_process() -> None:
    before = children()
    sandbox = Sandbox()
    run(sandbox, "print(1)")
    assert len(children() - before) == 1
    sandbox.close()
    sandbox.close()
    assert children() <= before


def children() -> set[str]:
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has just ended
            found |= set((task / "children").read_text().split())
    return found


def test_the_interpreter_is_imported_with_the_first_run() -> None:
    rooms = [path for path in sys.path if path.endswith(("desktop", "content"))]
    code = f"import sys; sys.path[:0] = {rooms!r}; import ladder_desktop.lessons.sandbox; print('pydantic_monty' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


QUITTING = """
import sys
sys.path[:0] = {rooms!r}
from PySide6.QtCore import QCoreApplication, QTimer
from ladder_desktop.lessons.sandbox import Sandbox
from ladder_desktop.lessons.sandbox_runner import SandboxRunner
app = QCoreApplication([])
runner = SandboxRunner(Sandbox(seconds=60))
runner.run("while True: pass")
def leave():
    if runner._switch.worker is None:
        QTimer.singleShot(5, leave)
    else:
        print(runner._switch.worker)
        app.quit()
leave()
app.exec()
import threading
assert not [thread for thread in threading.enumerate() if thread.name == "sandbox"]
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads /proc")
def test_an_application_that_quits_takes_thread_and_process_with_it() -> None:
    rooms = [path for path in sys.path if path.endswith(("desktop", "content"))]
    code = QUITTING.format(rooms=rooms)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert not Path(f"/proc/{int(done.stdout)}").exists()
