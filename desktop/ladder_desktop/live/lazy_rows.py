"""Rows of a long table that are put into words one at a time, when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class LazyRows(Sequence[T]):
    """`count` rows, each made anew by `make(index)`."""

    def __init__(self, make: Callable[[int], T], count: int) -> None:
        self._make, self._count = make, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._make(at) for at in range(*index.indices(self._count))]
        return self._make(range(self._count)[index])
