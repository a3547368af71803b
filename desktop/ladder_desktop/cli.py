"""The command `runtime-ladder`. A bad input ends in one sentence and exit status 2; Qt and torch load only where needed."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import click

from ladder_desktop import system_check
from ladder_desktop.backup_commands import backups
from ladder_desktop.chat_command import chat
from ladder_desktop.data_option import DATA_DIR, DATA_HELP, DATA_OPTION
from ladder_desktop.engine_commands import engine
from ladder_desktop.faults import Fault, faults_as_sentences
from ladder_desktop.model_commands import models

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
def main(context: click.Context, data_dir: Path | None) -> None:  # noqa: ARG001 (data_option.py reads it)
    """Runtime Ladder: prepare for interviews about LLM inference runtimes. With no command it opens the window."""
    if context.invoked_subcommand is None:
        context.invoke(open_window)


@main.command("open")
@DATA_OPTION
@PACK_OPTION
@click.option("--go", "target", default="", help="A place to open, such as card:hub-prefill-bound or drill.")
@click.option("--theme", help="Choose a theme, as Settings > Appearance does.")
@click.option(
    "--or-tour",
    type=click.Path(path_type=Path),
    help="Where there is no display: run the tour into this folder instead.",
)
def open_window(
    data_dir: Path, pack_path: Path | None, target: str, theme: str | None, or_tour: Path | None
) -> None:
    """Open the window."""
    if not system_check.has_display():
        if or_tour is None:
            raise Fault("There is no display here. Set DISPLAY, or try: runtime-ladder tour --out tour")
        click.echo(
            f"There is no display here, so this is the tour: the real window, driven offscreen, in pictures in {or_tour}/."
        )
        take_tour(or_tour)
        return
    gc.disable()  # what a start makes, stays; the window sees to the rest (garbage.py)
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # ends at once; an exception raised amid Qt's imports can be lost
    _need_system_libraries()
    from ladder_desktop import start

    sys.exit(start.run(data_dir, pack_path, theme, target))


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


main.add_command(engine)
main.add_command(backups)


main.add_command(models)
main.add_command(chat)


@main.command("export")
@DATA_OPTION
@PACK_OPTION
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def export_progress(data_dir: Path, pack_path: Path | None, path: Path) -> None:
    """Write your progress to PATH: .apkg (Anki, with scheduling), .zip (CSV) or .ladder (progress bundle)."""
    from ladder_content.loader import load_pack

    from ladder_desktop import exporting
    from ladder_desktop.study import Desk, items_of, kin_of, with_own_cards

    with faults_as_sentences():
        pack = load_pack(pack_path or _bundled_pack())
        desk = Desk.open(data_dir)
        try:
            pack = with_own_cards(pack, desk.own_cards.all())
            desk.register(items_of(pack), kin_of(pack))
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
