"""Runs inside an environment that has the real Anki: the work of bench_study.py on the same cards, timed.

python bench_anki.py PACKAGE FOLDER ANSWERS > times.json
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from anki.scheduler.v3 import CardAnswer


def main(package: str, folder: str, answers: str) -> None:
    path = str(Path(folder) / "collection.anki2")
    collection = Collection(path)
    options = ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True)
    collection.import_anki_package(ImportAnkiPackageRequest(package_path=package, options=options))
    collection.set_config("fsrs", True)
    collection.decks.select(collection.decks.id_for_name("Runtime Ladder"))
    collection.close()

    opened, queued = [], []
    for _ in range(7):
        took, collection = timed(Collection, path)
        opened.append(took)
        queued.append(timed(collection.sched.get_queued_cards)[0])  # the first time it has to be built
        collection.close()
    collection = Collection(path)
    answered = [answer(collection) for _ in range(int(answers))]
    size = [collection.db.scalar(f"select count() from {table}") for table in ("cards", "revlog")]
    collection.close()
    print(json.dumps({"open": median(opened), "queue": median(queued), "answers": answered, "size": size}))


def answer(collection: Collection) -> float:
    """Rate the next card Good, and return how long the rating took."""
    queued = collection.sched.get_queued_cards(fetch_limit=1).cards[0]
    card = collection.get_card(queued.card.id)
    card.start_timer()
    built = collection.sched.build_answer(card=card, states=queued.states, rating=CardAnswer.GOOD)
    return timed(collection.sched.answer_card, built)[0]


def timed(work: Callable[..., Any], *arguments: object) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - start, result


if __name__ == "__main__":
    main(*sys.argv[1:])
