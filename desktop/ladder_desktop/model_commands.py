"""`runtime-ladder models ...`: add real models and look at those there are."""

from __future__ import annotations

from pathlib import Path

import click

from ladder_desktop.data_option import DATA_OPTION
from ladder_desktop.faults import faults_as_sentences
from ladder_desktop.models_dir import models_dir


@click.group()
def models() -> None:
    """Add models of your own, for scenarios and for the chat."""


@models.command("add")
@DATA_OPTION
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", help="What scenarios call it. [default: from the path]")
def models_add(data_dir: Path, path: Path, name: str | None) -> None:
    """Check the model in PATH, a Hugging Face folder or a GGUF file, and keep a copy of it."""
    from ladder_engine.weights.model_store import ModelStore, size

    with faults_as_sentences():
        name, facts = ModelStore(models_dir(data_dir)).add(path, name)
    click.echo(
        f"{name}: {facts.family}, {facts.num_parameters / 1e6:,.0f} million parameters, context of "
        f"{facts.max_position_embeddings} tokens, {size(facts.num_bytes)}. Try: runtime-ladder chat --model {name}"
    )


@models.command("list")
@DATA_OPTION
def models_list(data_dir: Path) -> None:
    """List the bundled models and those that were added."""
    from ladder_engine.weights.model_store import ModelStore, size

    with faults_as_sentences():
        rows = ModelStore(models_dir(data_dir)).rows()
    width = max(len(row.name) for row in rows)
    for row in rows:
        click.echo(f"{row.name:<{width}}  {size(row.num_bytes):>9}  {row.what}")


@models.command("remove")
@DATA_OPTION
@click.argument("name")
def models_remove(data_dir: Path, name: str) -> None:
    """Delete the added model NAME."""
    from ladder_engine.weights.model_store import ModelStore

    with faults_as_sentences():
        ModelStore(models_dir(data_dir)).remove(name)
    click.echo(f"The model {name} was removed.")
