"""The rules of snippets: their code is Python that imports nothing but `math`, their calls are expressions.

Nothing here runs the code. It is parsed only, within a size that the parser can take.
"""

from __future__ import annotations

import ast
import warnings
from typing import Literal

from ladder_content.document import Document
from ladder_content.faults import Faults, shown
from ladder_content.kinds import check_tolerance
from ladder_content.model import Snippet

MAX_CODE = 20_000
MAX_CALL = 500


def check_snippet(document: Document, path: str, snippet: Snippet, faults: Faults) -> None:
    """The code and the calls parse, the code imports nothing but `math`, and there is something to check it by."""
    tree = _parse(document, f"{path}.code", snippet.code, "exec", faults)
    for name in _imports(tree) if tree else ():
        if name != "math":
            message = f"imports {shown(name)}; a snippet may import math and nothing else"
            faults.add(document.name, document.lines[f"{path}.code"], f"{path}.code", message)
    if not snippet.vectors:
        place = f"{path}.vectors"
        faults.add(document.name, document.lines[place], place, "is empty; give at least one call to check")
    for index, vector in enumerate(snippet.vectors):
        place = f"{path}.vectors[{index}]"
        _parse(document, f"{place}.call", vector.call, "eval", faults)
        check_tolerance(document, place, vector.tolerance, faults)


def _parse(
    document: Document, place: str, source: str, mode: Literal["exec", "eval"], faults: Faults
) -> ast.AST | None:
    limit, wanted = (MAX_CODE, "valid Python") if mode == "exec" else (MAX_CALL, "a Python expression")
    if len(source) > limit:
        problem = f"is longer than {limit:,} characters"
    else:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a stranger's odd escape is no business of our log
                return ast.parse(source, mode=mode)
        except SyntaxError as error:
            where = f" in its line {error.lineno}" if mode == "exec" and error.lineno else ""
            problem = f"is not {wanted}: {error.msg}{where}"
        except (ValueError, RecursionError, MemoryError):
            problem = f"is not {wanted} that can be parsed"
    faults.add(document.name, document.lines[place], place, problem)
    return None


def _imports(tree: ast.AST) -> list[str]:
    """Return the modules that code imports, in order; a relative import counts with its dots."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    return names
