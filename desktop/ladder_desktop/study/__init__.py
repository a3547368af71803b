"""What a person has learned: store, FSRS scheduling, queue, undo. No Qt.

`Desk` is the only door: the review pages, the command line and the exporters all go through it.
"""

from .algorithm import Algorithm
from .clock import Clock, SystemClock
from .desk import Desk
from .errors import DamagedError, StudyError
from .items import items_of
from .progress import MATURE_DAYS, StudyProgress
from .records import Answered, CardState, Counts, Item, Kind, Memory, Phase, Preview, Rating, Review
from .scheduler import due_instant
from .studyday import day_start, study_day

__all__ = [
    "MATURE_DAYS",
    "Algorithm",
    "Answered",
    "CardState",
    "Clock",
    "Counts",
    "DamagedError",
    "Desk",
    "Item",
    "Kind",
    "Memory",
    "Phase",
    "Preview",
    "Rating",
    "Review",
    "StudyError",
    "StudyProgress",
    "SystemClock",
    "day_start",
    "due_instant",
    "items_of",
    "study_day",
]
