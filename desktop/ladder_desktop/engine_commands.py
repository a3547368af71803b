"""`runtime-ladder engine ...`: the mini engine without a window. Torch loads only where a scenario runs."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ladder_desktop.data_option import DATA_OPTION
from ladder_desktop.faults import Fault, faults_as_sentences
from ladder_desktop.models_dir import models_dir

if TYPE_CHECKING:
    from ladder_engine.lab.comparison import Side
    from ladder_engine.lab.scenario import Scenario
    from ladder_engine.serving.protocol import KernelMode

SCENARIO_OPTION = click.option(
    "--scenario", required=True, help="The name of a bundled scenario, or the path of a scenario file."
)
KERNELS_OPTION = click.option(
    "--kernels",
    type=click.Choice(["auto", "torch", "triton", "interpret"]),
    default="auto",
    show_default=True,
)


@click.group()
def engine() -> None:
    """Run the mini engine without a window."""


@engine.command("run")
@click.option("--scenario", help="The name of a bundled scenario, or the path of a scenario file.")
@click.option(
    "--traffic",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Replay a file of traffic instead: Azure's CSV, or a timed trace of Mooncake or vLLM (.jsonl).",
)
@click.option("--variant", default="", help="Which variant of the scenario. [default: its first]")
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Record every event to this file.",
)
@KERNELS_OPTION
@DATA_OPTION
def engine_run(
    scenario: str | None,
    traffic: Path | None,
    variant: str,
    trace_path: Path | None,
    kernels: KernelMode,
    data_dir: Path,
) -> None:
    """Run one scenario and print what was measured."""
    from ladder_engine.lab.runner import run_scenario
    from ladder_engine.lab.scenario import find_scenario
    from ladder_engine.tracing.events import AnyEvent
    from ladder_engine.tracing.summary import summarize
    from ladder_engine.tracing.trace_file import TraceWriter

    if (scenario is None) == (traffic is None):
        raise Fault("Name a scenario with --scenario, or a file of traffic with --traffic.")
    events: list[AnyEvent] = []
    with faults_as_sentences(), ExitStack() as stack:
        path = _traffic(traffic) if traffic else find_scenario(scenario or "")
        writer: TraceWriter | None = None

        def sink(news: list[AnyEvent]) -> None:
            nonlocal writer
            events.extend(news)
            if (
                trace_path and writer is None
            ):  # only once the run has begun: a refused one leaves an old file alone
                writer = stack.enter_context(TraceWriter(trace_path))
            if writer:
                writer(news)

        run_scenario(path, sink, kernels, variant=variant, models_dir=models_dir(data_dir))
    for line in summarize(events).lines():
        click.echo(line)


def _traffic(path: Path) -> Path:
    """Say how the traffic is scaled, before it runs."""
    from ladder_engine.lab.traffic import SUFFIXES, traffic_scenario
    from ladder_engine.models import find_model
    from ladder_engine.tokenizer import Tokenizer

    if path.suffix not in SUFFIXES:
        raise Fault(f"{path}: traffic is a .csv or a .jsonl file.")
    words = Tokenizer.load(find_model("ladder-3m")).one_token_words()
    click.echo(traffic_scenario(path, words).story)
    return path


@engine.command("compare")
@SCENARIO_OPTION
@click.option(
    "--variants", default="", metavar="A,B", help="Which two variants. [default: the scenario's first two]"
)
@KERNELS_OPTION
@DATA_OPTION
def engine_compare(scenario: str, variants: str, kernels: KernelMode, data_dir: Path) -> None:
    """Run two variants of a scenario and print what differs, and which mechanism made the difference."""
    from ladder_engine.lab.comparison import differences, explain
    from ladder_engine.lab.scenario import find_scenario, load_scenario

    with faults_as_sentences():
        loaded = load_scenario(find_scenario(scenario))
        names = tuple(name.strip() for name in variants.split(",")) if variants else loaded.variant_names[:2]
        if len(names) != 2 or len(set(names)) < 2:
            known = ", ".join(filter(None, loaded.variant_names)) or "none"
            raise Fault(f"{loaded.path}: two variants can be compared; this scenario has: {known}.")
        left, right = (_run(loaded, name, kernels, data_dir) for name in names)
        rows, sentence = differences(left, right), explain(left, right)
    click.echo(f"{loaded.title}, measured on this machine")
    click.echo(f"{'':49}{left.name:>14}{right.name:>14}")
    for row in rows:
        if row.left or row.right:
            cells = "".join(f"{value:>14}" for value in row.cells)
            click.echo(f"{row.measure.label:49}{cells}  {row.measure.unit:<10}{row.change_words}")
    click.echo(sentence)


def _run(scenario: Scenario, variant: str, kernels: KernelMode, data_dir: Path) -> Side:
    """Run one variant to its end, in this process."""
    from ladder_engine.lab.comparison import Side
    from ladder_engine.lab.runner import run_scenario
    from ladder_engine.lab.scenario import engine_of, with_variant
    from ladder_engine.tracing.events import AnyEvent
    from ladder_engine.tracing.fold import fold

    with_variant(scenario, variant)  # a name that is none is a sentence before torch loads
    events: list[AnyEvent] = []
    run_scenario(scenario.path, events.extend, kernels, variant=variant, models_dir=models_dir(data_dir))
    return Side(variant, engine_of(scenario, variant), fold(events))


@engine.command("export")
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
def engine_export(trace: Path, out: Path) -> None:
    """Write the recorded run TRACE as a Chrome trace (OUT.json), which ui.perfetto.dev opens."""
    from ladder_engine.tracing.fold import fold
    from ladder_engine.tracing.perfetto import write_chrome_trace
    from ladder_engine.tracing.trace_file import read_trace

    if out.suffix != ".json":
        raise Fault(f"{out}: a Chrome trace ends in .json; give it such a name.")
    with faults_as_sentences():
        write_chrome_trace(out, fold(read_trace(trace)))
    click.echo(f"{out} is written; open it in ui.perfetto.dev.")


@engine.command("scenarios")
def engine_scenarios() -> None:
    """List the bundled scenarios."""
    from ladder_engine.lab.scenario import bundled_scenarios

    with faults_as_sentences():
        for scenario in bundled_scenarios():
            click.echo(f"{scenario.id:<24}{scenario.title}")
