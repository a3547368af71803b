"""What the runs of the lab compute with: the model and the kernels, and what each costs in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ladder_engine.errors import EngineError
from ladder_engine.lab.scenario import Scenario
from ladder_engine.models import find_model
from ladder_engine.serving.protocol import KernelMode
from ladder_engine.weights.model_config import ModelConfig
from ladder_engine.weights.model_store import read_shape

from ladder_desktop.live.lens_words import size_words

FP32 = 4  # bytes: the lab holds weights and KV in fp32
KERNELS: dict[KernelMode, tuple[str, str]] = {
    "auto": (
        "What fits the machine",
        "Triton's compiled kernels where this machine has a GPU for them, else torch's twins.",
    ),
    "torch": (
        "torch twins",
        "The same operations in plain torch: they define what is right, and have no launch grid of their own.",
    ),
    "interpret": (
        "Triton, interpreted",
        "The Triton kernels themselves, program after program on the CPU. A step takes a hundred times as long as with "
        "the twins, and more (measured with ladder-3m on two CPU cores: 1 to 10 s, not 6 to 26 ms).",
    ),
    "triton": (
        "Triton on a GPU",
        "The compiled kernels. Where there is no GPU for them the run is refused. Each kernel is compiled when it is "
        "first launched, which takes seconds once.",
    ),
}


@dataclass(frozen=True)
class Choice:
    """What runs compute with. Without a model it is each scenario's own."""

    model: str = ""
    kernels: KernelMode = "auto"

    @property
    def words(self) -> str:
        """What is chosen, in a few words."""
        whose = self.model or "the scenario's own model"
        return f"{whose}, kernels: {KERNELS[self.kernels][0]}"


def model_words(choice: Choice, scenario: Scenario, models_dir: Path | None) -> str:
    """What the model costs in this scenario, or why it cannot be read."""
    try:
        name = choice.model or scenario.model
        folder = find_model(name, models_dir) if choice.model else scenario.model_folder(name, models_dir)
        return _cost(read_shape(folder), scenario, folder)
    except EngineError as error:
        return str(error)


def _cost(config: ModelConfig, scenario: Scenario, folder: Path) -> str:
    """What a model costs in this scenario, from its config: nothing here was measured."""
    token = config.kv_bytes_per_token(FP32)
    engine = scenario.engine
    pool = token * engine.num_blocks * engine.block_size
    disk = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) if folder.is_dir() else 0
    words = (
        f"{config.family}, {config.num_hidden_layers} layers of {config.hidden_size}; {size_words(disk)} on disk, read as "
        f"fp32 in every step. KV: {size_words(token)} a token, {size_words(pool)} for the scenario's pool of "
        f"{engine.num_blocks} blocks (counted from its config)."
    )
    if engine.max_model_len > config.max_position_embeddings:
        words += (
            f" It knows {config.max_position_embeddings} positions and the scenario asks for {engine.max_model_len}, so the "
            "run will be refused."
        )
    return words
