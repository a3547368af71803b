"""The command `runtime-ladder`. A bad input ends in one sentence and exit status 2; Qt and torch load only where needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click
import platformdirs

from ladder_desktop import system_check

if TYPE_CHECKING:
    from ladder_engine.protocol import KernelMode


class Fault(click.ClickException):
    """One sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: IO[str] | None = None) -> None:
        """Print the sentence and nothing else."""
        click.echo(self.message, file=file, err=file is None)


@contextmanager
def faults_as_sentences() -> Iterator[None]:
    """Turn every error that a room raises for a person into a Fault."""
    from ladder_content.authoring import AuthoringError
    from ladder_content.loader import PackError
    from ladder_engine.errors import EngineError
    from ladder_engine.fold import TraceError

    from ladder_desktop.exporting import ExportError, ImportFault
    from ladder_desktop.study import StudyError

    try:
        yield
    except (
        AuthoringError,
        PackError,
        EngineError,
        TraceError,
        ExportError,
        ImportFault,
        StudyError,
    ) as error:
        raise Fault(str(error)) from error


def default_data_dir() -> Path:
    """Return what `runtime-ladder --data DIR COMMAND` said, or the platform's user data folder."""
    given: Path | None = click.get_current_context().find_root().params.get("data_dir")
    return given or platformdirs.user_data_path("runtime-ladder", appauthor=False)


DATA_DIR = click.Path(path_type=Path, file_okay=False)
DATA_HELP = "The folder that holds your progress. [default: the platform's user data folder]"
DATA_OPTION = click.option("--data", "data_dir", type=DATA_DIR, default=default_data_dir, help=DATA_HELP)
PACK_OPTION = click.option(
    "--pack",
    "pack_path",
    type=click.Path(path_type=Path),
    help="A pack folder or zip to study instead of the bundled one.",
)


@click.group(invoke_without_command=True)
@click.option("--data", "data_dir", type=DATA_DIR, help=DATA_HELP)
@click.version_option(package_name="runtime-ladder")
@click.pass_context
def main(context: click.Context, data_dir: Path | None) -> None:  # noqa: ARG001 (read by default_data_dir)
    """Runtime Ladder: prepare for interviews about LLM inference runtimes. With no command it opens the window."""
    if context.invoked_subcommand is None:
        context.invoke(open_window)


@main.command("open")
@DATA_OPTION
@PACK_OPTION
@click.option("--theme", help="Choose a theme, as Settings > Appearance does.")
@click.option(
    "--or-tour",
    type=click.Path(path_type=Path),
    help="Where there is no display: run the tour into this folder instead.",
)
def open_window(data_dir: Path, pack_path: Path | None, theme: str | None, or_tour: Path | None) -> None:
    """Open the window."""
    if not system_check.has_display():
        if or_tour is None:
            raise Fault("There is no display here. Set DISPLAY, or try: runtime-ladder tour --out tour")
        click.echo(
            f"There is no display here, so this is the tour: the real window, driven offscreen, in pictures in {or_tour}/."
        )
        take_tour(or_tour)
        return
    _need_system_libraries()
    from ladder_desktop import start

    sys.exit(start.run(data_dir, pack_path or _bundled_pack(), theme))


@main.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("tour"), show_default=True)
def tour(out: Path) -> None:
    """Drive the window through the three journeys and leave a picture of every page."""
    take_tour(out)


def take_tour(out: Path) -> None:
    """Run the tour offscreen."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _need_system_libraries()
    from ladder_desktop.tour import Tour, TourError

    try:
        with faults_as_sentences():
            Tour(out, say=click.echo).run()
    except TourError as error:
        raise Fault(str(error)) from error


@main.command()
def keys() -> None:
    """Print every action and its keys as a Markdown table."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _need_system_libraries()
    from ladder_desktop.key_table import bundled_key_table

    click.echo(bundled_key_table(), nl=False)


@main.group()
def engine() -> None:
    """Run the mini engine without a window."""


@engine.command("run")
@click.option(
    "--scenario", required=True, help="The name of a bundled scenario, or the path of a scenario file."
)
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Record every event to this file.",
)
@click.option(
    "--kernels",
    type=click.Choice(["auto", "torch", "interpret"]),
    default="auto",
    show_default=True,
)
def engine_run(scenario: str, trace_path: Path | None, kernels: KernelMode) -> None:
    """Run one scenario and print what was measured."""
    from ladder_engine.runner import run_scenario
    from ladder_engine.scenario import find_scenario
    from ladder_engine.summary import summarize
    from ladder_engine.trace import AnyEvent
    from ladder_engine.trace_file import TraceWriter

    events: list[AnyEvent] = []
    with faults_as_sentences(), ExitStack() as stack:
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

        run_scenario(find_scenario(scenario), sink, kernels)
    for line in summarize(events).lines():
        click.echo(line)


