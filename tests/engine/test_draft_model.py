"""A draft model: its KV is always its own sequence's, and what is said follows the target whatever it guesses.

Every slot of both KV caches begins as NaN, so whoever reads one that was never written says nothing sensible. A draft
model that is the target itself guesses everything right, unless its KV is not what it should be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from ladder_engine.config import EngineConfig
from ladder_engine.engine import Engine
from ladder_engine.errors import ScenarioError
from ladder_engine.executor import TorchExecutor
from ladder_engine.lab.runner import run_scenario
from ladder_engine.model import Decoder
from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import BlocksShared, Preempted, RunStarted, Sampled, Scheduled, Verified
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.recorder import Recorder
from ladder_engine.tracing.summary import summarize_state
from ladder_kernels.dispatch import choose
from safetensors.torch import load_file, save_file

from tests.engine.conftest import Machine, write_checkpoint

GREEDY = SamplingParams(ignore_eos=True)
PROMPTS = [
    "What is the KV cache?",
    "Static batching holds every slot. " * 4,
    "a",
    "Continuous batching fills a slot.",
]
LIMITS: list[dict[str, Any]] = [
    {},
    {"max_num_batched_tokens": 9, "block_size": 3, "num_blocks": 200},
    {"num_blocks": 11, "block_size": 8},
    {"prefix_caching": True, "block_size": 4, "num_blocks": 200},
    {"batching": "static"},
    {"kv_layout": "slab", "max_model_len": 256},
    {"max_num_speculating": 2},
]
IDS = ["roomy", "chunked", "preempted", "cached", "static", "slab", "crowded"]


@pytest.fixture(scope="session")
def other_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The target with noise on its weights: it is often right, and often sure of something else."""
    folder = write_checkpoint(tmp_path_factory.mktemp("other"))
    generator = torch.Generator().manual_seed(1)
    weights = {
        name: weight + 0.06 * torch.randn(weight.shape, generator=generator)
        for name, weight in load_file(folder / "model.safetensors").items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture
def speculating(machine: Callable[..., Machine], checkpoint: Path) -> Callable[..., Machine]:
    """An engine with a draft model, the target itself unless another folder is given, over caches full of NaN."""

    def build(draft: Path = checkpoint, **limits: Any) -> Machine:
        box = machine(**({"num_speculative_tokens": 4, "draft_model": "d"} | limits))
        cpu = torch.device("cpu")
        model = Decoder.load(draft, choose(cpu, "torch"), cpu, torch.float32)
        executor = TorchExecutor(box.model, box.config, model)
        box.engine = Engine(box.config, executor, box.tokenizer, (0,), Recorder(box.events.extend))
        assert executor._draft_model is not None
        for runner in (executor._model, executor._draft_model._runner):
            runner._cache.key.fill_(torch.nan)
            runner._cache.value.fill_(torch.nan)
        return box

    return build


def of(box: Machine, kind: type) -> list[Any]:
    return [event for event in box.events if isinstance(event, kind)]


def ask(box: Machine) -> list[Any]:
    return [box.engine.add(f"r{i}", text, 10 + 4 * i, GREEDY) for i, text in enumerate(PROMPTS)]


@pytest.mark.parametrize("limits", LIMITS, ids=IDS)
def test_greedy_answers_are_those_without_a_draft(
    machine: Callable[..., Machine], speculating: Callable[..., Machine], other_checkpoint: Path, limits: Any
) -> None:
    plain = machine()
    expected = ask(plain)
    plain.run()
    box = speculating(other_checkpoint, **limits)
    seqs = ask(box)
    box.run()
    assert [seq.answer for seq in seqs] == [seq.answer for seq in expected]
    assert of(box, Verified)


@pytest.mark.parametrize("limits", LIMITS, ids=IDS)
def test_a_draft_by_the_target_itself_is_always_right(
    speculating: Callable[..., Machine], limits: Any
) -> None:
    """sglang #19897: a prefix hit was valid for the target while the draft's KV had never been computed."""
    box = speculating(**limits)
    first = ask(box)
    box.run()
    again = ask(box)
    box.run()
    assert [seq.answer for seq in first] == [seq.answer for seq in again]
    verified = of(box, Verified)
    assert len(verified) > 5
    assert all(event.num_accepted_tokens == len(event.draft_token_ids) for event in verified)
    assert bool(of(box, Preempted)) == ("num_blocks" in limits and limits["num_blocks"] < 30)
    assert bool(of(box, BlocksShared)) == ("prefix_caching" in limits)


def test_a_prefix_computed_while_nobody_drafted_is_caught_up_with(
    speculating: Callable[..., Machine],
) -> None:
    box = speculating(prefix_caching=True, block_size=4, max_num_speculating=1)
    for _ in range(2):  # two at once: nobody drafts, so the draft model computes nothing
        box.engine.add("crowd", PROMPTS[1], 6, GREEDY)
    box.run()
    assert not of(box, Verified)
    box.engine.add("late", PROMPTS[1], 20, GREEDY)
    box.run()
    assert of(box, BlocksShared)
    assert all(event.num_accepted_tokens == len(event.draft_token_ids) > 0 for event in of(box, Verified))


def test_the_draft_model_catches_up_within_the_budget(speculating: Callable[..., Machine]) -> None:
    box = speculating(prefix_caching=True, block_size=4, max_num_batched_tokens=16)
    computed: list[int] = []
    runner = box.engine._executor._draft_model._runner  # type: ignore[attr-defined]
    run = runner.run
    runner.run = lambda works: (computed.append(sum(work.num_tokens for work in works)), run(works))[1]
    for name in ("cold", "warm"):
        box.engine.add(name, PROMPTS[1], 12, GREEDY)
        box.run()
    assert len(box.tokenizer.encode(PROMPTS[1])) > 32
    assert max(computed) == 16
    assert sum(computed) > 64


def test_an_abort_in_the_middle_of_speculation_frees_everything(speculating: Callable[..., Machine]) -> None:
    box = speculating()
    seqs = ask(box)
    while not of(box, Verified):
        box.engine.step()
    box.engine.abort(seqs[1].seq_id)
    box.run()
    assert box.engine.scheduler.pool.num_free == box.config.num_blocks
    assert [seq.finish_reason for seq in seqs] == ["length", "aborted", "length", "length"]


def wish(seed: int) -> SamplingParams:
    return SamplingParams(temperature=1.5, top_k=3, top_p=0.97, seed=seed, ignore_eos=True)


@torch.inference_mode()
def next_probs(model: Any, tokens: list[int]) -> dict[int, float]:
    """What the target says next under `wish`, from transformers and the words of the filters."""
    logits = model(torch.tensor([tokens])).logits[0, -1].double() / 1.5
    best = logits.topk(3)
    probs = best.values.softmax(0).tolist()
    kept = next(n for n in (1, 2, 3) if sum(probs[:n]) >= 0.97)
    return dict(zip(best.indices.tolist()[:kept], (p / sum(probs[:kept]) for p in probs), strict=False))


def test_sampled_answers_follow_the_target_whatever_the_draft(
    speculating: Callable[..., Machine], checkpoint: Path, other_checkpoint: Path
) -> None:
    """vllm #40149: without p / q the answers follow the draft. Three tokens, 2,000 seeds, against every path's probability."""
    from transformers import LlamaForCausalLM

    model: Any = LlamaForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    box = speculating(other_checkpoint, max_num_seqs=250, num_blocks=600, max_num_batched_tokens=2000)
    draws = 2000
    seqs = [box.engine.add(f"r{seed}", PROMPTS[0], 4, wish(seed)) for seed in range(draws)]
    box.run()
    counts = Counter(tuple(seq.answer[:3]) for seq in seqs)

    prompt, expected = box.tokenizer.encode(PROMPTS[0]), {(): 1.0}
    for _ in range(3):
        expected = {
            (*path, token): mass * p
            for path, mass in expected.items()
            for token, p in next_probs(model, [*prompt, *path]).items()
        }
    assert set(counts) <= set(expected)
    often = {path: mass for path, mass in expected.items() if mass * draws >= 5}
    rest = 1 - sum(often.values())
    cells = [(counts[path], mass * draws) for path, mass in often.items()]
    if rest * draws >= 5:
        cells.append((draws - sum(counts[path] for path in often), rest * draws))
    statistic = sum((count - mean) ** 2 / mean for count, mean in cells)
    freedom = len(cells) - 1
    limit = (
        freedom * (1 - 2 / (9 * freedom) + 3.72 * (2 / (9 * freedom)) ** 0.5) ** 3
    )  # 1 - 1e-4, Wilson and Hilferty
    assert freedom >= 5
    assert statistic < limit
    accepted = sum(event.num_accepted_tokens for event in of(box, Verified))
    drafted = sum(len(event.draft_token_ids) for event in of(box, Verified))
    assert 0.02 * drafted < accepted < 0.9 * drafted


@pytest.mark.parametrize("place", [0, 3])
def test_neighbours_do_not_change_a_sampled_answer(
    speculating: Callable[..., Machine], other_checkpoint: Path, place: int
) -> None:
    """vllm #51226: a seeded request changed with its place in the batch."""
    alone, crowd = speculating(other_checkpoint), speculating(other_checkpoint, max_num_batched_tokens=200)
    expected = alone.engine.add("alone", PROMPTS[0], 30, wish(5))
    alone.run()
    texts = [*PROMPTS[1:][:place], PROMPTS[0], *PROMPTS[1:][place:]]
    seqs = [
        crowd.engine.add(f"r{i}", text, 30, wish(5 if i == place else 50 + i)) for i, text in enumerate(texts)
    ]
    crowd.run()
    assert seqs[place].answer == expected.answer
    assert of(crowd, Verified)


def test_the_trace_tells_which_draft_tokens_stood_where(
    speculating: Callable[..., Machine], other_checkpoint: Path
) -> None:
    box = speculating(other_checkpoint)
    seq = box.engine.add("r", PROMPTS[0], 40, wish(3))
    box.run()
    start = {event.step: event.start for event in of(box, Scheduled)}
    for event in of(box, Verified):
        said = seq.token_ids[start[event.step] + 1 :]
        accepted = event.num_accepted_tokens
        assert list(event.draft_token_ids[:accepted]) == said[:accepted]
        assert accepted == len(event.draft_token_ids) or event.draft_token_ids[accepted] != said[accepted]
        assert len([e for e in of(box, Sampled) if e.step == event.step]) == accepted + 1


def write_scenario(folder: Path, draft: str) -> Path:
    path = folder / "s.yaml"
    path.write_text(
        "{id: s, title: t, story: s, look_at: [l], model: ./model, requests: [{name: r, prompt: a slot, max_tokens: 9}],"
        " engine: {num_blocks: 32, max_num_seqs: 4, max_num_batched_tokens: 64, max_model_len: 128,"
        f" num_speculative_tokens: 3, draft_model: {draft}}}}}"
    )
    return path


def test_a_scenario_names_its_draft_model(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "model")
    write_checkpoint(tmp_path / "draft", num_hidden_layers=1)
    events: list[Any] = []
    run_scenario(write_scenario(tmp_path, "./draft"), events.extend)
    started = next(event for event in events if isinstance(event, RunStarted))
    assert (
        started.kv_bytes_per_token == 4 * (2 + 1) * 2 * 2 * 8
    )  # fp32, three layers, K and V, two heads of 8
    summary = summarize_state(fold(events))
    assert summary.num_drafts > 0
    assert len(summary.accepted_per_pos) == 3


def test_a_draft_model_of_another_vocabulary_or_a_shorter_reach_is_refused(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "model")
    write_checkpoint(tmp_path / "short", max_position_embeddings=64)
    with pytest.raises(ScenarioError, match=r"another vocabulary .2048 tokens. than ./model .320."):
        run_scenario(write_scenario(tmp_path, "ladder-draft"), list[Any]().extend)
    with pytest.raises(ScenarioError, match=r"the draft model ./short knows only 64 positions"):
        run_scenario(write_scenario(tmp_path, "./short"), list[Any]().extend)


def test_a_draft_model_without_a_length_of_drafts_is_refused() -> None:
    limits = {"num_blocks": 4, "max_num_seqs": 1, "max_num_batched_tokens": 4, "max_model_len": 8}
    with pytest.raises(msgspec.ValidationError, match="needs num_speculative_tokens"):
        msgspec.convert({**limits, "draft_model": "d"}, EngineConfig)
