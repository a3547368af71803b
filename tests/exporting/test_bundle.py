"""Bundles that a person made: what goes out of one profile comes into another as it was."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_content.model import Pack
from ladder_desktop.exporting import ImportFault, export, import_bundle
from ladder_desktop.study import Algorithm, Desk, Item, Rating, StudySettings, items_of

from .conftest import HandClock, study

ZONES = ["UTC", "Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"]
ALGORITHMS = [
    Algorithm(),
    Algorithm(fuzz=False, desired_retention=0.8, learning_steps=(), relearning_steps=(60, 3600)),
]

# Which item, how it was rated, and how long after the answer before: seconds to months, and a clock set back.
answers = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.sampled_from(Rating),
        st.one_of(st.integers(0, 1200), st.integers(-90_000, 9_000_000)),
    ),
    max_size=25,
)


@contextmanager
def folder() -> Iterator[Path]:
    """Hypothesis runs a test function many times within one tmp_path."""
    path = Path(tempfile.mkdtemp(prefix="bundle-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


@settings(max_examples=25, deadline=None)
@given(
    answers=answers,
    zone=st.sampled_from(ZONES),
    algorithm=st.sampled_from(ALGORITHMS),
    undone=st.integers(0, 2),
    early=st.booleans(),
    own=st.booleans(),
)
def test_any_history_comes_back_identical(
    pack: Pack,
    answers: list[tuple[int, Rating, int]],
    zone: str,
    algorithm: Algorithm,
    undone: int,
    early: bool,
    own: bool,
) -> None:
    clock = HandClock(where=ZoneInfo(zone))
    items = items_of(pack)
    left = Item("other/gone", "card", "elsewhere")  # an item whose pack is no longer there
    with folder() as home:
        bundle = home / "me.ladder"
        with Desk.open(home / "old", clock, algorithm) as old:
            old.register([*items, left])
            old.register(items)
            for number, rating, gap in answers:
                clock.at += timedelta(seconds=gap, milliseconds=7)
                item = [*items, left][number]
                old.answer(item.item_id, rating, timedelta(seconds=number), {"why": ["ü", number]})
            for _ in range(undone):
                old.undo()
            if own:
                old.marks.flag([left.item_id], 3)
                old.marks.suspend([items[0].item_id])
                old.marks.bury([items[1].item_id])
                old.words.write_note(items[0].item_id, "µ\n∞")
                old.words.edit(items[1].item_id, {"answer": "Mine"}, {"answer": "Theirs"})
            export(bundle, old, pack, clock)
            with Desk.open(home / "new", clock, algorithm) as new:
                if early:  # in the window the pack is loaded first; on the command line it may come later
                    new.register(items)
                assert import_bundle(bundle, new) == len(old.history.reviews())
                new.register(items)
                assert new.states() == old.states()
                assert new.history.reviews() == old.history.reviews()
                assert new.history.belongings() == old.history.belongings()
                assert new.history.rebuild_mismatches() == []
                for item in items:
                    assert new.previews(item.item_id) == old.previews(item.item_id)
                assert new.counts() == old.counts()
                export(home / "again.ladder", new, pack, clock)
        assert (home / "again.ladder").read_bytes() == bundle.read_bytes()


def test_the_manifest_says_what_the_bundle_is(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    study(desk, clock)
    export(tmp_path / "me.ladder", desk, pack, clock)
    with zipfile.ZipFile(tmp_path / "me.ladder") as archive:
        manifest = msgspec.json.decode(archive.read("manifest.json"))
        assert archive.namelist() == ["manifest.json", "items.jsonl", "reviews.jsonl", "own.json"]
    assert (manifest["format"], manifest["version"]) == ("runtime-ladder-progress", 3)
    assert datetime.fromisoformat(manifest["created"]) == clock.at.astimezone(UTC)
    assert manifest["pack"] == {"id": "sample", "title": "Sample", "version": "3"}
    assert (manifest["items"], manifest["reviews"]) == (10, len(desk.history.reviews()))


def test_what_is_ones_own_comes_along(tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock) -> None:
    study(desk, clock)
    wanted = StudySettings(Algorithm(desired_retention=0.8), new_per_day=3)
    assert desk.planner.change(wanted, reschedule=True) > 0
    desk.marks.suspend(["sample/card-1"])
    desk.words.write_note("sample/card-0", "mine")
    desk.answer("sample/card-2", Rating.GOOD, timedelta(seconds=3))
    export(tmp_path / "me.ladder", desk, pack, clock)
    with Desk.open(tmp_path / "new", clock) as new:
        import_bundle(tmp_path / "me.ladder", new)
        new.register(items_of(pack))
        assert new.settings == wanted
        assert new.states() == desk.states()
        assert new.history.adjustments() == desk.history.adjustments()
        assert new.history.belongings() == desk.history.belongings()
        assert new.history.rebuild_mismatches() == []
        new.undo()
        assert new.settings == StudySettings()
        assert new.history.adjustments() == []


def test_a_bundle_of_the_first_version_is_read(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    study(desk, clock)
    export(tmp_path / "new.ladder", desk, pack, clock)
    with zipfile.ZipFile(tmp_path / "new.ladder") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = msgspec.json.decode(members["manifest.json"])
    manifest["version"] = 1
    del manifest["sha256"]["own.json"], members["own.json"]
    members["manifest.json"] = msgspec.json.encode(manifest)
    with zipfile.ZipFile(tmp_path / "old.ladder", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with Desk.open(tmp_path / "profile-2", clock) as other:
        assert import_bundle(tmp_path / "old.ladder", other) == len(desk.history.reviews())
        assert other.history.reviews() == desk.history.reviews()


def test_a_long_history_keeps_within_the_limits(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    """The most compressible log there is: one item, one rating, one rhythm."""
    for _ in range(400):
        clock.at += timedelta(days=1)
        desk.answer("sample/card-0", Rating.AGAIN, timedelta(0))
    export(tmp_path / "me.ladder", desk, pack, clock)
    with Desk.open(tmp_path / "new", clock) as new:
        assert import_bundle(tmp_path / "me.ladder", new) == 400


def test_a_profile_with_reviews_is_left_alone(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    study(desk, clock)
    bundle = tmp_path / "me.ladder"
    export(bundle, desk, pack, clock)
    before = desk.states(), desk.history.reviews()
    with pytest.raises(ImportFault, match=r"me\.ladder.*progress\.db holds reviews already.*--data"):
        import_bundle(bundle, desk)
    assert (desk.states(), desk.history.reviews()) == before


def test_a_bundle_of_the_first_version_is_still_read(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    """It had no own.json."""
    study(desk, clock)
    export(tmp_path / "new.ladder", desk, pack, clock)
    with (
        zipfile.ZipFile(tmp_path / "new.ladder") as new,
        zipfile.ZipFile(tmp_path / "old.ladder", "w") as old,
    ):
        manifest = msgspec.json.decode(new.read("manifest.json"))
        manifest["version"] = 1
        del manifest["sha256"]["own.json"]
        old.writestr("manifest.json", msgspec.json.encode(manifest))
        for name in ("items.jsonl", "reviews.jsonl"):
            old.writestr(name, new.read(name))
    with Desk.open(tmp_path / "home", clock) as home:
        assert import_bundle(tmp_path / "old.ladder", home) == len(desk.history.reviews())
        home.register(items_of(pack))
        assert home.states() == desk.states()


def test_an_import_can_be_undone(tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock) -> None:
    study(desk, clock)
    desk.marks.flag(["sample/card-0"], 1)
    export(tmp_path / "me.ladder", desk, pack, clock)
    with Desk.open(tmp_path / "home", clock) as home:
        count = import_bundle(tmp_path / "me.ladder", home)
        assert home.undo() == f"Undid Import of {count} reviews"
        assert home.history.reviews() == []
        assert home.history.belongings().marks == ()
        assert import_bundle(tmp_path / "me.ladder", home) == count


def test_a_profile_with_marks_alone_is_left_alone(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    study(desk, clock)
    export(tmp_path / "me.ladder", desk, pack, clock)
    with Desk.open(tmp_path / "home", clock) as home:
        home.register(items_of(pack))
        home.words.write_note("sample/card-0", "Mine")
        with pytest.raises(ImportFault, match="holds"):
            import_bundle(tmp_path / "me.ladder", home)
        assert home.words.note("sample/card-0") == "Mine"
