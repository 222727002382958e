"""Contract of the state for page titles."""

from searchsocket.content.html.site_titles import HeadingCount, SiteTitles
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import dirty, extracted, write


def titled(state: ScopeState, url: str, heading: str, head_title: str, skip: str = "") -> None:
    """A page whose file is right."""
    write(state, extracted(state, url, heading=heading, head_title=head_title, skip=skip), "digest")


class TestTitles:
    """Common h1s, and the pages whose title depends on them."""

    def test_pages_and_titles_of_common_h1s_are_counted(self, state: ScopeState) -> None:
        titled(state, "/a", "Acme", "A")
        titled(state, "/b", "Acme", "B")
        titled(state, "/c", "Acme", "B")
        titled(state, "/d", "Acme", "D", skip="noindex")
        titled(state, "/e", "Own", "E")
        titled(state, "/f", "", "F")
        assert state.titles.common(2) == [HeadingCount("Acme", 3, 2)]
        assert sorted(state.titles.head_titles()) == ["A", "B", "B", "E", "F"]
        titled(state, "/c", "Own", "E")
        assert sorted(state.titles.common(2)) == [HeadingCount("Acme", 2, 2), HeadingCount("Own", 2, 1)]

    def test_a_page_that_went_counts_no_more(self, project: ProjectState) -> None:
        with project.open("main") as state:
            titled(state, "/a", "Acme", "A")
            titled(state, "/b", "Acme", "B")
        with project.open("main") as state:
            state.pages.see(["/a"])
            state.pages.remove_unseen()
            state.mirror.drop(state.mirror.leaving())
            assert state.titles.common(1) == [HeadingCount("Acme", 1, 1)]
            assert list(state.titles.head_titles()) == ["A"]

    def test_only_pages_whose_title_may_change_become_dirty(self, state: ScopeState) -> None:
        for url, heading in {"/a": "Acme", "/b": "Overview", "/c": "Own", "/d": ""}.items():
            titled(state, url, heading, url)
        write_all = {"/a": "Acme", "/b": "Overview", "/c": "Own", "/d": ""}

        def dirty_after(*headings: str, end: str = "") -> set[str]:
            state.titles.set_site(SiteTitles(frozenset(headings), "", end), "")
            result = dirty(state)
            for url in result:
                titled(state, url, write_all[url], url)
            return result

        assert dirty_after("Acme") == {"/a"}
        assert dirty_after("Acme") == set()
        assert dirty_after("Acme", "Overview") == {"/b"}
        assert dirty_after("Acme", "Overview", end=" | Acme") == {"/a", "/b", "/c", "/d"}
        assert dirty_after("Overview", end=" | Acme") == {"/a"}
        assert dirty_after(end=" | Acme") == {"/b"}
