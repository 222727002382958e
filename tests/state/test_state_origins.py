"""Contract of the state for a scope that begins from another one."""

from searchsocket.content.chunking.records import cut_chunks, hash_of
from searchsocket.state.chunks import chunk_key
from searchsocket.state.project import ProjectState
from searchsocket.state.records import records_of
from searchsocket.state.scope import ScopeState
from searchsocket.types import PageFacts, Renamed, Scope
from tests.state.building import HOW, chunked, cut, dirty, extracted, listed, mirrored


class TestOrigins:
    def test_the_nearest_scope_is_that_of_most_of_the_same_bytes(self, project: ProjectState) -> None:
        for scope, pages in {"far": "ab", "near": "abc", "nearer-by-name": "abc", "removed": "abcd"}.items():
            with project.open(scope) as state:
                for name in pages:
                    mirrored(state, f"/{name}")
        project.forget("removed")
        with project.open("new") as state:
            listed(state, "/a", "/b", "/c", "/d")
            assert state.origin.name() == ""
            assert state.origin.take_pages("another extractor") == 0
            assert state.origin.take_pages(HOW) == 3
            assert state.origin.name() == "near"
            assert state.origin.take_pages(HOW) == 0  # it has begun
            state.origin.forget()
            assert state.origin.name() == ""

    def test_a_scope_begins_as_if_the_other_had_been_edited(self, project: ProjectState) -> None:
        """Links keep their answers; what a page that is not the same says of others is not said any more."""
        with project.open("main") as state:
            for url, links in {"/a": ["/b"], "/b": [], "/c": ["/b"], "/d": ["/gone", "/c"]}.items():
                mirrored(state, url, *links)
            state.links.resolve("/gone", None, "")
            for batch in state.mirror.unwritten(9):
                assert batch == []
            _clean(state)
        with project.open("new") as state:
            listed(state, "/a", "/b", "/d")
            listed(state, "/c", text="edited")
            assert state.origin.take_pages(HOW) == 3
            assert dirty(state) == {"/b"}
            assert state.links.open_targets() == {"/gone": "", "/c": "/c"}  # `/c` is no page here yet
            assert [file.url for batch in state.mirror.unwritten(1) for file in batch] == ["/a", "/d"]

    def test_chunks_of_the_same_file_are_taken_over_by_their_names_here(self, project: ProjectState) -> None:
        with project.open("main") as state:
            chunked(state, "/a", "one", "two")
            chunked(state, "/b", "three")
            there = [item.record for item in cut("/a", "one", "two")]
        with project.open("new") as state:
            listed(state, "/a", "/b")
            state.origin.take_pages(HOW)
            extracted(state, "/b")
            mirrored(state, "/b", digest=hash_of("another file"))
            assert state.origin.take_chunks(HOW) == 2
            chunks = [row.chunk for row in there]
            here = [
                chunk.record for chunk in cut_chunks(PageFacts(url="/a", title=""), chunks, Scope("museum", "new"), "m")
            ]
            names = [record for batch in state.origin.records(9) for record in batch]
            assert names == [
                Renamed(one.id, other.record_hash, other.id) for one, other in zip(here, there, strict=True)
            ]
            assert state.chunks.count() == (2, 1)

    def test_new_texts_are_those_that_the_other_scope_lacks(self, project: ProjectState) -> None:
        with project.open("main") as state:
            chunked(state, "/a", "one", "two")
            chunked(state, "/b", "three")
        with project.open("new") as state:
            listed(state, "/a")
            state.origin.take_pages(HOW)
            state.origin.take_chunks(HOW)
            assert list(state.origin.new_texts()) == []
            chunked(state, "/b", "four", "three")
            (four, three) = (item.record.content_hash for item in cut("/b", "four", "three"))
            assert {text.content_hash for text in state.origin.new_texts()} == {four, three}

    def test_chunks_are_selected_while_others_are_still_read(self, project: ProjectState) -> None:
        with project.open("main") as state:
            for number in range(9):
                chunked(state, f"/{number}", f"text {number}")
        with project.open("new") as state:
            listed(state, *(f"/{number}" for number in range(9)))
            state.origin.take_pages(HOW)
            state.origin.take_chunks(HOW)
        with project.open("new") as state:
            selection = state.chunks.select()
            for batch in state.origin.records(1):
                selection.add([record.id for record in batch])
            texts = [record.chunk.body.text for batch in selection.batches(1) for record in records_of(batch, "new")]
        assert texts == [f"text {number}" for number in range(9)]

    def test_later_changes_of_the_other_scope_are_not_reused(self, project: ProjectState) -> None:
        with project.open("main") as state:
            chunked(state, "/a", "one")
        with project.open("new") as state:
            listed(state, "/a")
            state.origin.take_pages(HOW)
            with project.open("main") as other:
                chunked(other, "/a", "one", "two")
                other.chunks.replace(
                    other.mirror.spread(1)[0], chunk_key(hash_of("another digest"), HOW), cut("/a", "new"), [1]
                )
            assert state.origin.take_chunks(HOW) == 0
            project.forget("main")
            assert state.origin.take_chunks(HOW) == 0
            assert state.chunks.count() == (0, 0)


def _clean(state: ScopeState) -> None:
    for page_id in state.mirror.dirty():
        state.mirror.set_clean(page_id)
