"""What the log and the card states say about a person's study, as plain numbers. No Qt.

Three questions are put to the database: one row a study day, one row an item, one row a card in memory. Everything
else is arithmetic on the answers. `gather` asks them in one read transaction, so that all numbers are of one moment.
"""

from .activity import Streak, Today
from .collection import Group, HardItem
from .daily import Day
from .forecast import DueDay
from .memories import Histogram, Load
from .report import PERIODS, PeriodRetention, Scope, Statistics, gather
from .share import Share

__all__ = [
    "PERIODS",
    "Day",
    "DueDay",
    "Group",
    "HardItem",
    "Histogram",
    "Load",
    "PeriodRetention",
    "Scope",
    "Share",
    "Statistics",
    "Streak",
    "Today",
    "gather",
]
