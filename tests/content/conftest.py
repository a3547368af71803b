"""Packs to load and to break. The small one is the one that content/README.md teaches."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from ladder_content.loader import bundled_pack

README = Path(__file__).parents[2] / "content" / "README.md"
_EXAMPLE = re.compile(
    r"^`((?:pack|facts|studies/)[\w./-]*)`[^\n]*(?:\n[^\n]+)*\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE
)

Files = Mapping[str, str | bytes]


def _write_folder(root: Path, files: Files) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def _write_zip(path: Path, files: Files, top: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in files.items():
            file.writestr(top + name, text)
    return path


@pytest.fixture(scope="session")
def write_folder() -> Callable[..., Path]:
    return _write_folder


@pytest.fixture(scope="session")
def write_zip() -> Callable[..., Path]:
    return _write_zip


def _example_files() -> dict[str, str]:
    """The example of the README; a second block for a file goes on with it."""
    files: dict[str, str] = {}
    for name, text in _EXAMPLE.findall(README.read_text(encoding="utf-8")):
        files[name] = files.get(name, "") + text
    return files


@pytest.fixture
def files() -> dict[str, str]:
    """The example of the README: file names to texts."""
    return _example_files()


@pytest.fixture(scope="session")
def example() -> dict[str, bytes]:
    """The same for Hypothesis, which wants a fixture that lives longer than one test."""
    return {name: text.encode() for name, text in _example_files().items()}


@pytest.fixture(scope="session")
def bundled() -> dict[str, bytes]:
    """The bundled pack: file names to bytes."""
    root = bundled_pack()
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
