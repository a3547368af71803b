"""The container of a GGUF file: its metadata, and where its tensors stand. Values are read by the `gguf` package.

The header is read here because that package makes an array of every string: seconds for a vocabulary.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ladder_engine.errors import ModelError

KINDS = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K")
"""The tensor types that this engine reads."""

_STRING, _ARRAY = 8, 9
_SCALARS = dict(enumerate(("<u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<f4", "?"))) | {
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
_MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor of the file: its type's number, its shape with the rows first, and where its bytes begin."""

    kind: int
    shape: tuple[int, ...]
    offset: int


class GgufFile:
    """An open GGUF file of version 2 or 3, little-endian. Raises ModelError naming the file and the fault."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            cursor = _Cursor(self._bytes)
            self._check_magic(cursor)
            num_tensors, num_keys = cursor.number("<u8"), cursor.number("<u8")
            self.metadata: dict[str, Any] = {}
            for _ in range(num_keys):
                key = cursor.string()
                self.metadata[key] = cursor.value(cursor.number("<u4"))
            self.tensors = dict(cursor.tensor() for _ in range(num_tensors))
            alignment = int(self.metadata.get("general.alignment", 32))
            self._data = -(-cursor.at // alignment) * alignment
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}); name a GGUF file.") from None
        except (ArithmeticError, TypeError, ValueError) as error:
            raise ModelError(f"{path}: is not a whole GGUF file ({error}); copy the file again.") from None

    def read(self, name: str) -> NDArray[np.float32]:
        """The values of a tensor, dequantised to fp32. Raises ModelError."""
        import gguf

        tensor = self.tensors[name]
        kind = gguf.GGMLQuantizationType(tensor.kind)
        start, size = self._data + tensor.offset, self._size(tensor)
        raw = np.frombuffer(self._bytes, np.uint8, size, start)
        rows = raw.reshape(*tensor.shape[:-1], -1)
        if kind.name in ("F32", "F16"):
            return rows.view("<f4" if kind.name == "F32" else "<f2").astype(np.float32)
        values: NDArray[np.float32] = gguf.dequantize(rows, kind)
        return values

    def check(self, name: str) -> None:
        """Raise ModelError if a tensor cannot be read: an unknown type, or bytes that the file does not have."""
        import gguf

        tensor = self.tensors[name]
        known = {kind.value: kind.name for kind in gguf.GGMLQuantizationType}
        kind = known.get(tensor.kind, f"of the unknown type {tensor.kind}")
        if kind not in KINDS:
            raise ModelError(f"{self.path}: {name} is {kind}, and this engine reads {', '.join(KINDS)}.")
        if tensor.shape[-1] % gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(tensor.kind)][0]:
            raise ModelError(
                f"{self.path}: {name} is {kind} with rows of {tensor.shape[-1]}; copy the file again."
            )
        if self._data + tensor.offset + self._size(tensor) > len(self._bytes):
            raise ModelError(f"{self.path}: ends before {name} does; copy the file again.")

    def _size(self, tensor: GgufTensor) -> int:
        import gguf

        per_block, block_bytes = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(tensor.kind)]
        return int(np.prod(tensor.shape, dtype=object)) // per_block * block_bytes

    def _check_magic(self, cursor: _Cursor) -> None:
        if cursor.take(4) != b"GGUF":
            raise ModelError(f"{self.path}: is not a GGUF file.")
        version = cursor.number("<u4")
        if version not in (2, 3):
            raise ModelError(f"{self.path}: is GGUF of version {version}, and this engine reads 2 and 3.")


class _Cursor:
    """Reads one thing after another; ValueError where the bytes end."""

    def __init__(self, source: mmap.mmap) -> None:
        self._source = source
        self.at = 0

    def take(self, size: int) -> bytes:
        if self.at + size > len(self._source):
            raise ValueError(f"it ends at byte {len(self._source)}")
        self.at += size
        return self._source[self.at - size : self.at]

    def number(self, layout: str) -> Any:
        """One number of a numpy dtype."""
        return self.numbers(layout, 1)[0]

    def numbers(self, layout: str, count: int) -> list[Any]:
        dtype = np.dtype(layout)
        numbers: list[Any] = np.frombuffer(self.take(count * dtype.itemsize), dtype).tolist()
        return numbers

    def string(self) -> str:
        return self.take(self.number("<u8")).decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind != _ARRAY:
            raise ValueError(f"a value of the unknown type {kind}")
        element, count = self.number("<u4"), self.number("<u8")
        if element == _STRING:
            return [self.string() for _ in range(count)]
        if element not in _SCALARS:
            raise ValueError(f"an array of the unknown type {element}")
        return self.numbers(_SCALARS[element], count)

    def tensor(self) -> tuple[str, GgufTensor]:
        name, dimensions = self.string(), self.number("<u4")
        if not 1 <= dimensions <= _MOST_DIMENSIONS:
            raise ValueError(f"{name} has {dimensions} dimensions")
        shape = tuple(self.number("<u8") for _ in range(dimensions))[::-1]
        return name, GgufTensor(kind=self.number("<u4"), shape=shape, offset=self.number("<u8"))
