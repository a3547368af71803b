"""The exceptions that leave this room."""

from __future__ import annotations


class StudyError(Exception):
    """Something a person must know; the message is one sentence that names the file and what to do."""


class DamagedError(StudyError):
    """progress.db cannot be read any more; a copy of it may help."""
