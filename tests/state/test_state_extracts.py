"""Contract of the state for the pages' contents."""

from searchsocket.content.chunking.records import hash_of
from searchsocket.content.pages import ExtractedPage
from searchsocket.state.extracts import Census, extract_key
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import HOW, dirty, extracted, listed, mirrored, number, raw, write


class TestExtracts:
    """Pages that must be extracted again, and the stored contents."""

    def test_only_what_changed_is_stale(self, state: ScopeState) -> None:
        listed(state, "/c", "/b")
        extracted(state, "/a")
        assert [page.raw.url for page in state.extracts.pages(state.extracts.stale(HOW, everything=False))] == [
            "/b",
            "/c",
        ]
        assert len(state.extracts.stale("another extractor", everything=False)) == 3
        assert len(state.extracts.stale(HOW, everything=True)) == 3
        listed(state, "/a", text="edited")
        assert number(state, "/a") in state.extracts.stale(HOW, everything=False)

    def test_a_page_that_is_forgotten_is_stale_and_has_no_stamp(self, project: ProjectState) -> None:
        with project.open("main") as state:
            extracted(state, "/a")
            extracted(state, "/b")
        version = project.version()
        assert version == project.version()
        with project.open("main") as state:
            state.extracts.forget(["/a", "/none"])
        assert project.version() != version
        listed_now = project.listed("main")
        assert {url: (page.stamp, page.is_cut) for url, page in listed_now.items()} == {
            "/a": ("", False), "/b": (raw("/b").stamp, True),
        }  # fmt: skip
        assert project.listed("other") == {}

    def test_a_page_of_a_number_is_what_was_listed(self, state: ScopeState) -> None:
        listed(state, "/a")
        [page] = state.extracts.pages([number(state, "/a")])
        assert (page.raw, page.raw_hash, page.bytes) == (raw("/a"), hash_of("/a"), 2)

    def test_extracts_of_another_scope_are_reused(self, project: ProjectState) -> None:
        """From the same bytes at the same place alone, with its links in their order."""
        with project.open("main") as state:
            extracted(state, "/a", "/z", "/b", body="the fjord ÆØÅ 🐳", redirect_to="/r")
        with project.open("preview") as state:
            listed(state, "/a", "/other")
            page, other = state.extracts.pages(state.extracts.stale(HOW, everything=True))
            key = extract_key(page.raw, page.raw_hash, HOW)
            same = state.extracts.same_elsewhere(page, key)
            assert same is not None
            assert (same.title, same.body, same.tags, same.redirect_to) == (
                "Title of /a",
                "the fjord ÆØÅ 🐳",
                ("boats",),
                "/r",
            )
            assert [(link.target, link.text) for link in same.links] == [("/z", "to /z"), ("/b", "to /b")]
            assert state.extracts.same_elsewhere(page, extract_key(page.raw, page.raw_hash, "another way")) is None
            assert state.extracts.same_elsewhere(other, key) is None

    def test_a_page_is_not_its_own_elsewhere(self, state: ScopeState) -> None:
        extracted(state, "/a")
        [page] = state.extracts.pages([number(state, "/a")])
        assert state.extracts.same_elsewhere(page, extract_key(page.raw, page.raw_hash, HOW)) is None

    def test_a_skipped_page_is_not_searchable_and_is_counted_by_its_reason(self, state: ScopeState) -> None:
        skipped, mirrored_page = extracted(state, "/a", skip="noindex"), mirrored(state, "/b")
        listed(state, "/not-yet-extracted")
        assert not state.extracts.is_searchable(skipped)
        assert state.extracts.is_searchable(mirrored_page)
        assert not state.extracts.is_searchable(number(state, "/not-yet-extracted"))
        assert {*state.extracts.census()} == {Census("noindex", "", 1), Census("", "exact", 1)}

    def test_newer_bytes_than_listed_are_looked_at_again(self, state: ScopeState) -> None:
        page_id = extracted(state, "/a")
        state.extracts.rewritten(page_id, "newer")
        page = state.pages.see(["/a"])["/a"]
        assert (page.stamp, page.raw_hash) == ("", "newer")

    def test_a_sample_is_of_mirrored_pages_and_always_the_same(self, state: ScopeState) -> None:
        for url in ("/a", "/b", "/c"):
            mirrored(state, url)
        extracted(state, "/only-extracted")
        sample = state.extracts.sample(2)
        assert {item.extract_key for item in sample} <= {
            extract_key(raw(url), hash_of(url), HOW) for url in ("/a", "/b", "/c")
        }
        assert sample == state.extracts.sample(2)
        assert len({record.page.url for record in state.extracts.sample(9)}) == 3

    def test_pages_without_an_exact_route_are_named(self, state: ScopeState) -> None:
        mirrored(state, "/a")
        for url in ("/c", "/b"):
            state.mirror.set_written(
                extracted(state, url), digest="d", stamp="", generated_at="", route_resolution="best-effort"
            )
        assert list(state.extracts.without_exact_route()) == [("/b", "best-effort"), ("/c", "best-effort")]

    def test_pages_at_the_far_end_of_links_become_dirty(self, state: ScopeState) -> None:
        """Their counts may change: what was linked before, and what is not any more."""
        far = mirrored(state, "/far")
        near = mirrored(state, "/near", "/far")
        for page_id in (near, far):
            write(state, page_id, "digest")
        assert not dirty(state)
        state.extracts.put(near, b"key", ExtractedPage(title="No link", body="any more"))
        assert dirty(state) == {"/near", "/far"}
