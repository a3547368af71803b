"""The real Anki in an environment of its own, made once and kept in the cache folder. It judges; it is no dependency."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

ANKI = "anki==26.9.3"
ROOT = Path(__file__).parents[2]


class NoAnkiError(Exception):
    """Anki cannot be installed here; the message says why."""


def anki_python() -> Path:
    """Return the interpreter of the environment, making it first if it is not there."""
    home = ROOT / ".cache" / ANKI.replace("==", "-")
    if not home.exists():
        _install(home)
    return _python(home)


def _python(home: Path) -> Path:
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install(home: Path) -> None:
    draft = home.with_name(f"{home.name}.{os.getpid()}")
    try:
        venv.create(draft, with_pip=True, symlinks=os.name != "nt")
        pip = [
            _python(draft),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--retries=1",
        ]
        subprocess.run([*pip, ANKI], check=True, capture_output=True, text=True, timeout=240)
        draft.rename(home)  # fails where another process was quicker: theirs serves as well
    except (OSError, subprocess.SubprocessError) as error:
        if not home.exists():
            reason = getattr(error, "stderr", None) or str(error)
            last = str(reason).strip().splitlines()[-1]
            raise NoAnkiError(f"{ANKI} cannot be installed here: {last}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
