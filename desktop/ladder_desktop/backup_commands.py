"""`runtime-ladder backups`: the daily copies of your progress, and the way back to one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from ladder_desktop.data_option import DATA_OPTION
from ladder_desktop.faults import Fault, faults_as_sentences


@click.group()
def backups() -> None:
    """List the daily copies of your progress, and go back to one."""


@backups.command("list")
@DATA_OPTION
def list_backups(data_dir: Path) -> None:
    """Name the copies, the newest first."""
    from ladder_desktop.study.backups import Backups

    found = Backups(data_dir).all()
    for backup in found:
        click.echo(f"{backup.path.name}   {backup.sentence}")
    if not found:
        click.echo(f"There are no copies in {data_dir / 'backups'} yet; the window makes one a day.")


@backups.command("make")
@DATA_OPTION
def make_backup(data_dir: Path) -> None:
    """Make today's copy, if there is none."""
    from ladder_desktop.study.backups import Backups

    with faults_as_sentences():
        made = Backups(data_dir).make_if_due(datetime.now().date())
    click.echo(f"The copy is {made}." if made else "There is nothing to copy, or a copy of today already.")


@backups.command("restore")
@DATA_OPTION
@click.argument("name", required=False)
def restore_backup(data_dir: Path, name: str | None) -> None:
    """Make your progress what the copy NAME is; without NAME the newest. The present one is kept beside the copies."""
    from ladder_desktop.study.backups import Backups

    store = Backups(data_dir)
    found = store.all()
    if not found:
        raise Fault(f"There is no sound copy in {store.folder}.")
    chosen = next((one for one in found if name in (None, one.path.name)), None)
    if chosen is None:
        raise Fault(f"There is no sound copy {name}; there are: {', '.join(one.path.name for one in found)}.")
    with faults_as_sentences():
        aside = store.restore(chosen.path, datetime.now())
    kept = f" What was there before is in {aside}." if aside else ""
    click.echo(f"Your progress is that of {chosen.sentence} again.{kept}")
