"""Contract of the state for the difference between chunks and live index."""

from dataclasses import replace

from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import (
    chunked,
    cut,
    extracted,
    generation,
    listed,
    mirrored,
    number,
)  # fmt: skip


class TestPublished:
    """Changes since the live generation, by any process."""

    def test_before_the_first_publish_no_record_is_live(self, state: ScopeState) -> None:
        chunked(state, "/a", "one", "two")
        assert list(state.published.changes()) == []
        assert not state.published.is_of(None)
        assert not state.published.is_of(generation(2))

    def test_every_way_of_changing_chunks_is_seen(self, project: ProjectState) -> None:
        with project.open("main") as state:
            chunked(state, "/a", "one", "two")
            for url, text in (("/b", "three"), ("/c", "four")):
                chunked(state, url, text)
            state.published.set(generation(4))
        with project.open("main") as state:
            old = {url: cut(url, *texts)[0].record for url, *texts in (("/a", "one"), ("/b", "three"), ("/c", "four"))}
            assert chunked(state, "/a", "one, edited", "two") == 1
            state.pages.see(["/a", "/c"])
            state.pages.remove_unseen()
            extracted(state, "/c", skip="noindex")
            state.mirror.drop(state.mirror.leaving())  # /b with its page, /c without
            chunked(state, "/d", "five")
            new = {url: cut(url, *texts)[0].record for url, *texts in (("/a", "one, edited"), ("/d", "five"))}
            second = cut("/a", "one", "two")[1].record
            assert list(state.published.changes()) == sorted(
                [
                    (old["/a"].id, new["/a"].record_hash, old["/a"].record_hash),
                    (second.id, second.record_hash, second.record_hash),
                    (old["/b"].id, None, old["/b"].record_hash),
                    (old["/c"].id, None, old["/c"].record_hash),
                    (new["/d"].id, new["/d"].record_hash, None),
                ],
                key=lambda change: change[0],
            )
            assert state.published.is_of(generation(4))
            assert state.chunks.count() == (3, 2)

    def test_live_records_stay_known_after_any_number_of_edits(self, state: ScopeState) -> None:
        chunked(state, "/a", "one")
        state.published.set(generation(1))
        live = cut("/a", "one")[0].record.record_hash
        for text in ("two", "three"):
            chunked(state, "/a", text)
        [change] = state.published.changes()
        assert change[1:] == (cut("/a", "three")[0].record.record_hash, live)
        chunked(state, "/a")
        chunked(state, "/e", "came and went")
        chunked(state, "/e")
        assert [change[1:] for change in state.published.changes()] == [(None, live)]
        assert state.published.is_of(generation(1))

    def test_another_generation_is_not_the_one_that_was_published(self, state: ScopeState) -> None:
        chunked(state, "/a", "one")
        live = generation(1)
        state.published.set(live)
        assert state.published.is_of(live)
        for other in (None, replace(live, name="20260102T000000Z-abcdef"), replace(live, digest="other")):
            assert not state.published.is_of(other)
        assert not state.published.is_of(replace(live, records=2))  # what was kept does not fit
        state.published.set(None)
        assert not state.published.is_of(live)

    def test_texts_of_changed_chunks_are_told_once(self, state: ScopeState) -> None:
        chunked(state, "/a", "one", "two")
        state.published.set(generation(2))
        chunked(state, "/b", "two", "three", "three")
        texts = list(state.published.changed_texts())
        assert [text.content_hash for text in texts] == sorted({text.content_hash for text in texts})
        assert {*state.chunks.texts_at([text.position for text in texts])} == {"two", "three"}

    def test_scopes_are_kept_apart(self, project: ProjectState) -> None:
        with project.open("main") as state, project.open("preview") as other:
            chunked(state, "/a", "one")
            state.published.set(generation(1))
            chunked(other, "/a", "x", "y")
            assert list(state.published.changes()) == list(other.published.changes()) == []

    def test_records_go_only_where_every_page_is_known_and_cut(self, state: ScopeState) -> None:
        """A state that was lost knows nothing, and must not empty the index."""
        assert not state.published.may_delete()
        state.pages.set_complete()
        assert state.published.may_delete()
        for step, may in (
            (lambda: listed(state, "/a"), False),
            (lambda: mirrored(state, "/a"), False),
            (lambda: chunked(state, "/a", "one"), True),
            (lambda: extracted(state, "/b", skip="noindex"), True),
        ):
            step()
            assert state.published.may_delete() == may

    def test_the_size_of_the_cache_is_remembered(self, project: ProjectState) -> None:
        with project.open("main") as state:
            assert state.published.cache_size() == -1
            state.published.set_cache_size(7)
        with project.open("main") as state:
            assert state.published.cache_size() == 7

    def test_numbers_of_pages_stay_while_chunks_change(self, state: ScopeState) -> None:
        chunked(state, "/a", "one")
        before = number(state, "/a")
        chunked(state, "/a", "two")
        assert number(state, "/a") == before
