"""The models that people add: checked, copied into the data folder under a name, and removed again.

A model is copied, not linked: whoever has added one may move or delete the original. The copy grows in a hidden folder
and gets its name in one step, so a copy that was broken off is never taken for a model.
"""

from __future__ import annotations

import errno
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ladder_engine.errors import ModelError
from ladder_engine.models import added_models, bundled_models
from ladder_engine.weights.gguf_file import GgufFile
from ladder_engine.weights.gguf_llama import gguf_in, read_config
from ladder_engine.weights.model_config import ModelConfig

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_FILES = ("config.json", "generation_config.json", "model.safetensors.index.json", "tokenizer.json",
          "tokenizer_config.json", "chat_template.jinja", "LICENSE*", "*.safetensors")  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the check of a model found."""

    family: str
    num_parameters: int
    max_position_embeddings: int
    num_bytes: int


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A line of the list: `what` says what the model is, or why it cannot be read."""

    name: str
    num_bytes: int
    what: str


class ModelStore:
    """The folder that added models are kept in; made when the first one comes."""

    def __init__(self, models_dir: Path) -> None:
        self.folder = models_dir

    def add(self, source: Path, name: str | None = None) -> tuple[str, ModelFacts]:
        """Check the model and copy it; returns the name it has got, which is made from the path when none is given.

        Raises ModelError with one sentence, and leaves nothing behind then.
        """
        name = self._free_name(source, name)
        files = _files_of(source)
        facts = check_model(source, files)
        parts = self.folder / f".adding-{name}"
        try:
            shutil.rmtree(parts, ignore_errors=True)  # of an earlier one that was broken off
            parts.mkdir(parents=True)
            if (free := shutil.disk_usage(parts).free) < facts.num_bytes:
                raise OSError(errno.ENOSPC, f"it needs {size(facts.num_bytes)}, and {size(free)} are free")
            for file in files:
                shutil.copyfile(file, parts / file.name)
            parts.rename(self.folder / name)
        except OSError as error:
            full = error.errno == errno.ENOSPC
            what = f"there is not enough room for it ({error.strerror})" if full else error.strerror
            raise ModelError(f"{source}: cannot be copied to {self.folder}: {what}.") from None
        finally:
            shutil.rmtree(parts, ignore_errors=True)
        return name, facts

    def remove(self, name: str) -> None:
        """Delete an added model. Raises ModelError if there is none of this name."""
        if name in bundled_models():
            raise ModelError(f"The model {name!r} comes with the project and cannot be removed.")
        added = added_models(self.folder)
        if name not in added:
            raise ModelError(f"There is no added model {name!r}; there are: {', '.join(added) or 'none'}.")
        hidden = self.folder / f".removing-{name}"
        try:
            shutil.rmtree(hidden, ignore_errors=True)
            added[name].rename(hidden)
            shutil.rmtree(hidden)
        except OSError as error:
            raise ModelError(f"{added[name]}: cannot be removed: {error.strerror}.") from None

    def rows(self) -> list[ModelRow]:
        """The bundled models and the added ones."""
        bundled = bundled_models()
        rows = []
        for name, folder in (bundled | added_models(self.folder)).items():
            num_bytes = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
            try:
                config = read_shape(folder)
                what = (
                    f"{config.family}, {config.num_hidden_layers} layers of {config.hidden_size}, context of "
                )
                what += f"{config.max_position_embeddings} tokens"
            except ModelError as error:
                what = str(error)
            rows.append(ModelRow(name, num_bytes, what + (" (bundled)" if name in bundled else "")))
        return rows

    def _free_name(self, source: Path, name: str | None) -> str:
        resolved = source.resolve()
        stem = resolved.stem if resolved.suffix == ".gguf" else resolved.name
        name = name or re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-._")[:64]
        if not _NAME.fullmatch(name):
            raise ModelError(
                f"{name!r} cannot be a model's name: small letters, digits, '.', '_' and '-', 64 at most; give --name."
            )
        if name in bundled_models() | added_models(self.folder):
            raise ModelError(
                f"There is a model {name!r} already; give another --name, or remove that one first."
            )
        return name


def check_model(source: Path, files: list[Path]) -> ModelFacts:
    """Go through everything that a run would read, without reading the weights. Raises ModelError."""
    import torch
    from ladder_kernels.dispatch import choose

    from ladder_engine.model import Decoder
    from ladder_engine.tokenizer import Tokenizer
    from ladder_engine.weights.checkpoint import META, Checkpoint

    checkpoint = Checkpoint.open(source)
    config = checkpoint.config
    Decoder.of(checkpoint, choose(torch.device("cpu"), "torch"), META, torch.float32)
    num_tokens = Tokenizer.load(source).num_tokens
    if num_tokens > config.vocab_size:
        raise ModelError(
            f"{source}: its tokenizer has {num_tokens} tokens, and its weights know {config.vocab_size}; "
            "the two belong to different models."
        )
    return ModelFacts(
        config.family,
        checkpoint.num_parameters,
        config.max_position_embeddings,
        sum(file.stat().st_size for file in files),
    )


def read_shape(folder: Path) -> ModelConfig:
    """The config of a model folder, whatever its format. Raises ModelError."""
    gguf = gguf_in(folder)
    return read_config(GgufFile(gguf)) if gguf else ModelConfig.load(folder)


def size(num_bytes: int) -> str:
    """A number of bytes for people."""
    for unit, step in (("GB", 10**9), ("MB", 10**6)):
        if num_bytes >= step:
            return f"{num_bytes / step:.1f} {unit}"
    return f"{num_bytes / 1000:.0f} kB"


def _files_of(source: Path) -> list[Path]:
    if not source.exists():
        raise ModelError(f"{source}: is not there; name a Hugging Face folder or a GGUF file.")
    gguf = gguf_in(source)
    if gguf:
        return [gguf]
    if not source.is_dir():
        raise ModelError(f"{source}: is neither a folder nor a .gguf file.")
    return sorted({file for pattern in _FILES for file in source.glob(pattern) if file.is_file()})
