"""Contract of the state for page titles."""

from dataclasses import replace

import pytest

from searchsocket.content.chunking.records import hash_of
from searchsocket.content.html.site_wide import HeadingCount, SiteTitles
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import dirty, extracted, number, raw, write


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


def is_settled(state: ScopeState) -> tuple[bool, bool, bool]:
    """Return True for titles, languages and versions if nothing that they depend on changed."""
    return state.titles.settled() is not None, state.languages.is_settled(), state.versions.is_settled("inputs")


class TestSetOfPages:
    """Titles, languages and versions of all pages are decided again only if what they depend on changed."""

    @pytest.fixture
    def settled(self, state: ScopeState) -> ScopeState:
        extracted(state, "/a", title="A", body="old")
        extracted(state, "/b", title="B", body="old")
        state.versions.settle("inputs", (), {}, compares_texts=False)
        state.titles.set_site(SiteTitles(frozenset(["Acme"]), "", " | Acme"), "")
        assert is_settled(state) == (False, False, False)
        state.links.set_resolved()
        assert is_settled(state) == (True, True, True)
        return state

    def test_a_new_text_changes_none_of_them(self, settled: ScopeState) -> None:
        """Deciding them again took a tenth of a run in which one of 10,000 pages had changed."""
        extracted(settled, "/a", "/b", title="A", body="new")
        assert is_settled(settled) == (True, True, True)
        assert settled.titles.settled() == SiteTitles(frozenset(["Acme"]), "", " | Acme")

    def test_a_new_text_may_change_versions_that_compare_texts(self, settled: ScopeState) -> None:
        for url in ("/a", "/b"):
            write(settled, number(settled, url), "digest")
        settled.versions.settle("inputs", (), {}, compares_texts=True)
        assert settled.versions.is_settled("inputs")
        extracted(settled, "/a", title="A", body="new")
        assert is_settled(settled) == (True, True, False)

    @pytest.mark.parametrize("fact", ["heading", "head_title", "title", "version", "canonical", "language", "skip"])
    def test_each_other_fact_may_change_them(self, settled: ScopeState, fact: str) -> None:
        extracted(settled, "/a", **{"title": "A", "body": "old", fact: "/other"})  # type: ignore[arg-type]
        assert is_settled(settled) == (False, False, False)

    def test_pages_that_come_may_change_them(self, settled: ScopeState) -> None:
        extracted(settled, "/c", title="C")
        assert is_settled(settled) == (False, False, False)

    def test_another_address_may_change_them(self, settled: ScopeState) -> None:
        before = settled.pages.see(["/a"])["/a"]
        settled.pages.put(replace(raw("/a"), address="/a.html"), hash_of("/a"), 2, before)
        assert is_settled(settled) == (False, False, False)

    def test_other_inputs_change_the_versions_and_all_that_follows_them(self, settled: ScopeState) -> None:
        assert not settled.versions.is_settled("others")
        settled.versions.settle("others", (), {}, compares_texts=False)
        assert is_settled(settled)[:2] == (False, False)
