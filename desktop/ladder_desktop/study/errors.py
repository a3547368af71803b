"""The one exception that leaves this room."""

from __future__ import annotations


class StudyError(Exception):
    """Something a person must know; the message is one sentence that names the file and what to do."""
