"""A small pack with awkward texts, a person who studies it, and the real Anki in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from ladder_content.model import STEP_NAMES, Card, Fact, Metric, Option, Pack, Step, StepName, Study, Ticket
from ladder_desktop.study import Desk, Rating, items_of

from . import anki_environment

Oracle = Callable[[Path, str], dict[str, Any]]


@dataclass
class HandClock:
    """A clock that stands until a test moves it."""

    at: datetime = datetime(2025, 3, 3, 9, tzinfo=UTC)
    where: tzinfo = UTC

    def now(self) -> datetime:
        return self.at

    def zone(self) -> tzinfo:
        return self.where


def _card(number: int, **changes: Any) -> Card:
    plain: dict[str, Any] = {
        "id": f"card-{number}",
        "question": f"What bounds decode, case {number}?",
        "answer": "Memory **bandwidth**: each step reads all weights [F1.01].",
        "key_points": ("bytes moved per step", "batch size amortises `weights`"),
        "follow_up": "When does it stop being so?",
        "difficulty": 2,
        "tags": ("decode", "memory bandwidth"),
        "facts": ("F1.01",),
    }
    return Card(**plain | changes)


def _step(name: StepName) -> Step:
    return Step(
        name=name,
        prompt=f"The *{name}*?",
        options=(
            Option(text=f"right {name}", why="the numbers say so", correct=True),
            Option(text=f"<b>wrong</b> {name}", why="tempting"),
        ),
    )


HOSTILE = """[sound:evil.mp3] [anki:play:q:0] [latex]\\input{/etc/passwd}[/latex] [$]x[/$]
<script>alert(1)</script> <img src=x onerror=alert(1)> ![pixel](https://tracker.example/p.png)
[run](javascript:alert(1)) [file](file:///etc/passwd) [paper](https://arxiv.org/abs/2309.06180) {{Answer}} \x1f

```python
if a < b: print("x")
```
"""


@pytest.fixture(scope="session")
def pack() -> Pack:
    cards = (
        *(_card(number) for number in range(7)),
        _card(7, question='=HYPERLINK("https://evil.example")', answer=HOSTILE, follow_up=HOSTILE, facts=()),
        _card(8, question='A "quoted", comma\nand a line', key_points=()),
    )
    ticket = Ticket(
        id="ticket-0",
        title="p99 TTFT doubles, 日本",
        scenario="One long prompt among chats.",
        metrics=(Metric(name="p99 TTFT", value="2.4 s"), Metric(name="KV use", value="93 %")),
        steps=(_step(STEP_NAMES[0]), _step(STEP_NAMES[1]), _step(STEP_NAMES[2]), _step(STEP_NAMES[3])),
        evidence="Chunking the prompt brings it back.",
        tags=("prefill",),
        facts=("F1.01",),
    )
    study = Study(
        id="hub",
        title="Hub: which ladder?",
        number=1,
        summary="",
        sections=(),
        maps=(),
        cards=cards,
        tickets=(ticket,),
        references=(),
    )
    fact = Fact(id="F1.01", statement="A step reads every weight once.", source="own count", as_of="2025-01")
    return Pack(
        id="sample",
        title="Sample",
        version="3",
        language="en",
        licence="CC-BY-4.0",
        studies=(study,),
        facts=(fact,),
    )


# What is answered on each item, in order; each answer is given two minutes after the item falls due.
HISTORY = {
    "card-0": "333",
    "card-1": "33",
    "card-2": "1",
    "card-3": "2333343",
    "card-4": "33331",
    "card-5": "33331331",
    "ticket-0": "42",
}


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def desk(tmp_path: Path, clock: HandClock, pack: Pack) -> Iterator[Desk]:
    """An open profile with the pack registered and nothing answered."""
    with Desk.open(tmp_path / "profile", clock) as desk:
        desk.register(items_of(pack))
        yield desk


def study(desk: Desk, clock: HandClock, history: dict[str, str] = HISTORY) -> None:
    """Answer as `history` says, the item that is due first coming first."""
    waiting = {item: (clock.at, list(ratings)) for item, ratings in history.items()}
    while waiting:
        item, (due, ratings) = min(waiting.items(), key=lambda entry: entry[1][0])
        clock.at = max(clock.at, due + timedelta(minutes=2))
        rating = Rating(int(ratings.pop(0)))
        seconds = 5 + 17 * len(ratings)
        answered = desk.answer(f"sample/{item}", rating, timedelta(seconds=seconds), {"picked": [1, "b"]})
        day_in_review = answered.state_name == "review"
        waiting[item] = (answered.due + timedelta(hours=6 * day_in_review), ratings)
        if not ratings:
            del waiting[item]


@pytest.fixture(scope="session")
def anki_python() -> Path:
    """The interpreter of an environment with Anki."""
    try:
        return anki_environment.anki_python()
    except anki_environment.NoAnkiError as error:
        pytest.skip(str(error))


@pytest.fixture
def ask_anki(anki_python: Path, tmp_path: Path) -> Oracle:
    """Import a package in the given time zone and return what Anki made of it."""

    def ask(package: Path, zone: str) -> dict[str, Any]:
        folder = tmp_path / f"anki-{zone.replace('/', '-')}"
        folder.mkdir()
        command = [anki_python, Path(__file__).with_name("anki_oracle.py"), package, folder]
        environment = {**os.environ, "TZ": zone}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return ask
