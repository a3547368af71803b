"""`make bench-study`: the desk with 20,000 cards and 200,000 reviews, beside the same work in Anki, in one run.

A measurement and no test: it prints what it finds. Both get the same cards and the same history, ours through the
desk's own tables and Anki's through the package that we export.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import TypeVar
from uuid import uuid4

from ladder_content.model import Card, Pack, Study
from ladder_desktop.exporting import export
from ladder_desktop.study import Algorithm, Desk, Item, Memory, Rating, Review, items_of, log
from ladder_desktop.study.scheduler import Scheduler
from ladder_desktop.study.studyday import moment_of

from tests.exporting.anki_environment import NoAnkiError, anki_python

CARDS, STUDIED, REVIEWS, ANSWERS = 20_000, 16_000, 200_000, 1000
WAITS = 31  # days over which the last answers are spread: about a quarter of the cards is due
T = TypeVar("T")
PLAIN = Algorithm(fuzz=False)
ASKED = {"open": 20.0, "queue": 10.0, "answer p50": 0.5, "answer p99": 2.0}


class Noon:
    """Today at noon: what is due does not depend on when the bench runs."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)

    def now(self) -> datetime:
        """Return noon."""
        return self.at

    def zone(self) -> tzinfo:
        """Return UTC."""
        return UTC


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder, clock = Path(name), Noon()
        pack = make_pack()
        fill(folder / "ours", pack, clock)
        with Desk.open(folder / "ours", clock, PLAIN, reviews_per_day=9999) as desk:
            export(folder / "deck.apkg", desk, pack, clock)
        ours = measure(folder / "ours", clock)
        theirs = measure_anki(folder)
        report(ours, theirs)


def make_pack() -> Pack:
    """Twenty studies of a thousand cards."""
    studies = tuple(
        Study(
            id=f"study-{number}",
            title=f"Study {number}",
            number=number,
            summary="",
            sections=(),
            maps=(),
            cards=tuple(make_card(number, place) for place in range(CARDS // 20)),
            tickets=(),
            references=(),
        )
        for number in range(20)
    )
    return Pack(
        id="bench", title="Bench", version="1", language="en", licence="CC0", studies=studies, facts=()
    )


def make_card(study: int, place: int) -> Card:
    return Card(
        id=f"card-{study}-{place}",
        question=f"What bounds case {study}.{place}?",
        answer="Memory bandwidth: each step reads all weights, and all keys and values of every sequence.",
        key_points=("bytes per step", "batch size"),
        follow_up="When does it stop?",
        difficulty=2,
        tags=("decode",),
    )


def fill(folder: Path, pack: Pack, clock: Noon) -> None:
    """Give the first cards a history: twenty courses of answers, dealt out again and again."""
    items = items_of(pack)
    kin = {item.item_id: {f"topic-{number // 5}"} for number, item in enumerate(items)}
    each = REVIEWS / STUDIED
    with Desk.open(folder, clock, PLAIN) as desk:
        desk.register(items, kin)
        courses = cycle([course(number, clock.now()) for number in range(200)])
        owed, seq = 0.0, 0
        with desk._store.writing() as db:
            algorithm = log.ensure_algorithm(db, PLAIN)
            for item in items[:STUDIED]:
                owed += each
                reviews = next(courses)[-int(owed) :]
                owed -= len(reviews)
                for review in replayed(reviews, item):
                    seq += 1
                    log.append(db, review, algorithm)
                    memory = review.after
                log.write_memory(db, item.item_id, memory)
        count = len(desk.history.reviews())
        assert count == seq
    with Desk.open(folder, clock, PLAIN, reviews_per_day=9999) as desk:
        due = desk.counts().due
    print(f"{len(items):,} cards, {seq:,} reviews, {due:,} due, {len(items) - STUDIED:,} new", flush=True)


def course(number: int, now: datetime) -> list[tuple[Rating, datetime]]:
    """Return ratings and times of fifteen answers, the last of them up to WAITS days ago."""
    ratings = [Rating(rating) for rating in (3, 3, 3, 2, 3, 1, 3, 3, 4, 3, 3, 1, 3, 3, 3)]
    days = (0, 0.01, 1, 3, 8, 15, 15.01, 17, 24, 60, 120, 200, 200.01, 204, 230)
    last = now - timedelta(days=1 + number * 37 % 200 * WAITS / 200)
    return [
        (rating, last - timedelta(days=days[-1] - day)) for rating, day in zip(ratings, days, strict=True)
    ]


def replayed(answers: list[tuple[Rating, datetime]], item: Item) -> list[Review]:
    """Schedule answers as the desk does."""
    scheduler = Scheduler(PLAIN)
    memory: Memory | None = None
    reviews = []
    for rating, at in answers:
        moment = moment_of(at, UTC)
        after = scheduler.answer(item.item_id, memory, rating, moment)
        reviews.append(
            Review(
                review_id=str(uuid4()),
                item_id=item.item_id,
                rating=rating,
                answered_at=moment.at,
                study_day=moment.study_day,
                utc_offset=0,
                local_date=moment.local_date,
                duration_ms=9000,
                before=memory,
                after=after,
                detail=None,
                algorithm=PLAIN,
            )
        )
        memory = after
    return reviews


def measure(folder: Path, clock: Noon) -> dict[str, float]:
    """Return milliseconds by what was done."""

    def opened() -> Desk:
        return Desk.open(folder, clock, PLAIN, new_per_day=9999, reviews_per_day=9999)

    opens = []
    for _ in range(7):
        took, desk = timed(opened)
        opens.append(took)
        desk.close()
    desk = opened()
    queues = [timed(lambda: (desk.counts("card"), desk.next_item("card")))[0] for _ in range(7)]
    answers = []
    for _ in range(ANSWERS):
        item = desk.next_item("card")
        assert item
        answer = partial(desk.answer, item.item_id, Rating.GOOD, timedelta(seconds=9))
        answers.append(timed(answer)[0])
    desk.close()
    return times(median(opens), median(queues), answers)


def measure_anki(folder: Path) -> dict[str, float] | str:
    """Return the same of Anki, or why there is nothing to compare with."""
    try:
        python = anki_python()
    except NoAnkiError as error:
        return str(error)
    (folder / "anki").mkdir()
    command = [
        python,
        Path(__file__).with_name("bench_anki.py"),
        folder / "deck.apkg",
        folder / "anki",
        str(ANSWERS),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    found = json.loads(done.stdout)
    return times(found["open"], found["queue"], found["answers"])


def times(opened: float, queue: float, answers: list[float]) -> dict[str, float]:
    ordered = sorted(answers)
    seconds = {
        "open": opened,
        "queue": queue,
        "answer p50": ordered[len(ordered) // 2],
        "answer p99": ordered[len(ordered) * 99 // 100],
        "answer max": ordered[-1],
    }
    return {name: 1000 * value for name, value in seconds.items()}


def report(ours: dict[str, float], theirs: dict[str, float] | str) -> None:
    print(f"{'ms':12}{'asked':>8}{'ours':>10}{'Anki':>10}")
    for name, value in ours.items():
        asked = f"< {ASKED[name]:g}" if name in ASKED else ""
        other = f"{theirs[name]:.2f}" if isinstance(theirs, dict) else "-"
        print(f"{name:12}{asked:>8}{value:10.2f}{other:>10}")
    if isinstance(theirs, str):
        print(theirs)
    print(
        "An answer is the commit: it survives kill -9. The disk has it within a second (study/sync.py); Anki syncs each."
    )


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


if __name__ == "__main__":
    main()
