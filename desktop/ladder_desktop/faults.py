"""What the command line says when something cannot be done: one sentence, exit status 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import click


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
    from ladder_engine.tracing.fold import TraceError

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
