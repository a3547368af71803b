"""The exceptions that leave this room. Each message is one sentence for a person: what, where, what to do."""

from __future__ import annotations


class EngineError(Exception):
    """Anything the engine cannot do with what it was given."""


class ModelError(EngineError):
    """A model folder that cannot be loaded."""


class ScenarioError(EngineError):
    """A scenario file that cannot be run."""


class TraceFileError(EngineError):
    """A trace file that cannot be read or written."""
