"""Operations that tell an observer what each call launches and how long it took, while the observer wants to know."""

from collections.abc import Callable
from dataclasses import fields, replace
from time import perf_counter
from typing import Any, Protocol

import torch
from torch import Tensor

from ladder_kernels.dispatch import Operations
from ladder_kernels.launch import Call


class Observer(Protocol):
    """Who wants to know."""

    watching: bool

    def observe(self, call: Call, seconds: float) -> None:
        """Take note of a call that has just returned."""
        ...


def observed(operations: Operations, observer: Observer) -> Operations:
    """The same operations, seen by `observer`. While it does not watch, a call costs one test of a flag more.

    While it watches, each call on a GPU is waited for before and after, so its time is its own and the step is slower.
    """
    calls: dict[str, Any] = {
        field.name: _watched(
            field.name, getattr(operations, field.name), operations.batch_invariant, observer
        )
        for field in fields(operations)
        if callable(getattr(operations, field.name)) and field.name != "pack_weight"  # that launches nothing
    }
    return replace(operations, **calls)


def _watched(
    name: str, operation: Callable[..., Any], batch_invariant: bool, observer: Observer
) -> Callable[..., Any]:
    def call(first: Tensor, *rest: Any, **options: Any) -> Any:
        if not observer.watching:
            return operation(first, *rest, **options)
        from ladder_kernels.launches import describe

        described = describe(name, batch_invariant, first, *rest, **options)
        _wait(first)
        began = perf_counter()
        result = operation(first, *rest, **options)
        _wait(first)
        observer.observe(described, perf_counter() - began)
        return result

    return call


def _wait(argument: Tensor) -> None:
    if argument.is_cuda:
        torch.cuda.synchronize(argument.device)
