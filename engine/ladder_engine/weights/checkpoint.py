"""A model's files, opened: its config, and its tensors by Hugging Face's names, whichever file each is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import safetensors
import torch
from torch import Tensor

from ladder_engine.errors import ModelError
from ladder_engine.weights.gguf_file import GgufFile
from ladder_engine.weights.gguf_llama import gguf_in, read_config, read_tensor, tensor_names
from ladder_engine.weights.model_config import ModelConfig, read_object

META = torch.device("meta")
_DTYPES = ("F32", "F16", "BF16")


@dataclass(frozen=True, slots=True)
class Reader:
    """One tensor that has not been read yet."""

    path: Path
    shape: tuple[int, ...]
    dtype: str
    read: Callable[[], Tensor]


class Checkpoint:
    """`take` hands out each tensor once; nothing is read before. What nobody takes is a fault of the taker.

    `config_path` is the file that holds the config.
    """

    def __init__(self, config_path: Path, config: ModelConfig, readers: dict[str, Reader]) -> None:
        self.config_path = config_path
        self.config = config
        self._readers = readers
        self.num_parameters = 0

    @staticmethod
    def open(folder: Path) -> Checkpoint:
        """Open a Hugging Face folder (config.json, *.safetensors), or a GGUF file or the folder of one.

        Raises ModelError naming the file.
        """
        path = gguf_in(folder)
        if path is None:
            return Checkpoint(folder / "config.json", ModelConfig.load(folder), _safetensors(folder))
        file = GgufFile(path)
        config = read_config(file)

        def values(name: str) -> Tensor:
            return torch.from_numpy(read_tensor(file, config, name))

        readers = {
            name: Reader(path, file.tensors[inside].shape, "F32", partial(values, inside))
            for name, inside in tensor_names(file).items()
        }
        return Checkpoint(path, config, readers)

    def take(self, name: str, shape: tuple[int, ...], device: torch.device) -> Tensor:
        """The tensor of this name, in the dtype of the file; on the meta device nothing is read, only checked.

        Raises ModelError if it is missing, has another shape, or is quantised.
        """
        if name not in self._readers:
            raise ModelError(
                f"{self.config_path.parent}: the weight {name} is missing; copy the model's whole folder."
            )
        reader = self._readers.pop(name)
        if reader.shape != shape:
            raise ModelError(
                f"{reader.path}: {name} has the shape {reader.shape}, and the config says {shape}; "
                "the two belong to different models."
            )
        if reader.dtype not in _DTYPES:
            raise ModelError(
                f"{reader.path}: {name} is {reader.dtype}, and this engine reads {', '.join(_DTYPES)}; "
                "take the model's unquantised files."
            )
        self.num_parameters += torch.Size(shape).numel()
        if device == META:
            return torch.empty(shape, device=META)
        try:
            return reader.read().to(device)
        except (OSError, ValueError, safetensors.SafetensorError) as error:
            raise ModelError(
                f"{reader.path}: {name} cannot be read ({error}); copy the file again."
            ) from None

    def check_used(self) -> None:
        """Raise ModelError if a tensor is left: a part of the model that this engine does not know would be missing."""
        harmless = (".rotary_emb.inv_freq", "lm_head.weight")
        unknown = [name for name in self._readers if not name.endswith(harmless)]
        if unknown:
            raise ModelError(
                f"{self.config_path.parent}: holds the weight {unknown[0]}, which a {self.config.family} model of this "
                "config does not have, so this engine would compute something else."
            )


def _safetensors(folder: Path) -> dict[str, Reader]:
    readers: dict[str, Reader] = {}
    for path in _files(folder):
        try:
            file = safetensors.safe_open(path, framework="pt")
            for name in file.keys():  # type: ignore[no-untyped-call]  # noqa: SIM118 (it is no mapping)
                part = file.get_slice(name)  # type: ignore[no-untyped-call]
                shape = tuple(part.get_shape())
                readers[name] = Reader(path, shape, part.get_dtype(), partial(file.get_tensor, name))
        except (OSError, safetensors.SafetensorError) as error:
            raise ModelError(f"{path}: cannot be read ({error}); copy the file again.") from None
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
