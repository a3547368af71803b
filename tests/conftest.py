"""What every test shares: no display is needed, and torch takes one thread a worker."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A machine that is busy with something else is no fault: no test of ours has a deadline for each example.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
