"""What a person has learned: store, FSRS scheduling, queue, undo. No Qt.

`Desk` is the only door: the review pages, the command line and the exporters all go through it.
"""

from .adjustment import Adjustment
from .algorithm import Algorithm
from .belongings import Belongings, Marked
from .clock import Clock, SystemClock
from .desk import Desk
from .errors import DamagedError, StudyError
from .interview import Interview, Reply, Setting, detail_of, draw, interview_rating, new_interview_id
from .items import items_of, kin_of
from .journal import Action, Journal
from .marks import FLAGS, LEECH_LAPSES, Marks
from .own_cards import OwnCard, OwnCards, with_own_cards
from .planner import Planner, Shift
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
from .settings import StudySettings
from .studyday import day_start, study_day
from .words import Edit, Note, Words

__all__ = [
    "FLAGS",
    "LEECH_LAPSES",
    "MATURE_DAYS",
    "Action",
    "Adjustment",
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
    "Interview",
    "Item",
    "Journal",
    "Kind",
    "Mark",
    "Marked",
    "Marks",
    "Memory",
    "Note",
    "OwnCard",
    "OwnCards",
    "Phase",
    "Planner",
    "Preview",
    "Rating",
    "Reply",
    "Review",
    "Setting",
    "Shift",
    "StudyError",
    "StudyProgress",
    "StudySettings",
    "SystemClock",
    "Words",
    "day_start",
    "detail_of",
    "draw",
    "due_instant",
    "interview_rating",
    "items_of",
    "kin_of",
    "new_interview_id",
    "study_day",
    "with_own_cards",
]
