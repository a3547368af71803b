"""How it looks from Python when there is no more memory to be had."""

from __future__ import annotations

WORDS = "can't allocate memory", "Cannot allocate memory", "out of memory", "failed to map segment"
"""What allocators and loaders say: torch on the CPU raises a bare RuntimeError, on a GPU one of its own, a loader an ImportError."""
ADVICE = "the engine ran out of memory; give it fewer blocks or a smaller model, or close other programs, and run again"


def why(error: Exception) -> str:
    """What happened, for a person: the memory, or else the error as it is."""
    if isinstance(error, MemoryError) or any(words in str(error) for words in WORDS):
        return ADVICE
    return f"{type(error).__name__}: {error}"
