"""Reads a small YAML file that a stranger may have written: plain data only, and each fault as one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ladder_engine.errors import ScenarioError

MAX_FILE_BYTES = 1 << 20


def read_yaml(path: Path) -> Any:
    """What the file holds. Raises ScenarioError: one sentence that names the file, the line and what is wrong."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ScenarioError(
                f"{path}: is larger than {MAX_FILE_BYTES >> 20} MiB; a scenario is a small text file."
            )
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_PlainLoader)
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read ({error.strerror}); name a scenario file.") from None
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: is not text in UTF-8; save it as UTF-8.") from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"{path}: {_where(error)}; correct it and run again.") from None
    except RecursionError as error:
        raise ScenarioError(f"{path}: {error}; correct it and run again.") from None


class _PlainLoader(yaml.SafeLoader):
    """Safe YAML without aliases (a small file could stand for a huge one) and without keys given twice."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if keys.count(key.value) > 1:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} is given twice", problem_mark=key.start_mark
                )
        return super().construct_mapping(node, deep)


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"line {mark.line + 1}: {problem}" if mark else " ".join(problem.split())
