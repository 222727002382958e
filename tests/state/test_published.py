"""What changed since the live generation, whoever changed it (spec 10.7)."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from searchsocket.chunking.records import CutChunk, cut_chunks
from searchsocket.state.chunks import (
    count_chunks,
    count_texts,
    drop_chunks,
    page_digests,
    places_of,
    records_at,
    replace_chunks,
    texts,
    texts_at,
    unpublished_texts,
)
from searchsocket.state.database import DamagedRow, open_state
from searchsocket.state.pages import delete_page, ensure_scope, put_page
from searchsocket.state.published import is_published, set_published, unpublished
from searchsocket.types import Chunk, Generation, Page, RawPage, Scope

SCOPE = Scope("museum", "main")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = open_state(tmp_path / "state.db")
    ensure_scope(opened, "main")
    yield opened
    opened.close()


def generation(records: int, name: str = "20260101T000000Z-abcdef") -> Generation:
    return Generation(name, "main", "museum", "m", 2, "2026-01-01T00:00:00Z", records, 1, "digest", {})


def put(db: sqlite3.Connection, url: str, *said: str) -> int:
    """A page with one chunk for everything that it says; returns how many texts are new on it."""
    put_page(db, "main", RawPage(url, url, url, "", "html"), "", 0)
    (page_id,) = db.execute("SELECT id FROM pages WHERE url = ?", (url,)).fetchone()
    return replace_chunks(db, "main", page_id, cut(url, *said), [len(text.split()) for text in said])


def cut(url: str, *said: str) -> list[CutChunk]:
    page = Page(url=url, title="", scope="main", body="")
    return cut_chunks(page, [Chunk(url, i, "section", (), "", "", 0, text) for i, text in enumerate(said)], SCOPE, "m")


def page_id(db: sqlite3.Connection, url: str) -> int:
    return int(db.execute("SELECT id FROM pages WHERE url = ?", (url,)).fetchone()[0])


def test_nothing_is_kept_before_anything_is_published(db: sqlite3.Connection) -> None:
    put(db, "/a", "one", "two")
    assert list(unpublished(db, "main")) == []
    assert not is_published(db, "main", None)
    assert not is_published(db, "main", generation(2))


def test_every_way_of_changing_chunks_is_seen(db: sqlite3.Connection) -> None:
    put(db, "/a", "one", "two")
    put(db, "/b", "three")
    put(db, "/c", "four")
    set_published(db, "main", generation(4))
    old = {url: cut(url, *said)[0].record for url, *said in (("/a", "one"), ("/b", "three"), ("/c", "four"))}
    assert put(db, "/a", "one, edited", "two") == 1
    delete_page(db, page_id(db, "/b"), "main")  # by the cascade
    drop_chunks(db, "main", page_id(db, "/c"))
    put(db, "/d", "five")
    new = {url: cut(url, *said)[0].record for url, *said in (("/a", "one, edited"), ("/d", "five"))}
    second = cut("/a", "one", "two")[1].record
    assert sorted(unpublished(db, "main")) == sorted(
        [
            (old["/a"].id, new["/a"].record_hash, old["/a"].record_hash),
            (second.id, second.record_hash, second.record_hash),
            (old["/b"].id, None, old["/b"].record_hash),
            (old["/c"].id, None, old["/c"].record_hash),
            (new["/d"].id, new["/d"].record_hash, None),
        ]
    )
    assert is_published(db, "main", generation(4))
    assert count_chunks(db, "main") == (3, 2)


def test_what_was_live_stays_known_however_often_a_page_changes(db: sqlite3.Connection) -> None:
    put(db, "/a", "one")
    set_published(db, "main", generation(1))
    live = cut("/a", "one")[0].record.record_hash
    for said in ("two", "three"):
        put(db, "/a", said)
    (found,) = unpublished(db, "main")
    assert found[1:] == (cut("/a", "three")[0].record.record_hash, live)
    put(db, "/a")
    put(db, "/e", "came and went")
    put(db, "/e")
    assert {row[1:] for row in unpublished(db, "main")} == {(None, live), (None, None)}
    assert is_published(db, "main", generation(1))


def test_another_generation_is_not_the_one_that_was_published(db: sqlite3.Connection) -> None:
    put(db, "/a", "one")
    live = generation(1)
    set_published(db, "main", live)
    assert is_published(db, "main", live)
    assert not is_published(db, "main", None)
    assert not is_published(db, "main", replace(live, name="20260102T000000Z-abcdef"))
    assert not is_published(db, "main", replace(live, digest="other"))
    assert not is_published(db, "main", replace(live, records=2))  # what was kept does not fit
    put(db, "/a", "one", "two")
    db.execute("DELETE FROM unpublished")
    assert not is_published(db, "main", live)
    set_published(db, "main", None)
    assert not is_published(db, "main", live)


def test_scopes_are_kept_apart(db: sqlite3.Connection) -> None:
    put(db, "/a", "one")
    set_published(db, "main", generation(1))
    ensure_scope(db, "preview")
    put_page(db, "preview", RawPage("/a", "/a", "/a", "", "html"), "", 0)
    (other,) = db.execute("SELECT id FROM pages WHERE scope = 'preview'").fetchone()
    replace_chunks(db, "preview", other, cut("/a", "x", "y"), [1, 1])
    assert list(unpublished(db, "main")) == list(unpublished(db, "preview")) == []
    assert (count_chunks(db, "main"), count_chunks(db, "preview")) == ((1, 1), (2, 1))


def test_texts_are_distinct_and_where_they_are_said_to_be(db: sqlite3.Connection) -> None:
    put(db, "/a", "one", "two two")
    set_published(db, "main", generation(2))
    put(db, "/b", "two two", "three")
    found = list(texts(db, "main"))
    assert count_texts(db, "main") == len(found) == 3
    assert dict(zip(texts_at(db, [text.place for text in found]), [t.tokens for t in found], strict=True)) == {
        "one": 1,
        "two two": 2,
        "three": 1,
    }
    assert {*texts_at(db, [text.place for text in unpublished_texts(db, "main")])} == {"two two", "three"}


def test_equal_chunks_have_equal_digests_in_whatever_order_pages_came(db: sqlite3.Connection) -> None:
    put(db, "/a", "one")
    put(db, "/b", "two")
    digests = {name: list(page_digests(db, "main", name)) for name in ("records_digest", "texts_digest")}
    put(db, "/a", "another")
    put(db, "/a", "one")
    assert {name: list(page_digests(db, "main", name)) for name in digests} == digests
    put(db, "/a", "another")
    assert all(list(page_digests(db, "main", name)) != digests[name] for name in digests)


@pytest.mark.parametrize("column", ["record", "content_hash", "record_hash", "id"])
def test_a_damaged_chunk_is_never_handed_out(db: sqlite3.Connection, column: str) -> None:
    put(db, "/a", "one")
    (record,) = [chunk.record for chunk in cut("/a", "one")]
    assert records_at(db, places_of(db, "main", [record.id])) == [record]
    db.execute(f"UPDATE chunks SET {column} = replace(replace({column}, 'one', 'ome'), '3', '4')")
    (stored,) = db.execute("SELECT id FROM chunks").fetchone()
    if column in ("record", "content_hash"):
        with pytest.raises(DamagedRow):
            texts_at(db, [1])
    if column != "content_hash":
        with pytest.raises(DamagedRow):
            records_at(db, places_of(db, "main", [stored]))


def test_a_chunk_that_is_not_there_is_damage(db: sqlite3.Connection) -> None:
    put(db, "/a", "one")
    for act in (lambda: places_of(db, "main", ["x"]), lambda: records_at(db, [99]), lambda: texts_at(db, [99])):
        with pytest.raises(DamagedRow, match="0 of 1"):
            act()
