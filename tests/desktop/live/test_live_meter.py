from __future__ import annotations

import pytest
from ladder_desktop.live.meter import Frame, Meter, Taken


def test_the_rest_of_a_frame_is_what_its_parts_leave_and_only_frames_with_something_new_have_parts() -> None:
    frames = [
        Frame(at=0, busy=0, parts={"fold": 1.0, "paint": 3.0}, new=True),
        Frame(at=16, busy=10, parts={"fold": 9.0}),
        Frame(at=33, busy=20, parts={"paint": 2.0}, new=True),
        Frame(at=48, busy=25),
    ]
    taken = Taken(frames)
    assert taken.work() == [10, 10, 5]
    assert taken.work(new=True) == [10, 5]
    assert taken.gaps() == [16, 17, 15]
    fold, paint, rest = taken.parts().values()
    assert (fold, paint, rest) == ([1.0], [3.0, 2.0], [6.0, 3.0])


def test_a_method_that_is_timed_does_what_it_did() -> None:
    class Adder:
        def add(self, one: int, other: int) -> int:
            if other < 0:
                raise ValueError("negative")
            return one + other

    meter, adder = Meter(), Adder()
    meter.time(adder, "add", "adding")
    meter.frame()
    meter.note()
    assert adder.add(1, other=2) == 3
    with pytest.raises(ValueError, match="negative"):
        adder.add(1, -1)
    meter.frame()
    assert list(meter.take().parts()) == ["adding", "the rest: labels, grounds, Qt itself"]
    assert meter.take().work() == []
