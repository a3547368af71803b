"""Bundles that were cut short, damaged or forged: one sentence, and nothing is stored."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_content.model import Pack
from ladder_desktop.exporting import ImportFault, export, import_bundle
from ladder_desktop.exporting.bundle_reader import load_bundle
from ladder_desktop.study import CardState, Desk, Review, items_of

from .conftest import HandClock, study

Members = dict[str, bytes]


class Original:
    """A good bundle, what it holds, and an empty profile to try damaged copies on."""

    def __init__(self, home: Path, pack: Pack) -> None:
        self.home = home
        self.copy = home / "copy.ladder"
        clock = HandClock()
        with Desk.open(home / "old", clock) as desk:
            desk.register(items_of(pack))
            study(desk, clock, {"card-0": "3334", "card-1": "31", "ticket-0": "2"})
            export(home / "good.ladder", desk, pack, clock)
            self.held = everything(desk)
        self.bytes = (home / "good.ladder").read_bytes()
        self.found = self.held
        self.profiles = 0
        self.desk = self.empty_profile()

    def empty_profile(self) -> Desk:
        self.profiles += 1
        return Desk.open(self.home / f"new-{self.profiles}", HandClock())

    def members(self) -> Members:
        with zipfile.ZipFile(self.home / "good.ladder") as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def refusal(self) -> str:
        """Import the copy, which must be refused with one sentence and leave the profile empty; return the sentence."""
        with pytest.raises(ImportFault) as caught:
            import_bundle(self.copy, self.desk)
        fault = str(caught.value)
        assert str(self.copy) in fault
        assert fault.endswith(".")
        assert "\n" not in fault
        assert everything(self.desk) == ([], [])
        return fault

    def refused_or_taken_in(self) -> bool:
        """Import the copy, which must be refused, or give a profile whose states follow from its log."""
        try:
            import_bundle(self.copy, self.desk)
        except ImportFault:
            self.refusal()
            return False
        assert self.desk.history.rebuild_mismatches() == []
        self.found = everything(self.desk)
        self.desk.close()
        self.desk = self.empty_profile()
        return True


def everything(desk: Desk) -> tuple[list[CardState], list[Review]]:
    """An import waits for a pack to bring the items in order, so here they are ordered by id."""
    return sorted(desk.states(), key=lambda state: state.item.item_id), desk.history.reviews()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, pack: Pack) -> Iterator[Original]:
    original = Original(tmp_path_factory.mktemp("bundles"), pack)
    yield original
    original.desk.close()


def test_a_bundle_cut_short_anywhere_is_refused(original: Original) -> None:
    ends = {
        *range(0, len(original.bytes), 23),
        *range(40),
        *range(len(original.bytes) - 40, len(original.bytes)),
    }
    for end in sorted(ends):
        original.copy.write_bytes(original.bytes[:end])
        assert "cut short" in original.refusal()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_bundle_is_refused_or_read_right(original: Original, data: st.DataObject) -> None:
    damaged = bytearray(original.bytes)
    for _ in range(data.draw(st.integers(1, 4), label="bytes")):
        place = data.draw(st.integers(0, len(damaged) - 1), label="place")
        damaged[place] ^= data.draw(st.integers(1, 255), label="flip")
    original.copy.write_bytes(damaged)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile warns of a name that comes twice
        if original.refused_or_taken_in():
            assert original.found == original.held


def test_the_zip_structure_may_be_wrong_anywhere(original: Original) -> None:
    """The headers and the directory, byte by byte: what the random damage above seldom meets."""
    good = load_bundle(original.home / "good.ladder")
    with zipfile.ZipFile(original.home / "good.ladder") as archive:
        headers = {
            info.header_offset + place
            for info in archive.infolist()
            for place in range(30 + len(info.filename))
        }
        directory = range(archive.start_dir, len(original.bytes))
    seen: set[type[BaseException] | None] = set()
    for place in sorted({*headers, *directory}):
        for bit in (0, 3, 7):
            damaged = bytearray(original.bytes)
            damaged[place] ^= 1 << bit
            original.copy.write_bytes(damaged)
            try:
                assert load_bundle(original.copy) == good
                seen.add(None)
            except ImportFault as fault:
                seen.add(type(fault.__cause__))
    # Python 3.11 also lets zlib.error, EOFError and OSError through; later ones notice more of it themselves.
    assert {None, zipfile.BadZipFile} <= seen


def write(path: Path, members: Members) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def forge(members: Members, **manifest: Any) -> Members:
    """Make the checksums and the counts right again, as somebody would who changes a bundle on purpose."""
    told = msgspec.json.decode(members["manifest.json"])
    names = [name for name in members if name != "manifest.json"]
    told["sha256"] = {name: hashlib.sha256(members[name]).hexdigest() for name in names}
    told["items"] = len(members["items.jsonl"].splitlines())
    told["reviews"] = len(members["reviews.jsonl"].splitlines())
    return {**members, "manifest.json": msgspec.json.encode(told | manifest)}


def edited(
    original: Original, change: Callable[[list[dict[str, Any]]], Any], name: str = "reviews.jsonl"
) -> Members:
    members = original.members()
    lines = [json.loads(line) for line in members[name].splitlines()]
    change(lines)
    members[name] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return forge(members)


def give_the_ticket_away(log: list[dict[str, Any]]) -> None:
    for review in log:
        if review["item_id"] == "sample/ticket-0":
            review["item_id"] = "sample/nobody"


FORGED_LOGS: dict[str, tuple[Callable[[list[dict[str, Any]]], Any], str]] = {
    "an unknown rating": (lambda log: log[0].update(rating=5), r"reviews\.jsonl line 1.*enum value 5"),
    "a rating that was not given": (lambda log: log[0].update(rating=4), "records another outcome"),
    "a review twice": (lambda log: log.append(log[-1]), "starts from a state"),
    "a review id twice": (lambda log: log[1].update(review_id=log[0]["review_id"]), "comes twice"),
    "a review left out": (lambda log: log.pop(0), "starts from a state"),
    "another stability": (lambda log: log[-1]["after"].update(stability=1e6), "records another outcome"),
    "another due day": (lambda log: log[-1]["after"].update(due_day=99), "records another outcome"),
    "an unlisted item": (give_the_ticket_away, "reviewed but not described"),
    "a time before time": (lambda log: log[0].update(answered_at=-(10**17)), "time that cannot be"),
    "a time beyond time": (lambda log: log[0].update(answered_at=10**15), "time that cannot be"),
    "a negative duration": (lambda log: log[0].update(duration_ms=-1), "time that cannot be"),
    "a duration no database holds": (lambda log: log[0].update(duration_ms=2**63), "time that cannot be"),
    "an algorithm of tomorrow": (
        lambda log: log[0]["algorithm"].update(name="fsrs-9"),
        "update Runtime Ladder",
    ),
    "parameters out of bounds": (
        lambda log: log[0]["algorithm"].update(parameters=[0] * 21),
        "FSRS-6 parameters",
    ),
    "too few parameters": (lambda log: log[0]["algorithm"].update(parameters=[1]), "FSRS-6 parameters"),
    "a text for a number": (lambda log: log[0].update(study_day="today"), r"line 1"),
    "no time at all": (lambda log: log[0].pop("answered_at"), r"line 1"),
}


@pytest.mark.parametrize("what", FORGED_LOGS)
def test_a_forged_log_is_refused(original: Original, what: str) -> None:
    change, said = FORGED_LOGS[what]
    write(original.copy, edited(original, change))
    assert re.search(said, original.refusal())


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield (*path, key)
        yield from places(below, (*path, key))


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([0, 1, 2**31, 2**63, -(2**63), 10**400]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
)


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_no_value_anywhere_in_a_forged_log_does_harm(original: Original, data: st.DataObject) -> None:
    def change(log: list[dict[str, Any]]) -> None:
        way = data.draw(st.sampled_from(list(places(log))), label="place")
        holder: Any = log
        for key in way[:-1]:
            holder = holder[key]
        holder[way[-1]] = data.draw(STRANGE, label="value")

    name = data.draw(st.sampled_from(["items.jsonl", "reviews.jsonl"]), label="member")
    write(original.copy, edited(original, change, name))
    original.refused_or_taken_in()


@pytest.mark.parametrize("value", ["[" * 20_000 + "]" * 20_000, '"\\ud800"', "1e999", "NaN"])
def test_a_detail_that_cannot_be_stored_is_refused(original: Original, value: str) -> None:
    members = original.members()
    log = re.sub(
        rb'"detail":\{[^}]*\}', lambda _: f'"detail":{{"x":{value}}}'.encode(), members["reviews.jsonl"]
    )
    write(original.copy, forge({**members, "reviews.jsonl": log}))
    assert "line 1" in original.refusal()


FORGED_FILES: dict[str, tuple[Callable[[Members], Members], str]] = {
    "a newer version": (
        lambda m: forge({**m, "more.jsonl": b""}, version=99),
        "newer Runtime Ladder: update",
    ),
    "an older version": (lambda m: forge(m, version=0), "unknown format version 0"),
    "another format": (lambda m: forge(m, format="shopping"), "no progress bundle"),
    "no format": (lambda m: {**m, "manifest.json": b"{}"}, "manifest.json"),
    "a broken manifest": (lambda m: {**m, "manifest.json": b"{"}, "manifest.json"),
    "no manifest": (lambda m: {"notes.txt": b"hello"}, "no manifest"),
    "a wrong checksum": (lambda m: {**m, "reviews.jsonl": m["reviews.jsonl"][:-2] + b" \n"}, "checksum"),
    "a wrong count": (lambda m: forge(m, reviews=3), "another number"),
    "a member more": (lambda m: forge({**m, "evil.sh": b"rm"}), "exactly the files"),
    "a member less": (lambda m: {name: m[name] for name in m if name != "items.jsonl"}, "exactly the files"),
    "a member that climbs": (lambda m: {**m, "../../evil.sh": b"rm"}, "exactly the files"),
    "many members": (lambda m: {**m, **{str(n): b"" for n in range(99)}}, "more than a progress bundle"),
    "a zip bomb": (
        lambda m: forge({**m, "reviews.jsonl": b"\n" * 30_000_000}),
        "more than a progress bundle",
    ),
    "a wrong kind of item": (
        lambda m: forge({**m, "items.jsonl": b'{"item_id":"a","kind":"b"}\n'}),
        "line 1",
    ),
}


@pytest.mark.parametrize("what", FORGED_FILES)
def test_a_forged_file_is_refused(original: Original, what: str) -> None:
    change, said = FORGED_FILES[what]
    write(original.copy, change(original.members()))
    assert said in original.refusal()


def test_a_directory_that_lies_about_sizes_unpacks_no_more_than_it_says(original: Original) -> None:
    """64 MiB of nothing, which the zip's own directory calls five bytes."""
    write(original.copy, {**original.members(), "manifest.json": bytes(64 << 20)})
    lying = bytearray(original.copy.read_bytes())
    entry = lying.index(b"PK\x01\x02")
    lying[entry + 24 : entry + 28] = (5).to_bytes(4, "little")
    original.copy.write_bytes(lying)
    tracemalloc.start()
    try:
        assert "cut short, damaged" in original.refusal()
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_directory_with_a_name_in_no_encoding_is_refused(original: Original) -> None:
    forged = bytearray(original.bytes)
    entry = forged.index(b"PK\x01\x02")
    forged[entry + 9] |= 0x08  # names are UTF-8, it says
    forged[entry + 46] = 0xFF
    original.copy.write_bytes(forged)
    assert "cut short, damaged" in original.refusal()


def test_a_member_beyond_any_file_is_refused(original: Original) -> None:
    info = zipfile.ZipInfo("manifest.json")
    info.extra = struct.pack("<HHQ", 1, 8, 2**63 + 5)  # where the member starts, in the form for large files
    with zipfile.ZipFile(original.copy, "w") as archive:
        archive.writestr(info, b"{}")
    forged = bytearray(original.copy.read_bytes())
    entry = forged.index(b"PK\x01\x02")
    forged[entry + 42 : entry + 46] = b"\xff" * 4
    original.copy.write_bytes(forged)
    assert "cut short, damaged" in original.refusal()


def test_what_is_no_zip_at_all_is_refused(original: Original, tmp_path: Path) -> None:
    original.copy.write_bytes(b"GIF89a")
    assert "no progress bundle" in original.refusal()
    original.copy.unlink()
    assert "could not be read" in original.refusal()
    original.copy.mkdir()
    assert "could not be read" in original.refusal()
    original.copy.rmdir()
