"""A small pack with awkward texts, and the real Anki in an environment of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ANKI = "anki==26.9.3"
ROOT = Path(__file__).parents[2]

Oracle = Callable[[Path, str], dict[str, Any]]


@pytest.fixture(scope="session")
def anki_python() -> Path:
    """The interpreter of an environment with Anki, made once and kept in the cache folder."""
    home = ROOT / ".cache" / ANKI.replace("==", "-")
    if not home.exists():
        _install_anki(home)
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install_anki(home: Path) -> None:
    draft = home.with_name(f"{home.name}.{os.getpid()}")
    try:
        venv.create(draft, with_pip=True, symlinks=os.name != "nt")
        python = draft / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=1", ANKI]
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=240)
        draft.rename(home)  # fails where another worker was quicker: theirs serves as well
    except (OSError, subprocess.SubprocessError) as error:
        if not home.exists():
            reason = getattr(error, "stderr", None) or str(error)
            pytest.skip(f"{ANKI} cannot be installed here: {str(reason).strip().splitlines()[-1]}")
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@pytest.fixture
def ask_anki(anki_python: Path, tmp_path: Path) -> Oracle:
    """Import a package in the given time zone and return what Anki made of it."""

    def ask(package: Path, zone: str) -> dict[str, Any]:
        folder = tmp_path / f"anki-{zone.replace('/', '-')}"
        folder.mkdir()
        command = [anki_python, Path(__file__).with_name("anki_oracle.py"), package, folder]
        environment = {**os.environ, "TZ": zone}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return ask
