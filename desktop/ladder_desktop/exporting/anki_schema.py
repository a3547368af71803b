"""The collection inside an .apkg: schema 11, as every Anki since 2.1 reads it.

Described in the manual (https://docs.ankiweb.net/exporting.html) and in the AnkiDroid wiki's page on the database
structure. Only what an import reads is written; Anki fills in the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

from ladder_desktop.study import Algorithm

from .anki_notes import CARD, TICKET, NoteType
from .stable import stable_id

TABLES = """
CREATE TABLE col (
    id INTEGER PRIMARY KEY, crt INTEGER NOT NULL, mod INTEGER NOT NULL, scm INTEGER NOT NULL, ver INTEGER NOT NULL,
    dty INTEGER NOT NULL, usn INTEGER NOT NULL, ls INTEGER NOT NULL,
    conf TEXT NOT NULL, models TEXT NOT NULL, decks TEXT NOT NULL, dconf TEXT NOT NULL, tags TEXT NOT NULL);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY, guid TEXT NOT NULL, mid INTEGER NOT NULL, mod INTEGER NOT NULL, usn INTEGER NOT NULL,
    tags TEXT NOT NULL, flds TEXT NOT NULL, sfld INTEGER NOT NULL, csum INTEGER NOT NULL,
    flags INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE cards (
    id INTEGER PRIMARY KEY, nid INTEGER NOT NULL, did INTEGER NOT NULL, ord INTEGER NOT NULL, mod INTEGER NOT NULL,
    usn INTEGER NOT NULL, type INTEGER NOT NULL, queue INTEGER NOT NULL, due INTEGER NOT NULL, ivl INTEGER NOT NULL,
    factor INTEGER NOT NULL, reps INTEGER NOT NULL, lapses INTEGER NOT NULL, left INTEGER NOT NULL,
    odue INTEGER NOT NULL, odid INTEGER NOT NULL, flags INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE revlog (
    id INTEGER PRIMARY KEY, cid INTEGER NOT NULL, usn INTEGER NOT NULL, ease INTEGER NOT NULL, ivl INTEGER NOT NULL,
    lastIvl INTEGER NOT NULL, factor INTEGER NOT NULL, time INTEGER NOT NULL, type INTEGER NOT NULL);
CREATE TABLE graves (usn INTEGER NOT NULL, oid INTEGER NOT NULL, type INTEGER NOT NULL);
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
"""

ROOT_DECK = "Runtime Ladder"
PRESET_ID = stable_id("preset", ROOT_DECK)


def deck_id(name: str) -> int:
    """The id of the deck of that name."""
    return stable_id("deck", name)


def conf(rollover_hour: int, utc_offset: timedelta) -> str:
    """Collection settings. Anki counts the offset at the first day in minutes WEST of UTC."""
    return json.dumps(
        {
            "schedVer": 2,
            "sched2021": True,
            "rollover": rollover_hour,
            "creationOffset": -round(utc_offset.total_seconds() / 60),
            "nextPos": 1,
            "curDeck": 1,
            "activeDecks": [1],
            "collapseTime": 1200,
        }
    )


def models(modified: int) -> str:
    """Both note types."""
    return json.dumps({str(kind.id): _model(kind, modified) for kind in (CARD, TICKET)})


def decks(names: Sequence[str], modified: int) -> str:
    """The default deck, which every collection must have, the root, and the deck of each study."""
    own = {
        str(deck_id(name)): _deck(deck_id(name), name, PRESET_ID, modified) for name in (ROOT_DECK, *names)
    }
    return json.dumps({"1": _deck(1, "Default", 1, 0), **own})


def presets(algorithm: Algorithm, new_per_day: int, modified: int) -> str:
    """The default preset, which every collection must have, and ours with the FSRS-6 parameters."""
    default = _preset(1, "Default", 0, Algorithm(), 20)
    own = _preset(PRESET_ID, ROOT_DECK, modified, algorithm, new_per_day)
    return json.dumps({"1": default, str(PRESET_ID): own})


def _preset(
    own_id: int, name: str, modified: int, algorithm: Algorithm, new_per_day: int
) -> dict[str, object]:
    learning = [seconds / 60 for seconds in algorithm.learning_steps]
    relearning = [seconds / 60 for seconds in algorithm.relearning_steps]
    longest = algorithm.maximum_interval
    return {
        "id": own_id,
        "mod": modified,
        "name": name,
        "usn": 0,
        "maxTaken": 60,
        "autoplay": True,
        "timer": 0,
        "replayq": True,
        "dyn": False,
        "new": {
            "bury": False,
            "delays": learning,
            "initialFactor": 2500,
            "ints": [1, 4, 0],
            "order": 1,
            "perDay": new_per_day,
        },
        "rev": {
            "bury": False,
            "ease4": 1.3,
            "ivlFct": 1.0,
            "maxIvl": longest,
            "perDay": 9999,
            "hardFactor": 1.2,
        },
        "lapse": {"delays": relearning, "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0.0},
        "fsrsParams6": list(algorithm.parameters),
        "desiredRetention": algorithm.desired_retention,
    }


def _deck(own_id: int, name: str, preset_id: int, modified: int) -> dict[str, object]:
    today = [0, 0]
    return {
        "id": own_id,
        "mod": modified,
        "name": name,
        "usn": 0,
        "lrnToday": today,
        "revToday": today,
        "newToday": today,
        "timeToday": today,
        "collapsed": False,
        "browserCollapsed": False,
        "desc": "",
        "dyn": 0,
        "conf": preset_id,
        "extendNew": 0,
        "extendRev": 0,
    }


def _model(kind: NoteType, modified: int) -> dict[str, object]:
    return {
        "id": kind.id,
        "name": kind.name,
        "type": 0,
        "mod": modified,
        "usn": 0,
        "sortf": 0,
        "did": None,
        "tmpls": [
            {
                "name": "Card 1",
                "ord": 0,
                "qfmt": kind.front,
                "afmt": kind.back,
                "bqfmt": "",
                "bafmt": "",
                "did": None,
            }
        ],
        "flds": [
            {"name": name, "ord": ord_, "sticky": False, "rtl": False, "font": "Arial", "size": 20}
            for ord_, name in enumerate(kind.fields)
        ],
        "css": kind.style,
        "latexPre": "",
        "latexPost": "",
        "req": [[0, "any", [0]]],
    }
