"""`python -m ladder_content check PATH`, and `text` and `publish`, for authors of packs."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ladder_content.authoring import AuthoringError, publish_pack
from ladder_content.check import check_pack
from ladder_content.faults import PackError
from ladder_content.loader import load_pack
from ladder_content.text import plain_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return the exit status: 0, or 2 if the pack has faults."""
    parser = argparse.ArgumentParser(
        prog="python -m ladder_content", description="Tools for authors of packs."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="report every fault of a pack, one line each")
    text = commands.add_parser("text", help="print a pack as plain text, a form feed between its documents")
    publish = commands.add_parser("publish", help="note the ids of a pack folder as published")
    for command in (check, text, publish):
        command.add_argument("path", type=Path, help="a pack: a folder or a zip")
    text.add_argument("--study", help="the id of one study, where not the whole pack is wanted")
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # a Windows console may default to less
    if options.command == "publish":
        return _publish(options.path)
    return _check(options.path) if options.command == "check" else _text(options.path, options.study)


def _check(path: Path) -> int:
    faults = check_pack(path)
    for fault in faults:
        print(replace(fault, file=str(path / fault.file)))
    if not faults:
        print(f"{path}: no faults")
    return 2 if faults else 0


def _publish(path: Path) -> int:
    try:
        publish_pack(path)
    except (PackError, AuthoringError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _text(path: Path, study_id: str | None) -> int:
    try:
        pack = load_pack(path)
    except PackError as error:
        print(error, file=sys.stderr)
        return 2
    studies = [study for study in pack.studies if study_id in (None, study.id)]
    if not studies:
        known = ", ".join(study.id for study in pack.studies)
        print(f"{path} has no study {study_id}; it has: {known}.", file=sys.stderr)
        return 2
    print(plain_text(studies), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
