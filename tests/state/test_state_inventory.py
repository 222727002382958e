"""Contract of the state for the source's list of pages."""

from searchsocket.content.chunking.records import hash_of
from searchsocket.state.inventory import PageEntry, PageSize
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import HOW, extracted, listed, mirrored, number, raw


class TestInventory:
    """Current and removed pages."""

    def test_a_page_is_known_as_it_was_put(self, state: ScopeState) -> None:
        listed(state, "/a")
        assert state.pages.see(["/a", "/b"]) == {"/a": PageEntry("/a.html", "/a", "", "1", hash_of("/a"), False)}

    def test_pages_come_back_by_url_whatever_their_order_was(self, state: ScopeState) -> None:
        listed(state, "/c", "/a", "/b")
        assert list(state.pages.hashes()) == [(url, hash_of(url)) for url in ("/a", "/b", "/c")]
        assert state.pages.count() == 3

    def test_the_biggest_pages_are_told_by_size_then_url(self, state: ScopeState) -> None:
        listed(state, "/b", "/a", "/long/one")
        assert state.pages.biggest(2) == [PageSize("/long/one", 9, "/long/one.html"), PageSize("/a", 2, "/a.html")]

    def test_unseen_pages_are_removed_on_request(self, project: ProjectState) -> None:
        with project.open("main") as state:
            listed(state, "/a", "/b")
        with project.open("main") as state:
            state.pages.see(["/b", "/new"])
            assert (state.pages.count_unseen(), state.pages.count()) == (1, 2)
            state.pages.remove_unseen()
            assert state.pages.see(["/a"])["/a"].removed
            assert [url for url, _ in state.pages.hashes()] == ["/b"]

    def test_nothing_was_seen_before_anything_was_listed(self, project: ProjectState) -> None:
        """A stage that runs alone must not take an earlier listing for its own."""
        with project.open("main") as state:
            listed(state, "/a")
        with project.open("main") as state:
            assert state.pages.count_unseen() == 1

    def test_a_page_that_is_back_is_known_and_dirty(self, project: ProjectState) -> None:
        with project.open("main") as state:
            mirrored(state, "/a")
        with project.open("main") as state:
            state.pages.remove_unseen()
            listed(state, "/a")
            assert not state.pages.see(["/a"])["/a"].removed
            assert list(state.mirror.dirty()) == [number(state, "/a")]

    def test_another_served_url_needs_another_extract(self, state: ScopeState) -> None:
        """Links resolve against it."""
        extracted(state, "/a")
        before = state.pages.see(["/a"])["/a"]
        state.pages.put(raw("/a"), before.raw_hash, 2, before)
        assert number(state, "/a") not in state.extracts.stale(HOW, everything=False)
        page = raw("/a")
        state.pages.put(type(page)("/a", "/a/", page.locator, page.stamp), before.raw_hash, 2, before)
        assert list(state.extracts.stale(HOW, everything=False)) == [number(state, "/a")]

    def test_scopes_do_not_see_each_others_pages(self, project: ProjectState) -> None:
        with project.open("main") as state, project.open("preview") as other:
            listed(state, "/a")
            assert other.pages.see(["/a"]) == {}
            other.pages.remove_unseen()
            assert (state.pages.count(), other.pages.count()) == (1, 0)

    def test_the_branch_of_a_scope_is_remembered(self, project: ProjectState) -> None:
        assert project.branches() == {}
        with project.open("feature-a-12345678") as state, project.open("main"):
            state.pages.set_branch("feature/a")
        assert project.branches() == {"feature-a-12345678": "feature/a"}
