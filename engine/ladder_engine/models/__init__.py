"""The models that come with the project, one folder each, in Hugging Face's layout."""

from __future__ import annotations

from pathlib import Path

from ladder_engine.errors import ModelError


def bundled_model(name: str) -> Path:
    """The folder of a bundled model. Raises ModelError with the names there are."""
    here = Path(__file__).parent
    names = sorted(path.parent.name for path in here.glob("*/config.json"))
    if name not in names:
        raise ModelError(f"There is no bundled model {name!r}; there are: {', '.join(names) or 'none'}.")
    return here / name
