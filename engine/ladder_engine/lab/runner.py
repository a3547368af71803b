"""Runs a scenario from its file to the last event: what the engine's process and the command line both call."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

import torch
from ladder_kernels.dispatch import KernelError, choose
from ladder_kernels.observing import observed
from msgspec.structs import replace

from ladder_engine.engine import Engine
from ladder_engine.errors import EngineError, ScenarioError
from ladder_engine.executor import TorchExecutor
from ladder_engine.lab.machine_facts import copy_rate, weight_bytes
from ladder_engine.lab.out_of_memory import why
from ladder_engine.lab.scenario import Scenario, check_fits, with_variant
from ladder_engine.lab.traffic import open_scenario
from ladder_engine.model import Decoder
from ladder_engine.models import find_model
from ladder_engine.serving.protocol import KernelMode
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import SCHEMA, RunEnded, RunStarted
from ladder_engine.tracing.kernel_log import KernelLog
from ladder_engine.tracing.recorder import Recorder, Sink

Attend = Callable[[Engine], bool]
"""Called before every step; returns whether to go on. It may wait, and add, abort and change settings.

When a run that stays open has nothing to do, it is called too: the run goes on if it has added something.
"""


def run_scenario(
    path: Path,
    sink: Sink,
    kernels: KernelMode = "auto",
    attend: Attend = lambda engine: engine.has_work,
    variant: str = "",
    models_dir: Path | None = None,
    model: str = "",
) -> None:
    """Run a scenario file, in one of its variants (the first when none is named); `sink` takes the trace, a step at a time.
    `models_dir` is where added models are kept; `model` names one in the place of the scenario's own.

    Raises EngineError with one sentence. If the run had begun by then, the trace ends with a RunEnded that says the
    same. A run that `attend` breaks off ends with its sequences aborted.
    """
    scenario = with_variant(open_scenario(path, _words), variant)
    scenario = replace(scenario, model=model or scenario.model)
    recorder = Recorder(sink)
    engine = _build(scenario, recorder, kernels, models_dir)
    error: str | None = None
    try:
        _drive(engine, scenario, attend)
    except KeyboardInterrupt:
        error = f"{path}: the run was interrupted in step {recorder.step}."
        raise
    except EngineError as cause:
        error = str(cause)
        raise
    except Exception as cause:
        error = f"{path}: the run broke off in step {recorder.step} ({why(cause)})."
        raise EngineError(error) from cause
    finally:
        recorder.tick()
        recorder.add(RunEnded, error=error)
        recorder.flush()


def _build(scenario: Scenario, recorder: Recorder, kernels: KernelMode, models_dir: Path | None) -> Engine:
    """Load what the scenario needs and check that it fits, then say that the run has started."""
    folder, config = scenario.model_folder(scenario.model, models_dir), scenario.engine
    tokenizer = Tokenizer.load(folder)
    check_fits(scenario, lambda text: len(tokenizer.encode(text)))
    model, log = load_model(folder, kernels, batch_invariant=config.batch_invariant), KernelLog()
    model.operations = observed(model.operations, log)
    if config.max_model_len > model.config.max_position_embeddings:
        raise ScenarioError(
            f"{scenario.path}: max_model_len is {config.max_model_len}, and {scenario.model} knows only "
            f"{model.config.max_position_embeddings} positions; lower max_model_len."
        )
    for request in scenario.requests:
        if any(token_id >= model.config.vocab_size for token_id in request.sampling.logit_bias):
            raise ScenarioError(
                f"{scenario.path}: request {request.name!r} biases a token that {scenario.model} does not have; "
                f"it has the tokens 0 to {model.config.vocab_size - 1}."
            )
    draft = _draft_model(scenario, model, tokenizer, models_dir)
    executor = TorchExecutor(model, config, draft, log)
    recorder.add(
        RunStarted,
        schema=SCHEMA,
        scenario=scenario.id,
        variant=scenario.variant,
        model=scenario.model,
        kernels=model.operations.name,
        device=str(model.embedding.device),
        num_blocks=config.num_blocks,
        block_size=config.block_size,
        max_num_seqs=config.max_num_seqs,
        max_num_batched_tokens=config.max_num_batched_tokens,
        max_model_len=config.max_model_len,
        engine=config,
        prefix_caching=config.prefix_caching,
        weight_bytes=weight_bytes(model),
        bytes_per_second=copy_rate(model.embedding.device),
        kv_bytes_per_token=sum(
            each.config.kv_bytes_per_token(each.embedding.element_size()) for each in (model, draft) if each
        ),
    )
    recorder.flush()
    return Engine(config, executor, tokenizer, model.config.eos_token_ids, recorder, log)


def _draft_model(
    scenario: Scenario, model: Decoder, tokenizer: Tokenizer, models_dir: Path | None
) -> Decoder | None:
    """The draft model, where the scenario names one. Raises ScenarioError when its drafts would mean something else."""
    name = scenario.engine.draft_model
    if name is None:
        return None
    folder = scenario.model_folder(name, models_dir)
    draft = Decoder.load(folder, model.operations, model.embedding.device, model.embedding.dtype)
    sizes = draft.config.vocab_size, model.config.vocab_size
    if sizes[0] != sizes[1] or Tokenizer.load(folder).vocabulary != tokenizer.vocabulary:
        raise ScenarioError(
            f"{scenario.path}: draft_model {name} has another vocabulary ({sizes[0]} tokens) than {scenario.model} "
            f"({sizes[1]}), so its drafts would mean something else; name a draft model with the same tokenizer."
        )
    if scenario.engine.max_model_len > draft.config.max_position_embeddings:
        raise ScenarioError(
            f"{scenario.path}: max_model_len is {scenario.engine.max_model_len}, and the draft model {name} knows only "
            f"{draft.config.max_position_embeddings} positions; lower max_model_len."
        )
    return draft


def load_model(
    folder: Path, kernels: KernelMode, dtype: torch.dtype = torch.float32, batch_invariant: bool = False
) -> Decoder:
    """The model on the GPU if there is one. Raises EngineError."""
    device = torch.device("cuda" if torch.cuda.is_available() and kernels != "interpret" else "cpu")
    try:
        operations = choose(device, kernels, batch_invariant)
    except KernelError as error:
        raise EngineError(str(error)) from None
    _leave_cores_free()
    return Decoder.load(folder, operations, device, dtype)


def _words() -> list[str]:
    """What traffic is written in: the words of the bundled model."""
    return Tokenizer.load(find_model("ladder-3m")).one_token_words()


def _leave_cores_free() -> None:
    """Take half of the cores, at most four, unless OMP_NUM_THREADS says otherwise.

    The threads of one product wait for each other, so a single one that has lost its core to the window holds up all:
    on two busy cores two threads were ten times slower than one.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(min(4, max(1, (os.cpu_count() or 1) // 2)))


def _drive(engine: Engine, scenario: Scenario, attend: Attend) -> None:
    """Step until everybody is served. When nobody is here, the next one arrives at once."""
    coming = deque(sorted(scenario.requests, key=lambda request: request.arrive_at_step))
    while coming or engine.has_work or scenario.stays_open:
        while coming and (coming[0].arrive_at_step <= max(engine.recorder.step, 1) or not engine.has_work):
            request = coming.popleft()
            engine.add(
                request.name,
                request.prompt,
                request.max_tokens,
                request.sampling,
                cache_salt=request.cache_salt,
                priority=request.priority,
                client=request.client,
                max_prefill_chunk=request.max_prefill_chunk,
            )
        if not attend(engine):
            for seq in (*engine.scheduler.running, *engine.scheduler.waiting):
                engine.abort(seq.seq_id)
            return
        if engine.has_work:
            engine.step()
