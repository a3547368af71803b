"""A YAML file as a tree of nodes that know their lines.

The file is read as events and the tree is built with an explicit stack: no object is ever constructed from a tag, and
hostile nesting cannot exhaust ours. Anchors, aliases and tags are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from ladder_content.faults import Faults, shown

MAX_DEPTH = 16
_Loader: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # libyaml, where the wheel has it, is ten times as fast
_NULLS = ("", "~", "null", "Null", "NULL")


@dataclass
class Node:
    """A scalar, a list or a mapping of a YAML file, and the line it starts on."""

    line: int
    value: str | list[Node] | dict[str, Node]
    plain: bool = False

    def is_null(self) -> bool:
        """Tell whether the node is an unquoted null or nothing at all."""
        return self.plain and isinstance(self.value, str) and self.value in _NULLS


class _BrokenError(Exception):
    """The file cannot be read beyond this line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def compose(name: str, text: str, faults: Faults) -> Node | None:
    """Return the root of a file's tree, or None after noting why there is none."""
    try:
        return _build(name, yaml.parse(text, Loader=_Loader), faults)
    except _BrokenError as error:
        faults.add(name, error.line, "", str(error))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or "cannot be parsed"
        hint = "; a text with a colon in it wants quotes" if "mapping values" in problem else ""
        faults.add(name, mark.line + 1 if mark else 1, "", f"is not valid YAML: {problem}{hint}")
    except yaml.YAMLError:
        faults.add(name, 1, "", "is not valid YAML: it holds a character that YAML does not allow")
    return None


@dataclass
class _Open:
    """A list or mapping whose end has not been seen yet."""

    node: Node
    key: str | None = None  # of a mapping: the field whose value comes next
    key_line: int = 0


def _build(name: str, events: Iterator[Any], faults: Faults) -> Node:
    root: Node | None = None
    stack: list[_Open] = []
    for event in events:
        line = event.start_mark.line + 1
        _refuse_magic(event, line)
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise _BrokenError(line, "holds more than one YAML document")
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
        if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            continue
        node = _node(event, line)
        if stack:
            _attach(name, stack[-1], node, faults)
        else:
            root = node
        if not isinstance(node.value, str):
            if len(stack) == MAX_DEPTH:
                raise _BrokenError(line, "is nested too deeply")
            stack.append(_Open(node))
    if root is None:
        raise _BrokenError(1, "is empty; a list without entries is written []")
    return root


def _refuse_magic(event: Any, line: int) -> None:
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise _BrokenError(line, "uses an anchor or alias; a pack says everything once, in its place")
    if getattr(event, "tag", None) is not None:
        raise _BrokenError(line, f"uses the tag {shown(event.tag)}; a pack holds plain values only")


def _node(event: Any, line: int) -> Node:
    if isinstance(event, yaml.ScalarEvent):
        return Node(line, event.value, plain=not event.style)
    return Node(line, {} if isinstance(event, yaml.MappingStartEvent) else [])


def _attach(name: str, parent: _Open, node: Node, faults: Faults) -> None:
    """Put a node into the list or mapping it belongs to."""
    content = parent.node.value
    if isinstance(content, list):
        content.append(node)
    elif isinstance(content, dict) and parent.key is not None:
        content[parent.key] = node
        node.line = parent.key_line  # a list that begins below its key is looked for at the key
        parent.key = None
    elif isinstance(content, dict):
        if not isinstance(node.value, str):
            raise _BrokenError(node.line, "has a list or mapping where the name of a field should stand")
        if node.value in content:
            faults.add(name, node.line, node.value[:40], "stands twice in the same entry")
        parent.key, parent.key_line = node.value, node.line
