"""What every test shares: no display is needed, torch takes one thread a worker, and Ctrl+C ends programs."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell has what it runs in the background ignore Ctrl+C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy with something else is no fault: no test of ours has a deadline for each example.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
