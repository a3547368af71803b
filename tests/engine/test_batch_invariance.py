"""batch_invariant: the logits after a token are the same bits alone or in a crowd, chunked or not, cold or warm.

The logits of a whole run are noted by the text before them, so the same text met again in any company must give the
very same row.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ladder_engine.engine import Engine
from ladder_engine.executor import TorchExecutor
from ladder_engine.models import find_model
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import BlocksShared, Preempted, Verified
from ladder_engine.tracing.recorder import Recorder
from torch import Tensor

from tests.engine.checkpoints import write_checkpoint
from tests.engine.conftest import Machine

PROMPTS = [
    "What is the KV cache?",
    "Static batching holds every slot until the longest answer ends. " * 4,
    "a",
    "Why does a block table help when sequences grow at different speeds?",
    "Static batching holds every slot until the longest answer ends. But",
]
LIMITS: list[dict[str, Any]] = [
    {"max_num_seqs": 1},
    {"max_num_batched_tokens": 512},
    {"max_num_batched_tokens": 7, "block_size": 3, "num_blocks": 300},
    {"num_blocks": 17, "block_size": 8},
    {"prefix_caching": True, "block_size": 4, "num_blocks": 200},
    {"num_speculative_tokens": 3, "max_num_batched_tokens": 40},
]
IDS = ["alone", "crowd", "chunked", "preempted", "warm", "drafts"]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Widths that no vector length divides, a mixture of experts, and the bundled model."""
    odd = {"hidden_size": 36, "intermediate_size": 52, "vocab_size": 331}
    return {
        "odd": write_checkpoint(tmp_path_factory.mktemp("odd"), **odd),
        "experts": write_checkpoint(tmp_path_factory.mktemp("experts"), model_type="mixtral"),
        "bundled": find_model("ladder-3m"),
    }


def logits_of(
    machine: Callable[..., Machine], folder: Path, limits: dict[str, Any]
) -> tuple[dict[Any, Tensor], Machine]:
    """Every logits row of a run, by the tokens before it."""
    box = machine(folder=folder, batch_invariant=True, **limits)
    found: dict[Any, Tensor] = {}
    executor = TorchExecutor(box.model, box.config)
    run = executor._model.run

    def noting(works: Any) -> Any:
        samples = run(works)
        rows = iter(samples.logits if samples else ())
        for work in works:
            for place in range(work.num_samples):
                text = (*work.seq.token_ids, *work.draft_tokens[:place])
                row = next(rows).clone()
                first = found.setdefault(text, row)
                assert not box.config.batch_invariant or torch.equal(first, row)
        return samples

    executor._model.run = noting  # type: ignore[method-assign]
    box.engine = Engine(box.config, executor, box.tokenizer, (0,), Recorder(box.events.extend))
    box.engine.scheduler.drafting.propose = lambda token_ids, most: token_ids[-most:]
    for again in range(2 if "prefix_caching" in limits else 1):
        for i, text in enumerate(PROMPTS):
            box.engine.add(f"r{i}.{again}", text, 6 + 2 * i, SamplingParams(ignore_eos=True))
        box.run()
    return found, box


@pytest.mark.parametrize("model", ["odd", "experts", "bundled"])
def test_logits_are_the_same_bits_in_any_company(
    machine: Callable[..., Machine], folders: dict[str, Path], model: str
) -> None:
    """vllm #53257, #39146, #27433: greedy output changed with the batch size, and a warm prefix changed logprobs."""
    alone, _ = logits_of(machine, folders[model], LIMITS[0])
    assert len(alone) == sum(6 + 2 * i for i in range(len(PROMPTS)))
    happened: set[type] = set()
    for limits, name in zip(LIMITS[1:], IDS[1:], strict=True):
        if name == "preempted" and model == "bundled":  # it needs fewer tokens for the same text
            limits = {**limits, "num_blocks": 9}
        found, box = logits_of(machine, folders[model], limits)
        happened |= {type(event) for event in box.events}
        same = [text in found and torch.equal(row, found[text]) for text, row in alone.items()]
        assert all(same), f"{name}: {same.count(False)} of {len(same)} rows differ"
    assert happened >= {Preempted, BlocksShared, Verified}


def test_it_computes_what_the_ordinary_operations_compute(
    machine: Callable[..., Machine], folders: dict[str, Path]
) -> None:
    for folder in folders.values():
        answers = []
        for batch_invariant in (False, True):
            box = machine(folder=folder, batch_invariant=batch_invariant)
            seqs = [
                box.engine.add(f"r{i}", text, 8, SamplingParams(ignore_eos=True, logprobs=0))
                for i, text in enumerate(PROMPTS)
            ]
            box.run()
            answers.append([seq.answer for seq in seqs])
        assert answers[0] == answers[1]
