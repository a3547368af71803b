"""A model folder, opened: its config, and its tensors by their names, whichever file each is in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import safetensors
from torch import Tensor

from ladder_engine.errors import ModelError
from ladder_engine.model_config import ModelConfig, read_object

Reader = tuple[Path, Callable[[], Tensor]]
"""The file that holds a tensor, and how to get it from there."""


class Checkpoint:
    """`take` hands out each tensor once; nothing is read before. What nobody takes is a fault of the reader."""

    def __init__(
        self, folder: Path, config_path: Path, config: ModelConfig, readers: dict[str, Reader]
    ) -> None:
        self.folder = folder
        self.config_path = config_path
        self.config = config
        self._readers = readers

    @staticmethod
    def open(folder: Path) -> Checkpoint:
        """Open config.json and the *.safetensors beside it. Raises ModelError naming the file."""
        return Checkpoint(folder, folder / "config.json", ModelConfig.load(folder), _safetensors(folder))

    def take(self, name: str, *shape: int) -> Tensor:
        """The tensor of this name, in the dtype of the file. Raises ModelError if it is missing or has another shape."""
        if name not in self._readers:
            raise ModelError(f"{self.folder}: the weight {name} is missing; copy the model's whole folder.")
        path, read = self._readers.pop(name)
        try:
            tensor = read()
        except (OSError, ValueError, safetensors.SafetensorError) as error:
            raise ModelError(f"{path}: {name} cannot be read ({error}); copy the file again.") from None
        if tuple(tensor.shape) != shape:
            raise ModelError(
                f"{path}: {name} has the shape {tuple(tensor.shape)}, and the config says {shape}; "
                "the two belong to different models."
            )
        if not tensor.dtype.is_floating_point or tensor.dtype.itemsize < 2:
            raise ModelError(
                f"{path}: {name} is {str(tensor.dtype).removeprefix('torch.')}, "
                "and this engine reads float32, float16 and bfloat16; take the model's unquantised files."
            )
        return tensor

    def check_used(self) -> None:
        """Raise ModelError if a tensor is left: a part of the model that this engine does not know would be missing."""
        unknown = [
            name for name in self._readers if not name.endswith((".rotary_emb.inv_freq", "lm_head.weight"))
        ]
        if unknown:
            raise ModelError(
                f"{self.folder}: holds the weight {unknown[0]}, which a {self.config.family} model does not have, "
                "so this engine would compute something else."
            )


def _safetensors(folder: Path) -> dict[str, Reader]:
    readers: dict[str, Reader] = {}
    for path in _files(folder):
        try:
            file = safetensors.safe_open(path, framework="pt")
            names: list[str] = file.keys()  # type: ignore[no-untyped-call]
        except (OSError, safetensors.SafetensorError) as error:
            raise ModelError(f"{path}: cannot be read ({error}); copy the file again.") from None
        readers |= {name: (path, partial(file.get_tensor, name)) for name in names}
    return readers


def _files(folder: Path) -> list[Path]:
    """The shards that the index names, or else model.safetensors, or else every *.safetensors there is."""
    index = folder / "model.safetensors.index.json"
    if index.exists():
        shards = read_object(index).get("weight_map")
        if not isinstance(shards, dict) or not all(isinstance(name, str) for name in shards.values()):
            raise ModelError(f"{index}: holds no weight_map; copy the file again.")
        return [folder / Path(name).name for name in sorted(set(shards.values()))]
    single = folder / "model.safetensors"
    files = [single] if single.exists() else sorted(folder.glob("*.safetensors"))
    if not files:
        raise ModelError(f"{folder}: holds no *.safetensors file; copy the model's whole folder.")
    return files
