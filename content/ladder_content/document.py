"""One YAML file of a pack as typed values that remember their lines.

A scalar takes the type of the field it stands in, so `version: 0.1` is text and `no` stays a word. Every place where
a file and its type part is noted, not only the first.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from msgspec import inspect

from ladder_content.faults import Faults, shown
from ladder_content.tree import Node, compose

T = TypeVar("T")
_INVALID: Any = object()
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Text:
    """A text field: where it stands and what it says. `field` is a path such as `[2].steps[0].prompt`."""

    field: str
    line: int
    text: str


@dataclass
class Document:
    """What a file says beside its values: the line of every field, and all its text fields in order."""

    name: str
    lines: dict[str, int] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)


def decode(name: str, data: bytes, kind: type[T], faults: Faults) -> tuple[T | None, Document]:
    """Decode a file that is one struct; None, after noting faults, where it does not fit."""
    document, root = _open(name, data, faults)
    if root is None:
        return None, document
    value = _Decoder(document, faults).decode(root, _type_info(kind), "")  # type: ignore[arg-type]  # classes do hash
    return (None if value is _INVALID else value), document


def decode_list(name: str, data: bytes, kind: type[T], faults: Faults) -> tuple[dict[str, T], Document]:
    """Decode a file that is a list of structs, to a mapping from paths such as `[2]` to the entries that do fit."""
    document, root = _open(name, data, faults)
    if root is None:
        return {}, document
    if not isinstance(root.value, list):
        faults.add(name, root.line, "", "must be a list; a list without entries is written []")
        return {}, document
    decoder, info = _Decoder(document, faults), _type_info(kind)  # type: ignore[arg-type]  # classes do hash
    entries = {
        f"[{index}]": decoder.decode(node, info, f"[{index}]") for index, node in enumerate(root.value)
    }
    return {path: entry for path, entry in entries.items() if entry is not _INVALID}, document


def _open(name: str, data: bytes, faults: Faults) -> tuple[Document, Node | None]:
    text = decode_text(name, data, faults)
    return Document(name), None if text is None else compose(name, text, faults)


def decode_text(name: str, data: bytes, faults: Faults) -> str | None:
    """Return UTF-8 bytes as text with plain line ends, or None after noting where they are not UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.add(name, line, "", "is not UTF-8; save the file as UTF-8")
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


@cache
def _type_info(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


class _Decoder:
    """Walks a tree along a type."""

    def __init__(self, document: Document, faults: Faults) -> None:
        self._document = document
        self._faults = faults

    def decode(self, node: Node, kind: inspect.Type, path: str) -> Any:
        self._document.lines[path] = node.line
        if isinstance(kind, inspect.UnionType):  # the model knows two: something or None, and any plain value
            some = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
            if len(some) > 1:
                return self._any(node, path)
            if node.is_null():
                return None
            kind = some[0]
        if isinstance(kind, inspect.StructType):
            return self._struct(node, kind, path)
        if isinstance(kind, inspect.VarTupleType | inspect.TupleType):
            return self._tuple(node, kind, path)
        if not isinstance(node.value, str):
            return self._fault(node, path, "must be a single value, not a list or mapping")
        if node.is_null() or not node.value.strip():
            return self._fault(node, path, "is empty")
        return self._scalar(node, node.value, kind, path)

    def _fault(self, node: Node, path: str, message: str) -> Any:
        self._faults.add(self._document.name, node.line, path, message)
        return _INVALID

    def _struct(self, node: Node, kind: inspect.StructType, path: str) -> Any:
        if not isinstance(node.value, dict):
            return self._fault(node, path, "must be a mapping of field names to values")
        fields = {one.name: one for one in kind.fields}
        values: dict[str, Any] = {}
        for name, child in node.value.items():
            if name in fields:
                values[name] = self.decode(child, fields[name].type, _join(path, name))
            else:
                known = ", ".join(fields)
                values[name] = self._fault(
                    child, _join(path, name[:40]), f"is not a field; the fields here are {known}"
                )
        for name, one in fields.items():
            if one.required and name not in values:
                values[name] = self._fault(node, _join(path, name), "is missing")
        return _INVALID if _INVALID in values.values() else kind.cls(**values)

    def _tuple(self, node: Node, kind: inspect.VarTupleType | inspect.TupleType, path: str) -> Any:
        if not isinstance(node.value, list):
            return self._fault(node, path, "must be a list")
        one = kind.item_types[0] if isinstance(kind, inspect.TupleType) else kind.item_type
        items = [self.decode(child, one, f"{path}[{index}]") for index, child in enumerate(node.value)]
        if isinstance(kind, inspect.TupleType) and len(items) != len(kind.item_types):
            return self._fault(node, path, f"has {len(items)} entries and must have {len(kind.item_types)}")
        return _INVALID if _INVALID in items else tuple(items)

    def _any(self, node: Node, path: str, inside: bool = False) -> Any:
        """Return a value that has no type but its own: quoted text, a truth, a number, a word, or a list of those."""
        if isinstance(node.value, list) and not inside:
            items = [self._any(one, f"{path}[{index}]", inside=True) for index, one in enumerate(node.value)]
            return _INVALID if _INVALID in items else items
        if not isinstance(node.value, str):
            return self._fault(node, path, "must be a single value or a list of single values")
        if node.is_null():
            return self._fault(node, path, "is empty")
        readings = (_BOOLEANS.get, _whole, _number) if node.plain else ()
        values = (value for read in readings if (value := read(node.value)) is not None)
        return next(values, node.value)

    def _scalar(self, node: Node, text: str, kind: inspect.Type, path: str) -> Any:
        if isinstance(kind, inspect.StrType):
            self._document.texts.append(Text(path, node.line, text))
            return text
        if isinstance(kind, inspect.LiteralType):
            for value in kind.values:
                if text == str(value):
                    return value
            choices = ", ".join(str(value) for value in kind.values)
            return self._fault(node, path, f"is {shown(text)} and must be one of {choices}")
        parse, wanted = _PARSERS[type(kind)]
        value = parse(text)
        return self._fault(node, path, f"is {shown(text)} and must be {wanted}") if value is None else value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def _number(text: str) -> float | None:
    if not re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?", text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


_PARSERS: dict[type[inspect.Type], tuple[Any, str]] = {
    inspect.BoolType: (_BOOLEANS.get, "true or false"),
    inspect.IntType: (_whole, "a whole number"),
    inspect.FloatType: (_number, "a number"),
}
