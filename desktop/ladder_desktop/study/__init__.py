"""What a person has learned: store, FSRS scheduling, queue, undo. No Qt.

`Desk` is the only door: the review pages, the command line and the exporters all go through it.
"""

from .algorithm import Algorithm
from .clock import Clock, SystemClock
from .desk import Desk
from .errors import StudyError
from .records import Answered, CardState, Counts, Item, Memory, Preview, Rating, Review
from .studyday import day_start, study_day

__all__ = [
    "Algorithm",
    "Answered",
    "CardState",
    "Clock",
    "Counts",
    "Desk",
    "Item",
    "Memory",
    "Preview",
    "Rating",
    "Review",
    "StudyError",
    "SystemClock",
    "day_start",
    "study_day",
]
