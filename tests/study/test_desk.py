from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from ladder_desktop.study import Algorithm, Counts, Desk, Item, Rating, Review, StudyError

from .conftest import TravelClock

SECOND = timedelta(seconds=1)
