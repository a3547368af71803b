"""One window for each data folder: the second start hands over what it was asked to open."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ladder_desktop import instance as instance_module
from ladder_desktop.instance import BusyError, Instance
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

ROOT = Path(__file__).resolve().parents[2]
OTHER = """
import sys
sys.path.insert(0, {room!r})
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from ladder_desktop.instance import Instance
app = QCoreApplication([])
instance = Instance(Path({folder!r}))
first = instance.claim({target!r}, "")
if first:
    instance.listen()
print(first, flush=True)
"""


def other(folder: Path, target: str, more: str = "") -> subprocess.Popen[str]:
    code = OTHER.format(room=str(ROOT / "desktop"), folder=str(folder), target=target) + more
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


@pytest.fixture
def first(qtbot: QtBot, tmp_path: Path) -> Iterator[Instance]:
    made = Instance(tmp_path)
    assert made.claim("", "")
    made.listen()
    yield made
    made.release()


def test_a_second_start_hands_over_and_is_not_the_first(
    first: Instance, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(first.asked, timeout=30_000) as asked:
        second = other(tmp_path, "card:hub-bound")
    assert asked.args == ["card:hub-bound", ""]
    out, _ = second.communicate(timeout=30)
    assert out.strip() == "False"


def test_another_folder_is_another_window(first: Instance, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    two = Instance(tmp_path / "two")
    assert two.claim("", "")
    two.release()


def test_a_window_that_was_killed_leaves_nothing_in_the_way(qtbot: QtBot, tmp_path: Path) -> None:
    killed = other(tmp_path, "", "import time; app.processEvents(); time.sleep(60)")
    assert killed.stdout is not None
    assert killed.stdout.readline().strip() == "True"
    killed.kill()
    killed.wait()
    killed.stdout.close()
    again = Instance(tmp_path)
    assert again.claim("", "")
    again.listen()
    with qtbot.waitSignal(again.asked, timeout=30_000):
        third = other(tmp_path, "drill")
    third.communicate(timeout=30)
    again.release()


def test_a_first_window_that_does_not_answer_is_one_sentence(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance_module, "ANSWER_MS", 300)
    hung = other(tmp_path, "", "import time; instance._server.close(); time.sleep(60)")
    assert hung.stdout is not None
    hung.stdout.readline()
    with pytest.raises(BusyError, match="does not answer"):
        Instance(tmp_path).claim("", "")
    hung.kill()
    hung.wait()
    hung.stdout.close()


@pytest.mark.parametrize("message", [b"[]\n", b"{\n", b'{"target": "x"}\n', b"x" * 70_000])
def test_nonsense_on_the_socket_is_dropped(first: Instance, qtbot: QtBot, message: bytes) -> None:
    socket = QLocalSocket()
    with qtbot.assertNotEmitted(first.asked):
        socket.connectToServer(first._name)
        assert socket.waitForConnected(2000)
        socket.write(message)
        socket.flush()
        qtbot.waitUntil(
            lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState, timeout=10_000
        )


def test_a_start_before_the_first_listens_is_heard_once_it_does(qtbot: QtBot, tmp_path: Path) -> None:
    busy = Instance(tmp_path)
    assert busy.claim("", "")
    second = other(tmp_path, "drill")
    qtbot.wait(1000)
    with qtbot.waitSignal(busy.asked, timeout=30_000) as asked:
        busy.listen()
    assert asked.args == ["drill", ""]
    assert second.communicate(timeout=30)[0].strip() == "False"
    busy.release()
