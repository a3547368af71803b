"""What a person has learned: store, FSRS scheduling, queue, undo. No Qt.

`Desk` is the only door: the review pages, the command line and the exporters all go through it.
"""

from .adjustment import Adjustment
from .algorithm import Algorithm
from .clock import Clock, SystemClock
from .desk import Desk
from .errors import StudyError
from .items import items_of
from .planner import Planner, Shift
from .progress import MATURE_DAYS, StudyProgress
from .records import Answered, CardState, Counts, Item, Kind, Memory, Phase, Preview, Rating, Review
from .scheduler import due_instant
from .settings import StudySettings
from .studyday import day_start, study_day

__all__ = [
    "MATURE_DAYS",
    "Adjustment",
    "Algorithm",
    "Answered",
    "CardState",
    "Clock",
    "Counts",
    "Desk",
    "Item",
    "Kind",
    "Memory",
    "Phase",
    "Planner",
    "Preview",
    "Rating",
    "Review",
    "Shift",
    "StudyError",
    "StudyProgress",
    "StudySettings",
    "SystemClock",
    "day_start",
    "due_instant",
    "items_of",
    "study_day",
]
