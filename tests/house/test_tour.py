"""The tour, whole: the real window, the real engine in its process, real exports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_without_a_display_the_tour_is_taken(tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    paths = os.pathsep.join(str(ROOT / room) for room in ("desktop", "content", "engine", "kernels"))
    command = "from ladder_desktop.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", command, "open", "--or-tour", str(tmp_path / "tour")],
        env={**environment, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "no display" in result.stdout.splitlines()[0]
    names = {path.name for path in (tmp_path / "tour").glob("*.png")}
    assert {"home.png", "gist.png", "drill.png", "tickets.png", "live.png", "dark-live.png"} <= names
    assert all(path.stat().st_size > 10_000 for path in (tmp_path / "tour").glob("*.png"))
    assert "every card state is the same" in result.stdout
