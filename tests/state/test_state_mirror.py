"""Contract of the state for the mirror's files."""

from searchsocket.content.pages import ExtractedPage
from searchsocket.state.mirror import Leaving, WrittenFile
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import chunked, digest_of_file, dirty, extracted, listed, mirrored, write


class TestMirror:
    """Files that must change, and the facts of existing ones."""

    def test_a_page_is_dirty_until_its_file_is_right(self, state: ScopeState) -> None:
        for url in ("/b", "/a"):
            extracted(state, url)
        extracted(state, "/skipped", skip="noindex")
        first, second = state.mirror.dirty()
        assert [state.mirror.page(item).url for item in (first, second)] == ["/a", "/b"]
        write(state, first, "digest")
        state.mirror.set_clean(second)
        assert list(state.mirror.dirty()) == []

    def test_a_page_comes_back_with_its_extract_and_its_file(self, state: ScopeState) -> None:
        page_id = extracted(state, "/a", "/b", body="words")
        assert (state.mirror.page(page_id).digest, state.mirror.page(page_id).stamp) == ("", "")
        write(state, page_id, "digest")
        page = state.mirror.page(page_id)
        assert (page.url, page.digest, page.stamp) == ("/a", "digest", "10:1")
        assert page.generated_at == "2026-01-01T00:00:00Z"
        assert page.extract == ExtractedPage(title="Title of /a", body="words", tags=("boats",))

    def test_new_routes_make_every_page_dirty_once(self, state: ScopeState) -> None:
        mirrored(state, "/a")
        state.mirror.set_routes("routes")
        assert dirty(state) == {"/a"}
        mirrored(state, "/a")
        state.mirror.set_routes("routes")
        assert not dirty(state)

    def test_only_files_of_clean_pages_are_looked_at(self, state: ScopeState) -> None:
        page_id = mirrored(state, "/a")
        extracted(state, "/b")
        assert list(state.mirror.written()) == [WrittenFile(page_id, "/a", digest_of_file("/a"), "10:1")]
        assert list(state.mirror.digests()) == [("/a", digest_of_file("/a"))]

    def test_touched_and_damaged_files_are_told_apart(self, state: ScopeState) -> None:
        a, b = mirrored(state, "/a"), mirrored(state, "/b")
        state.mirror.restamp([(a, "10:2")])
        state.mirror.set_damaged([b])
        assert list(state.mirror.written()) == [WrittenFile(a, "/a", digest_of_file("/a"), "10:2")]
        assert dirty(state) == {"/b"}
        assert state.mirror.page(b).digest == ""
        state.mirror.distrust("/a")
        assert [file.stamp for file in state.mirror.written()] == [""]

    def test_removed_pages_go_wholly_and_skipped_ones_keep_their_place(self, project: ProjectState) -> None:
        with project.open("main") as state:
            chunked(state, "/gone", "one")
            chunked(state, "/skipped", "two")
            chunked(state, "/stays", "three")
        with project.open("main") as state:
            state.pages.see(["/skipped", "/stays"])
            state.pages.remove_unseen()
            skipped = extracted(state, "/skipped", skip="noindex")
            leaving = state.mirror.leaving()
            assert [url for _, url in leaving.removed] == ["/gone"]
            assert leaving.skipped == [(skipped, "/skipped")]
            state.mirror.drop(leaving)
            assert state.mirror.leaving() == Leaving([], [])
            assert state.pages.see(["/gone"]) == {}
            assert state.chunks.count() == (1, 1)
            assert [url for url, _ in state.mirror.digests()] == ["/stays"]
            assert not dirty(state)

    def test_the_mirror_is_swept_once_and_only_where_every_page_is_known(self, state: ScopeState) -> None:
        extracted(state, "/a")
        assert not state.mirror.must_sweep()
        state.pages.set_complete()
        assert state.mirror.must_sweep()
        state.mirror.set_swept()
        assert not state.mirror.must_sweep()

    def test_files_of_no_page_are_named_in_their_order(self, state: ScopeState) -> None:
        listed(state, "/b")
        extracted(state, "/a")
        extracted(state, "/skipped", skip="noindex")
        names = iter(["z.md", "a.md", "skipped.md", "b.md", "c.md"])
        unknown = state.mirror.unknown_files(names, lambda url: f"{url[1:]}.md")
        assert list(unknown) == ["z.md", "skipped.md", "c.md"]
