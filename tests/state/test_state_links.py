"""Contract of the state for links between pages."""

from searchsocket.content.pages import ExtractedPage
from searchsocket.state.links import LinkCounts
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import dirty, extracted, listed, mirrored, number, write


def settled(state: ScopeState, *urls: str) -> None:
    """Every link means the page of its target, if that is searchable; no page is dirty."""
    for target, before in state.links.open_targets().items():
        state.links.resolve(target, before, target if state.links.is_searchable(target) else "")
    state.links.set_resolved()
    for url in urls:
        write(state, number(state, url), "digest")


class TestLinks:
    """Links that must be resolved, and their counts."""

    def test_each_target_is_looked_up_once_and_not_again(self, state: ScopeState) -> None:
        extracted(state, "/a", "/b", "/b", "/nowhere")
        extracted(state, "/b", "/nowhere")
        assert state.links.open_targets() == {"/nowhere": None}  # `/b` is a page
        settled(state, "/a", "/b")
        assert state.links.open_targets() == {}

    def test_a_link_leads_to_searchable_pages_alone(self, state: ScopeState) -> None:
        extracted(state, "/a")
        extracted(state, "/skipped", skip="noindex")
        extracted(state, "/moved", skip="redirect", redirect_to="/a")
        listed(state, "/listed")
        urls = ("/a", "/skipped", "/moved", "/listed", "/nowhere")
        assert [url for url in urls if state.links.is_searchable(url)] == ["/a"]
        assert [state.links.redirect_of(url) for url in urls] == [None, None, "/a", None, None]

    def test_links_count_once_a_page_and_never_from_itself(self, state: ScopeState) -> None:
        a = extracted(state, "/a", "/a", "/b")
        b = extracted(state, "/b", "/a", "/a", "/nowhere")
        settled(state)
        assert state.links.counts(a, "/a", 10) == LinkCounts(1, 1, ["to /a"])
        assert state.links.counts(b, "/b", 10) == LinkCounts(1, 1, ["to /b"])

    def test_texts_come_in_order_and_not_above_the_limit(self, state: ScopeState) -> None:
        a = extracted(state, "/a")
        for url, target in (("/b", "/a/?2"), ("/c", "/a/?1"), ("/d", "/a/?3")):
            extracted(state, url, target)
            state.links.resolve(target, None, "/a")
        assert state.links.counts(a, "/a", 2) == LinkCounts(3, 0, ["to /a/?1", "to /a/?2"])

    def test_pages_at_both_ends_of_a_resolved_link_become_dirty(self, state: ScopeState) -> None:
        mirrored(state, "/a", "/b")
        mirrored(state, "/b")
        mirrored(state, "/c", "/nowhere")
        assert not dirty(state)
        extracted(state, "/a", "/b")
        assert dirty(state) == {"/a", "/b"}
        settled(state, "/a", "/b")
        state.links.resolve("/nowhere", "", "/a")
        assert dirty(state) == {"/a", "/c"}

    def test_a_page_that_comes_is_found_by_links_to_nowhere(self, state: ScopeState) -> None:
        extracted(state, "/a", "/later")
        settled(state, "/a")
        assert state.links.open_targets() == {}  # nothing came or went
        extracted(state, "/later")
        assert state.links.open_targets() == {"/later": ""}
        settled(state, "/later")
        assert dirty(state) == {"/a"}

    def test_a_page_that_goes_is_lost_by_links_to_it(self, project: ProjectState) -> None:
        with project.open("main") as state:
            mirrored(state, "/a", "/b")
            mirrored(state, "/b")
            settled(state, "/a", "/b")
        with project.open("main") as state:
            state.pages.see(["/a"])
            state.pages.remove_unseen()
            assert state.links.open_targets() == {"/b": "/b"}
            settled(state)
            assert dirty(state) == {"/a"}

    def test_a_page_that_becomes_a_redirect_is_lost_too(self, state: ScopeState) -> None:
        mirrored(state, "/a", "/b")
        b = mirrored(state, "/b")
        settled(state, "/a", "/b")
        state.extracts.put(b, b"key", ExtractedPage(title="Moved", body="", skip="redirect", redirect_to="/c"))
        assert state.links.open_targets() == {"/b": "/b"}
