"""The full-text search: what it finds, what it survives, and that nothing waits for it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_content.model import Pack
from ladder_desktop.search import Hit, SearchIndex
from ladder_desktop.search.query import match_all


@pytest.fixture(scope="module")
def index(pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    made = SearchIndex.open(tmp_path_factory.mktemp("search"), pack)
    yield made
    made.close()


def places(hits: list[Hit]) -> list[str]:
    return [hit.target for hit in hits]


@pytest.mark.parametrize(
    ("typed", "target", "among"),
    [
        ("paged attention", "study:paging/maps/paged-engine/kernels", 1),
        ("PagedAtt", "study:hub/gist/go-deeper/ref-pagedattention", 5),
        ("F3.01", "study:hub/gist/ladder/F3.01", 1),
        ("token i lives in block", "study:paging/qa/paging-cloze-address", 2),
        ("block table by hand", "study:paging/gist/block-table", 2),
        ("what is the block table by hand?", "study:paging/gist/block-table", 2),
        ("A burst, a queue", "study:hub/sandbox/hub-burst-and-admission", 1),
        ("wrong bottleneck in eight", "study:hub/maps/wrong-bottleneck", 1),
        ("large draft creative chat", "ticket:spec-ticket-creative-chat", 1),
        ("all-reduce outweighs compute", "study:hub/maps/wrong-bottleneck/#1", 5),
    ],
)
def test_a_place_is_found_by_its_words(index: SearchIndex, typed: str, target: str, among: int) -> None:
    assert target in places(index.find(typed, 50))[:among]


@pytest.mark.parametrize(
    "typed",
    [
        "--enable-mixed-chunk",
        "enable_mixed_chunk",
        "enable-mixed-chunk",
        "`--enable-mixed-chunk`",
        "mixed-chunk",
        "--enable-mixed-ch",
    ],
)
def test_a_flag_is_found_however_it_is_written(index: SearchIndex, typed: str) -> None:
    found = index.find(typed, 50)
    assert len(found) >= 6
    assert all(hit.marks or hit.kind == "ticket" for hit in found)


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("allreduce", "all-reduce"),
        ("8192", "8,192"),
        ("batches", "batch"),
        ("vllm:num_preemptions", "num_preemptions"),
        ("ＫＶ cache", "kv CACHE"),
    ],
)
def test_two_spellings_of_a_word_find_the_same(index: SearchIndex, typed: str, other: str) -> None:
    first, second = set(places(index.find(typed, 500))), set(places(index.find(other, 500)))
    assert first
    assert first & second == min(first, second, key=len)


def test_each_letter_of_a_word_keeps_its_place_in_sight(index: SearchIndex) -> None:
    word = "num_speculative_tokens"
    for length in range(5, len(word) + 1):
        assert "study:spec/gist/settings" in places(index.find(word[:length], 200)), word[:length]


def test_words_in_quotes_stand_together(index: SearchIndex) -> None:
    held = index.find('"step decode"', 500)
    assert len(held) < len(index.find("step decode", 500))


def test_a_ticket_does_not_tell_its_verdict(index: SearchIndex, pack: Pack) -> None:
    for study in pack.studies:
        for ticket in study.tickets:
            hits = index.find(f'"{" ".join(ticket.evidence.split()[:5])}"', 50)
            shown = [hit.excerpt for hit in hits if hit.target == f"ticket:{ticket.id}"]
            assert shown or "[" in ticket.evidence
            assert not any(excerpt in ticket.evidence for excerpt in shown)


def test_a_gap_to_fill_is_not_filled_in_its_title(index: SearchIndex) -> None:
    hit = index.find("token i lives in entry", 1)[0]
    assert hit.kind == "card"
    assert "…" in hit.title
    assert "rounded down" not in hit.title


def test_marks_cover_what_was_typed(index: SearchIndex) -> None:
    hit = index.find("continuous batching", 1)[0]
    words = {hit.excerpt[start:end].casefold() for start, end in hit.marks}
    assert words <= {"continuous", "batching", "continuous batching", "batch"}
    assert index.find("mixed-chunk", 1)[0].marks


def test_every_place_of_the_pack_is_there_once(index: SearchIndex, pack: Pack, tmp_path: Path) -> None:
    targets = [
        hit.target for word in "abcdefghijklmnopqrstuvwxyz0123456789" for hit in index.find(word, 5000)
    ]
    wanted = {f"ticket:{ticket.id}" for study in pack.studies for ticket in study.tickets}
    for study in pack.studies:
        base = f"study:{study.id}"
        wanted |= {f"{base}/gist/{one.id}" for one in study.sections}
        wanted |= {f"{base}/qa/{one.id}" for one in study.cards}
        wanted |= {f"{base}/sandbox/{one.id}" for one in study.snippets}
        wanted |= {f"{base}/gist/go-deeper/{one.id}" for one in study.references}
        for chart in study.maps:
            wanted |= {f"{base}/maps/{chart.id}", *(f"{base}/maps/{chart.id}/{n.id}" for n in chart.nodes)}
            wanted |= {f"{base}/maps/{chart.id}/#{number}" for number in range(len(chart.edges))}
    facts = set(targets) - wanted
    assert wanted <= set(targets)
    assert {target.rpartition("/")[2] for target in facts} <= {fact.id for fact in pack.facts}
    assert len(facts) > 0.9 * len(pack.facts)


@given(st.text(max_size=60) | st.text(alphabet='"*^():{}-+ANDORTNE abc', max_size=30))
def test_nothing_that_can_be_typed_is_an_error(index: SearchIndex, typed: str) -> None:
    assert all(isinstance(hit, Hit) for hit in index.find(typed, 3))


@pytest.mark.parametrize("typed", ["", "   ", "--", '"', '""', "***", "…", "\x00", "()"])
def test_no_words_find_nothing(index: SearchIndex, typed: str) -> None:
    assert match_all(typed) == ""
    assert index.find(typed, 5) == []


def test_a_limit_is_kept(index: SearchIndex) -> None:
    assert len(index.find("a", 7)) == 7
    assert index.find("a", 0) == []


def test_opening_reads_and_writes_nothing(pack: Pack, tmp_path: Path) -> None:
    index = SearchIndex.open(tmp_path / "not there yet", pack)
    assert not list(tmp_path.iterdir())
    index.close()


def small(pack: Pack) -> Pack:
    """Return a pack of one study, for the tests that index again."""
    used = msgspec.structs.replace(pack.studies[0], maps=(), cards=pack.studies[0].cards[:5], tickets=())
    return msgspec.structs.replace(pack, studies=(used,), facts=pack.facts[:20])


def test_the_index_is_kept_until_a_word_of_the_pack_changes(pack: Pack, tmp_path: Path) -> None:
    one = small(pack)
    first = SearchIndex.open(tmp_path, one)
    assert first.find("bottleneck")
    first.close()
    made = (tmp_path / "search.db").stat()
    again = SearchIndex.open(tmp_path, one)
    assert again.find("bottleneck")
    again.close()
    assert (tmp_path / "search.db").stat().st_ino == made.st_ino
    section = msgspec.structs.replace(one.studies[0].sections[0], title="Zanzibar")
    other = msgspec.structs.replace(
        one, studies=(msgspec.structs.replace(one.studies[0], sections=(section,)),)
    )
    changed = SearchIndex.open(tmp_path, other)
    assert [hit.title for hit in changed.find("zanzibar")] == ["Zanzibar"]
    changed.close()
    assert [path.name for path in tmp_path.iterdir()] == ["search.db"]


@pytest.mark.parametrize("damage", ["cut", "garbage", "empty", "holes", "another database", "a folder"])
def test_a_damaged_index_is_made_anew_and_nobody_hears_of_it(pack: Pack, tmp_path: Path, damage: str) -> None:
    one, path = small(pack), tmp_path / "search.db"
    first = SearchIndex.open(tmp_path, one)
    wanted = first.find("bottleneck")
    first.close()
    data = path.read_bytes()
    if damage == "holes":  # the head and the key can be read, the words cannot
        path.write_bytes(data[: 4096 * 2] + bytes(len(data) - 4096 * 3) + data[-4096:])
    elif damage == "another database":
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE pack (key TEXT)")
        connection.close()
    elif damage == "a folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes({"cut": data[:5000], "garbage": b"\xff" * 9000, "empty": b""}[damage])
    index = SearchIndex.open(tmp_path, one)
    assert index.find("bottleneck") == wanted
    index.close()


def test_where_nothing_can_be_written_the_search_works_all_the_same(pack: Pack, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file, so that no folder can be made of it")
    index = SearchIndex.open(tmp_path / "file", small(pack))
    assert index.find("bottleneck")
    index.close()


def test_made_in_the_background_it_is_there_and_no_thread_stays(pack: Pack, tmp_path: Path) -> None:
    index = SearchIndex.open(tmp_path, small(pack))
    index.prepare_in_background()
    assert index.find("bottleneck")  # waits for the thread, and finds what it made
    index.close()
    assert not [one for one in threading.enumerate() if one.name == "search-index"]


def test_closing_early_ends_the_thread_and_leaves_no_half_file(pack: Pack, tmp_path: Path) -> None:
    index = SearchIndex.open(tmp_path, pack)
    index.prepare_in_background()
    index.close()
    assert not [one for one in threading.enumerate() if one.name == "search-index"]
    assert {path.name for path in tmp_path.iterdir()} <= {"search.db"}
