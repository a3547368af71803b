"""Rules that hold over the whole house, each with a bug behind it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
DESKTOP = ROOT / "desktop" / "ladder_desktop"
SOURCES = sorted(
    path for room in ("desktop", "content", "engine", "kernels") for path in (ROOT / room).rglob("*.py")
)


def test_qt_setters_keep_their_references_to_none() -> None:
    """PySide6 6.12 loses one reference to None a call and kills Python 3.11 after some thousands of them."""
    from PySide6.QtCore import QObject

    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(2000):
        thing.setObjectName("a")
    lost = before - sys.getrefcount(None)
    assert lost < 1000, "this PySide6 loses references to None: keep PySide6-Essentials below 6.12"


def test_colours_are_written_in_theme_files_only() -> None:
    literal = re.compile(r"""["']#[0-9a-fA-F]{6}|QColor\(\s*\d|Qt\.GlobalColor\.(?!transparent)\w+""")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in DESKTOP.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if literal.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_widget_is_asked_for_its_screen() -> None:
    """The answer counts as the widget's child, and the screen of the whole application dies with the widget."""
    found = [
        path.name for path in DESKTOP.rglob("*.py") if re.search(r"\w\.screen\(\)", path.read_text("utf-8"))
    ]
    assert not found, "ask QGuiApplication.primaryScreen() or screenAt() instead"


def connections(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "connect"
        ):
            yield from node.args


def test_no_signal_is_connected_to_a_lambda_that_keeps_self() -> None:
    """Such a lambda is called after its object is gone: `Internal C++ object already deleted`."""
    found = []
    for path in DESKTOP.rglob("*.py"):
        for slot in connections(ast.parse(path.read_text("utf-8"))):
            if isinstance(slot, ast.Lambda) and any(
                isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(slot)
            ):
                found.append(f"{path.relative_to(ROOT)}:{slot.lineno}")
    assert not found, found


def test_no_file_beside_a_script_is_named_like_a_standard_module() -> None:
    """`make setup` runs system_check.py as a script, so its folder stands before the standard library."""
    assert not {path.stem for path in DESKTOP.glob("*.py")} & sys.stdlib_module_names


@pytest.mark.parametrize("folder", ["desktop", "content", "engine", "kernels"])
def test_a_room_holds_one_package_and_no_init(folder: str) -> None:
    """A top-level `kernels` package would be taken for the one that transformers imports."""
    assert not (ROOT / folder / "__init__.py").exists()
    assert [path.name for path in (ROOT / folder).iterdir() if (path / "__init__.py").exists()] == [
        f"ladder_{folder}"
    ]


HEAVY = ("torch", "triton", "pyqtgraph", "transformers", "tokenizers", "numpy")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("ladder_desktop.cli", (*HEAVY, "PySide6")),
        ("ladder_desktop.app", ("torch", "triton", "pyqtgraph", "transformers", "tokenizers")),
        ("ladder_desktop.live.live_page", ("torch", "triton", "pyqtgraph", "transformers", "tokenizers")),
        ("ladder_engine.serving.client", ("torch", "triton", "tokenizers")),
        ("ladder_engine.lab.scenario", ("torch", "triton", "tokenizers")),
        ("ladder_engine.tracing.fold", ("torch", "triton", "tokenizers")),
    ],
)
def test_heavy_libraries_load_late(module: str, absent: tuple[str, ...]) -> None:
    """The window must not wait for torch."""
    code = f"import sys, {module}; print(sorted(set({absent!r}) & set(sys.modules)))"
    paths = [str(ROOT / room) for room in ("desktop", "content", "engine", "kernels")]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; {code}"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split(";")[0].strip().split("==") for line in lines if line and not line.startswith("#"))
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def test_every_dependency_is_pinned_inside_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [
        Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["test"]
    ]
    for requirement in wanted:
        if requirement.marker is None or requirement.marker.evaluate():
            pin = pins().get(requirement.name.lower().replace("_", "-"))
            assert pin is not None, f"{requirement.name} has no pin in constraints.txt"
            assert requirement.specifier.contains(pin), f"{requirement} does not admit the pin {pin}"


def test_kernels_import_torch_triton_and_numpy_only() -> None:
    """They run on a borrowed card with nothing else installed."""
    roots = set()
    for path in (ROOT / "kernels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                roots |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                roots.add(str(node.module).partition(".")[0])
    assert "torch" in roots
    assert roots - set(sys.stdlib_module_names) <= {"torch", "triton", "numpy", "ladder_kernels"}