@engine.command("scenarios")
def engine_scenarios() -> None:
    """List the bundled scenarios."""
    from ladder_engine.scenario import bundled_scenarios

    with faults_as_sentences():
        for scenario in bundled_scenarios():
            click.echo(f"{scenario.id:<24}{scenario.title}")


@main.command("export")
@DATA_OPTION
@PACK_OPTION
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def export_progress(data_dir: Path, pack_path: Path | None, path: Path) -> None:
    """Write your progress to PATH: .apkg (Anki, with scheduling), .zip (CSV) or .ladder (progress bundle)."""
    from ladder_content.loader import load_pack

    from ladder_desktop import exporting
    from ladder_desktop.study import Desk, items_of

    with faults_as_sentences():
        pack = load_pack(pack_path or _bundled_pack())
        desk = Desk.open(data_dir)
        try:
            desk.register(items_of(pack))
            exported = exporting.export(path, desk, pack)
        finally:
            desk.close()
    click.echo(exported.sentence)


@main.command("import")
@DATA_OPTION
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def import_progress(data_dir: Path, path: Path) -> None:
    """Read a progress bundle (.ladder) into an empty profile."""
    from ladder_desktop import exporting
    from ladder_desktop.study import Desk

    with faults_as_sentences():
        desk = Desk.open(data_dir)
        try:
            count = exporting.import_bundle(path, desk)
        finally:
            desk.close()
    click.echo(f"{count} reviews were read from {path} into {data_dir}.")


@main.group()
def content() -> None:
    """Write packs of your own: begin, check and build them."""


@content.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
def content_new(folder: Path) -> None:
    """Begin a pack in FOLDER with a whole small example; the folder's name becomes its id."""
    from ladder_content.authoring import new_pack

    with faults_as_sentences():
        new_pack(folder)
    click.echo(
        f"{folder} holds a small sound pack. Change its words, then: runtime-ladder content check {folder}"
    )


@content.command("check")
@click.argument("path", type=click.Path(path_type=Path))
def content_check(path: Path) -> None:
    """Check a pack, name every fault with its file, line and field, and run its programs."""
    _refuse_faults(path)
    click.echo(f"{path} is a sound pack.")


@content.command("build")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="The zip to write. [default: PATH.zip]"
)
def content_build(path: Path, out: Path | None) -> None:
    """Check the pack folder PATH and make one zip of it, to pass on."""
    from ladder_content.authoring import build_pack

    out = out or path.with_name(f"{path.name}.zip")
    _refuse_faults(path)
    with faults_as_sentences():
        build_pack(path, out)
    click.echo(f"The pack is in {out}.")


@content.command("mermaid")
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("map_id")
def content_mermaid(path: Path, map_id: str) -> None:
    """Print a map of the pack PATH as Mermaid text."""
    from ladder_content.loader import load_pack
    from ladder_content.mermaid import mermaid

    with faults_as_sentences():
        maps = {one.id: one for study in load_pack(path).studies for one in study.maps}
    if map_id not in maps:
        raise Fault(f"{path} has no map {map_id}; it has: {', '.join(maps)}.")
    click.echo(mermaid(maps[map_id]), nl=False)


def _refuse_faults(path: Path) -> None:
    from ladder_content.check import check_pack
    from ladder_content.loader import load_pack

    from ladder_desktop.lessons.snippet_check import snippet_faults

    if not path.exists():
        raise Fault(f"{path} does not exist; name the folder or the zip of a pack.")
    faults = [str(fault) for fault in check_pack(path)] or snippet_faults(load_pack(path))
    for fault in faults:
        click.echo(fault, err=True)
    if faults:
        raise Fault(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}.")


def _bundled_pack() -> Path:
    from ladder_content.loader import bundled_pack

    return bundled_pack()


def _need_system_libraries() -> None:
    missing = system_check.missing_packages()
    if missing:
        raise Fault(
            f"Qt needs these system packages: {' '.join(missing)}. Please install them, for example with apt-get."
        )
