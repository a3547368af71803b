"""What the layers of a step share is worked out by the first of them and kept for the others."""

from collections.abc import Callable
from typing import Generic, TypeVar

from torch import Tensor

Made = TypeVar("Made")


class StepMemo(Generic[Made]):
    """Things made of the tensors of a step, one for each kind of layer, forgotten when other tensors come.

    The layers of a step pass the same tensors, and by that a step is known: they must not be changed in place afterwards.
    """

    def __init__(self) -> None:
        self._step: tuple[Tensor, ...] = ()
        self._made: dict[object, Made] = {}

    def get(self, step: tuple[Tensor, ...], kind: object, make: Callable[[], Made]) -> Made:
        """What was made for these tensors and this kind of layer, made now if they are new."""
        if not self._step or any(new is not old for new, old in zip(step, self._step, strict=True)):
            self._step, self._made = step, {}
        if kind not in self._made:
            self._made[kind] = make()
        return self._made[kind]
