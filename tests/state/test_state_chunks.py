"""Contract of the state for chunks."""

import pytest

from searchsocket.content.chunking.records import hash_of
from searchsocket.state.chunks import PageChunks, chunk_key
from searchsocket.state.project import ProjectState
from searchsocket.state.records import records_of
from searchsocket.state.schema import DamagedRow
from searchsocket.state.scope import ScopeState
from tests.state.building import HOW, chunked, cut, digest_of_file, extracted, mirrored, number


class TestChunks:
    """Pages that must be chunked again, and the chunks that can be read."""

    def test_only_pages_whose_file_changed_are_cut_again(self, state: ScopeState) -> None:
        for url in ("/c", "/a", "/b"):
            mirrored(state, url)
        extracted(state, "/not-mirrored")
        chunked(state, "/a", "one")
        assert state.chunks.count_mirrored() == 3
        for how, stale in (
            (HOW, ["/b", "/c"]),
            (hash_of("another chunker"), ["/a", "/b", "/c"]),
            (None, ["/a", "/b", "/c"]),
        ):
            assert [page.url for batch in state.chunks.stale(how, 2) for page in batch] == stale
            assert state.chunks.count_stale(how) == len(stale)
        mirrored(state, "/a", digest=hash_of("new"))
        [first] = next(state.chunks.stale(HOW, 1))
        assert first == (number(state, "/a"), "/a", hash_of("new"))

    def test_a_batch_may_be_written_before_the_next_is_read(self, state: ScopeState) -> None:
        for url in ("/a", "/b", "/c", "/d", "/e"):
            mirrored(state, url)
        urls = []
        for batch in state.chunks.stale(HOW, 2):
            with state.transaction():
                for page_id, url, digest in batch:
                    urls.append(url)
                    state.chunks.replace(page_id, chunk_key(digest, HOW), cut(url, url), [1])
        assert urls == ["/a", "/b", "/c", "/d", "/e"]
        assert state.chunks.count_stale(HOW) == 0

    def test_new_texts_of_a_page_are_counted(self, state: ScopeState) -> None:
        assert chunked(state, "/a", "one", "two") == 2
        assert chunked(state, "/a", "two", "one", "three") == 1
        assert chunked(state, "/a") == 0
        assert state.chunks.count() == (0, 0)

    def test_texts_are_distinct_and_where_they_are_said_to_be(self, state: ScopeState) -> None:
        chunked(state, "/a", "one", "two two")
        state.published.set(None)
        chunked(state, "/b", "two two", "three")
        texts = list(state.chunks.texts())
        assert [text.content_hash for text in texts] == sorted({text.content_hash for text in texts})
        assert state.chunks.count_texts() == len(texts) == 3
        read = state.chunks.texts_at([text.position for text in texts])
        assert dict(zip(read, [text.tokens for text in texts], strict=True)) == {"one": 1, "two two": 2, "three": 1}

    def test_equal_chunks_have_equal_digests_in_whatever_order_pages_came(self, state: ScopeState) -> None:
        def digests() -> list[list[str]]:
            return [list(state.chunks.records_digests()), list(state.chunks.texts_digests())]

        chunked(state, "/a", "one")
        chunked(state, "/b", "two")
        before = digests()
        chunked(state, "/a", "another")
        assert all(now != then for now, then in zip(digests(), before, strict=True))
        chunked(state, "/a", "one")
        assert digests() == before

    def test_fingerprints_come_by_id(self, state: ScopeState) -> None:
        chunked(state, "/b", "one", "two")
        chunked(state, "/a", "three")
        records = [chunk.record for chunk in cut("/b", "one", "two") + cut("/a", "three")]
        assert list(state.chunks.fingerprints()) == sorted((record.id, record.record_hash) for record in records)

    def test_selected_records_come_whole_in_batches(self, state: ScopeState) -> None:
        chunked(state, "/a", "one", "two", "three")
        records = [chunk.record for chunk in cut("/a", "one", "two", "three")]
        assert len(list(state.chunks.fingerprints())) == 3
        selection = state.chunks.select()
        selection.add([records[2].id])
        selection.add([])
        selection.add([records[1].id, records[0].id])
        batches = [list(records_of(batch, "main")) for batch in selection.batches(2)]
        assert [len(batch) for batch in batches] == [2, 1]
        assert len(selection) == 3
        assert sorted((record for batch in batches for record in batch), key=lambda each: each.chunk.ordinal) == records

    def test_a_chunk_that_is_not_there_is_damage(self, state: ScopeState) -> None:
        chunked(state, "/a", "one")
        with pytest.raises(DamagedRow, match="0 of 1"):
            state.chunks.select().add(["x"])
        with pytest.raises(DamagedRow, match="0 of 1"):
            state.chunks.texts_at([99])
        assert len(list(state.chunks.fingerprints())) == 1
        selection = state.chunks.select()
        selection.add([cut("/a", "one")[0].record.id])
        chunked(state, "/a")
        with pytest.raises(DamagedRow, match="0 of 1"):
            list(selection.batches(10))

    def test_pages_with_most_chunks_are_told_by_number_then_url(self, state: ScopeState) -> None:
        for url, *texts in (("/c", "1"), ("/b", "2"), ("/a", "3", "4")):
            chunked(state, url, *texts)
        assert state.chunks.biggest(2) == [PageChunks("/a", 2), PageChunks("/b", 1)]

    def test_cut_pages_are_those_of_the_very_file(self, state: ScopeState) -> None:
        for url in ("/c", "/b", "/a"):
            chunked(state, url, "one")
        mirrored(state, "/b", digest=hash_of("written anew"))
        chunked(state, "/a")  # no chunk is left
        assert list(state.chunks.cut_pages()) == [("/c", digest_of_file("/c"))]

    def test_scopes_are_kept_apart(self, project: ProjectState) -> None:
        with project.open("main") as state, project.open("preview") as other:
            chunked(state, "/a", "one")
            chunked(other, "/a", "x", "y")
            assert (state.chunks.count(), other.chunks.count()) == ((1, 1), (2, 1))
            assert len(list(state.chunks.fingerprints())) == 1

    def test_texts_that_one_scope_alone_has_are_counted(self, project: ProjectState) -> None:
        assert project.own_texts() == {}
        with project.open("main") as state, project.open("preview") as other:
            chunked(state, "/a", "one", "two")
            chunked(other, "/a", "one", "two")
            chunked(other, "/b", "three", "four")
        assert project.own_texts() == {"preview": 2}
