"""The option --data, which every command that reads or writes your data takes, and the root command too."""

from __future__ import annotations

from pathlib import Path

import click
import platformdirs


def default_data_dir() -> Path:
    """Return what `runtime-ladder --data DIR COMMAND` said, or the platform's user data folder."""
    given: Path | None = click.get_current_context().find_root().params.get("data_dir")
    return given or platformdirs.user_data_path("runtime-ladder", appauthor=False)


DATA_DIR = click.Path(path_type=Path, file_okay=False)
DATA_HELP = "The folder that holds your progress. [default: the platform's user data folder]"
DATA_OPTION = click.option("--data", "data_dir", type=DATA_DIR, default=default_data_dir, help=DATA_HELP)
