"""Where the models that a person added lie."""

from __future__ import annotations

from pathlib import Path


def models_dir(data_dir: Path) -> Path:
    """Return the folder of the added models in a data folder."""
    return data_dir / "models"
