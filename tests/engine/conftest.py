"""What the engine's tests share: engines over tiny random checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.executor import TorchExecutor
from ladder_engine.model import Decoder
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.recorder import Recorder
from ladder_kernels.dispatch import choose

from tests.engine.checkpoints import write_checkpoint


class Machine:
    """An engine over a checkpoint, with everything it said."""

    def __init__(self, folder: Path, config: EngineConfig) -> None:
        self.events: list[AnyEvent] = []
        self.config = config
        self.model = Decoder.load(
            folder,
            choose(torch.device("cpu"), "torch", config.batch_invariant),
            torch.device("cpu"),
            torch.float32,
        )
        self.tokenizer = Tokenizer.load(folder)
        self.engine = Engine(
            config,
            TorchExecutor(self.model, config),
            self.tokenizer,
            self.model.config.eos_token_ids,
            Recorder(self.events.extend),
        )

    def run(self) -> None:
        while self.engine.has_work:
            self.engine.step()


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def make_checkpoint(tmp_path: Path) -> Callable[..., Path]:
    return lambda **changes: write_checkpoint(tmp_path / "model", **changes)


@pytest.fixture
def machine(checkpoint: Path) -> Callable[..., Machine]:
    """Build an engine over the tiny checkpoint: machine(num_blocks=..., ...)."""

    def build(folder: Path = checkpoint, **limits: Any) -> Machine:
        roomy = {"num_blocks": 64, "block_size": 16, "max_num_seqs": 16, "max_num_batched_tokens": 64,
                 "max_model_len": 512}  # fmt: skip
        return Machine(folder, EngineConfig(**(roomy | limits)))

    return build
