"""The pictures of every page can be made: `make shots` drives what it shows by the pages' own names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parents[2]
CODE = "import sys; from pathlib import Path; from tests.desktop.shots import main; main(Path(sys.argv[1]), [('dark', 150)])"


def test_every_page_has_its_picture(tmp_path: Path) -> None:
    rooms = [str(ROOT / room) for room in ("desktop", "content", "engine", "kernels")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *rooms])}
    done = subprocess.run(
        [sys.executable, "-c", CODE, tmp_path], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    pictures = sorted((tmp_path / "dark-150").glob("*.png"))
    assert done.stdout == f"{len(pictures)} pictures in {tmp_path / 'dark-150'}\n"
    kinds = {path.stem.partition("-")[2].partition("-")[0] for path in pictures}
    assert kinds >= {
        "home",
        "gist",
        "map",
        "drill",
        "ticket",
        "interview",
        "stats",
        "cards",
        "live",
        "settings",
    }
    for path in pictures:
        image = QImage(str(path)).scaled(64, 64)
        assert len({image.pixel(x, y) for x in range(64) for y in range(64)}) > 8, f"{path.name} is empty"
