"""Where the pack is that comes with the application."""

from __future__ import annotations

from pathlib import Path


def bundled_pack() -> Path:
    """Return the folder of the pack that comes with the application."""
    return Path(__file__).parent / "packs" / "runtime-ladder"
