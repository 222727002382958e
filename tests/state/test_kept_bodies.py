"""The texts of pages in state.db: each is stored once, as long as any page has it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.chunking.records import hash_of
from searchsocket.state.project import ProjectState
from searchsocket.state.records import records_of
from searchsocket.state.schema import as_stored, as_text
from searchsocket.state.scope import ScopeState
from tests.state.building import HOW, chunked, extracted, listed

BODY = "\n".join(f"Line {number} says {hash_of(str(number))}." for number in range(90))


def numbers(folder: Path, *queries: str) -> list[int]:
    with closing(sqlite3.connect(folder / "state.db")) as db:
        return [db.execute(f"SELECT {query}").fetchone()[0] for query in queries]


def texts(state: ScopeState) -> list[str]:
    selection = state.chunks.select()
    selection.add([record_id for record_id, _ in state.chunks.fingerprints()])
    return [record.chunk.body.text for batch in selection.batches(10) for record in records_of(batch, "main")]


def test_records_are_packed_with_the_text_that_they_are_of(tmp_path: Path) -> None:
    with ProjectState(tmp_path).open("main") as state:
        for url, body in (("/a", BODY), ("/b", "")):
            extracted(state, url, body=body)
            chunked(state, url, BODY)
        assert texts(state) == [BODY, BODY]
    a, b = numbers(tmp_path, "MIN(LENGTH(records)) FROM page_records", "MAX(LENGTH(records)) FROM page_records")
    assert a < b / 5


def test_a_text_stays_as_long_as_a_page_or_its_records_need_it(tmp_path: Path) -> None:
    """Extracted again it may be another one, while chunks are still those that were cut from the one before."""
    project = ProjectState(tmp_path)
    with project.open("main") as state:
        extracted(state, "/a", body=BODY)
        chunked(state, "/a", BODY)
    with project.open("main") as state:
        extracted(state, "/a", body=BODY)  # once more the same
    assert numbers(tmp_path, "COUNT(*) FROM bodies") == [1]
    with project.open("main") as state:
        extracted(state, "/a", body="another")
        assert texts(state) == [BODY]
    assert numbers(tmp_path, "COUNT(*) FROM bodies") == [2]
    with project.open("main") as state:
        chunked(state, "/a", "another")
        assert texts(state) == ["another"]
    assert numbers(tmp_path, "COUNT(*) FROM bodies") == [1]
    project.forget("main")
    assert numbers(tmp_path, "COUNT(*) FROM bodies", "COUNT(*) FROM page_records") == [0, 0]


def test_scopes_that_say_the_same_share_their_texts(tmp_path: Path) -> None:
    project = ProjectState(tmp_path)
    with project.open("main") as state:
        extracted(state, "/a", body=BODY)
    with project.open("new") as state:
        listed(state, "/a")
        assert state.origin.take_pages(HOW) == 1
        [page_id] = state.mirror.dirty() or state.mirror.spread(1)
    assert numbers(tmp_path, "COUNT(*) FROM pages", "COUNT(*) FROM bodies") == [2, 1]
    project.forget("main")
    with project.open("new") as state:
        assert state.mirror.page(page_id).extract.body == BODY


@given(st.one_of(st.binary(min_size=20, max_size=20).map(bytes.hex), st.text()))
def test_a_hash_comes_back_as_it_was(value: str) -> None:
    assert as_text(as_stored(value)) == value
    assert len(as_stored(value)) == 20 or as_stored(value) == value or len(value) == 64
