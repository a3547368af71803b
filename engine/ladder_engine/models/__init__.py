"""The models that come with the project, one folder each, in Hugging Face's layout; and how a model is found by name."""

from __future__ import annotations

from pathlib import Path

from ladder_engine.errors import ModelError


def bundled_models() -> dict[str, Path]:
    """The folders of the bundled models by name."""
    here = Path(__file__).parent
    return {path.parent.name: path.parent for path in sorted(here.glob("*/config.json"))}


def added_models(models_dir: Path | None) -> dict[str, Path]:
    """The folders below `models_dir`, where `runtime-ladder models add` keeps models, by name."""
    if models_dir is None or not models_dir.is_dir():
        return {}
    return {path.name: path for path in sorted(models_dir.iterdir()) if path.is_dir() and path.name[0] != "."}


def find_model(name: str, models_dir: Path | None = None) -> Path:
    """The folder of a bundled or an added model. Raises ModelError with the names there are."""
    known = added_models(models_dir) | bundled_models()
    if name not in known:
        raise ModelError(
            f"There is no model {name!r}; there are: {', '.join(known) or 'none'} "
            "(runtime-ladder models add PATH adds one)."
        )
    return known[name]
