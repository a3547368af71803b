"""What a person has learned: store, FSRS scheduling, queue, undo. No Qt.

`Desk` is the only door: the review pages, the command line and the exporters all go through it.
"""

from .algorithm import Algorithm
from .belongings import Belongings, Marked
from .clock import Clock, SystemClock
from .desk import Desk
from .errors import DamagedError, StudyError
from .items import items_of, kin_of
from .journal import Action, Journal
from .marks import FLAGS, LEECH_LAPSES, Marks
from .progress import MATURE_DAYS, StudyProgress
from .records import (
    Answered,
    CardState,
    Counts,
    Hidden,
    Item,
    Kind,
    Mark,
    Memory,
    Phase,
    Preview,
    Rating,
    Review,
)
from .scheduler import due_instant
from .studyday import day_start, study_day
from .words import Edit, Note, Words

__all__ = [
    "FLAGS",
    "LEECH_LAPSES",
    "MATURE_DAYS",
    "Action",
    "Algorithm",
    "Answered",
    "Belongings",
    "CardState",
    "Clock",
    "Counts",
    "DamagedError",
    "Desk",
    "Edit",
    "Hidden",
    "Item",
    "Journal",
    "Kind",
    "Mark",
    "Marked",
    "Marks",
    "Memory",
    "Note",
    "Phase",
    "Preview",
    "Rating",
    "Review",
    "StudyError",
    "StudyProgress",
    "SystemClock",
    "Words",
    "day_start",
    "due_instant",
    "items_of",
    "kin_of",
    "study_day",
]
