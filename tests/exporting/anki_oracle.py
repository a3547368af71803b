"""Runs inside an environment that has the real Anki: imports a package into a fresh collection and tells what it finds.

    python anki_oracle.py PACKAGE FOLDER > found.json

Anki is licensed under the AGPL: it judges our files here, and no code of it is used.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest


def main(package: str, folder: str) -> None:
    if hasattr(time, "tzset"):
        time.tzset()
    collection = Collection(str(Path(folder) / "collection.anki2"))
    first = bring_in(collection, package)
    found = {"first": first, **describe(collection), "cards": cards(collection)}
    found["second"] = bring_in(collection, package)
    found["after_second"] = counts(collection)
    problems, clean = collection.fix_integrity()
    found["integrity"] = {"clean": clean, "text": problems}
    found["recomputed"] = recompute(collection)
    collection.close()
    print(json.dumps(found))


def bring_in(collection: Collection, package: str) -> dict[str, int]:
    options = ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, merge_notetypes=False)
    log = collection.import_anki_package(ImportAnkiPackageRequest(package_path=package, options=options)).log
    return {
        name: len(getattr(log, name))
        for name in ("new", "updated", "duplicate", "conflicting", "found_notes")
        if name != "found_notes"
    }


def counts(collection: Collection) -> dict[str, int]:
    tables = ("notes", "cards", "revlog", "notetypes", "decks", "deck_config")
    return {table: collection.db.scalar(f"select count() from {table}") for table in tables}


def describe(collection: Collection) -> dict[str, Any]:
    return {
        "counts": counts(collection),
        "notes": {
            guid: {"fields": flds.split("\x1f"), "tags": tags.split()}
            for guid, flds, tags in collection.db.execute("select guid, flds, tags from notes")
        },
        "decks": sorted(deck.name for deck in collection.decks.all_names_and_ids()),
        "presets": collection.decks.all_config(),
        "revlog": collection.db.all(
            "select r.id, n.guid, r.ease, r.ivl, r.lastIvl, r.factor, r.time, r.type"
            " from revlog r join cards c on c.id = r.cid join notes n on n.id = c.nid order by r.id"
        ),
    }


def cards(collection: Collection) -> dict[str, dict[str, Any]]:
    """Every card by the guid of its note, with the calendar day it is due as this Anki counts it."""
    today = (datetime.now() - timedelta(hours=4)).date()
    result = {}
    for card_id in collection.find_cards(""):
        card = collection.get_card(card_id)
        due_day = today + timedelta(days=card.due - collection.sched.today) if card.queue == 2 else None
        memory = card.memory_state
        result[card.note().guid] = {
            "type": card.type,
            "queue": card.queue,
            "due": card.due,
            "due_day": due_day and due_day.isoformat(),
            "ivl": card.ivl,
            "reps": card.reps,
            "lapses": card.lapses,
            "left": card.left,
            "flag": card.user_flag(),
            "stability": memory and memory.stability,
            "difficulty": memory and memory.difficulty,
            "retention": card.desired_retention,
            "decay": card.decay,
            "last_review": card.last_review_time,
            "deck": collection.decks.name(card.did),
            "sounds": len(card.question_av_tags()) + len(card.answer_av_tags()),
            "question": card.question(),
            "answer": card.answer(),
        }
    return result


def recompute(collection: Collection) -> dict[str, list[float]]:
    """Stability and difficulty as Anki's own FSRS works them out from the imported history and preset."""
    collection.set_config("fsrs", True)
    result = {}
    for card_id in collection.find_cards("-is:new"):
        state = collection.compute_memory_state(card_id)
        result[collection.get_card(card_id).note().guid] = [state.stability, state.difficulty]
    return result


if __name__ == "__main__":
    main(*sys.argv[1:])
