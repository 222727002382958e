"""Contract of the state for the problems of pages."""

from searchsocket.state.inventory import Problem
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import chunked, extracted, mirrored, number


class TestProblems:
    """Problems last as long as what they are of."""

    def test_problems_come_by_url_and_in_the_order_in_which_they_were_found(self, state: ScopeState) -> None:
        for url in ("/b", "/a"):
            state.problems.replace(extracted(state, url), "page", ["second comes first", "and so on"])
        assert state.problems.count("page") == 4
        assert state.problems.first("page", 3) == [
            Problem("/a", "second comes first"),
            Problem("/a", "and so on"),
            Problem("/b", "second comes first"),
        ]

    def test_a_part_is_replaced_and_the_other_stays(self, state: ScopeState) -> None:
        page = mirrored(state, "/a")
        state.problems.replace(page, "page", ["odd"])
        state.problems.replace(page, "chunks", ["cut"])
        state.problems.replace(page, "page", [])
        assert state.problems.first("page", 9) == []
        assert state.problems.first("chunks", 9) == [Problem("/a", "cut")]

    def test_problems_of_chunks_go_with_them(self, state: ScopeState) -> None:
        chunked(state, "/a", "one")
        page = number(state, "/a")
        state.problems.replace(page, "page", ["odd"])
        state.problems.replace(page, "chunks", ["cut"])
        extracted(state, "/a", skip="noindex")
        state.mirror.drop(state.mirror.leaving())
        assert (state.problems.count("page"), state.problems.count("chunks")) == (1, 0)

    def test_a_page_that_is_gone_has_none(self, project: ProjectState) -> None:
        with project.open("main") as state:
            state.problems.replace(extracted(state, "/a"), "page", ["odd"])
            extracted(state, "/b")
        with project.open("main") as state:
            state.pages.see(["/b"])
            state.pages.remove_unseen()
            assert state.problems.count("page") == 0
            state.mirror.drop(state.mirror.leaving())
            assert state.problems.first("page", 9) == []

    def test_scopes_have_their_own(self, project: ProjectState) -> None:
        for scope in ("main", "preview"):
            with project.open(scope) as state:
                state.problems.replace(extracted(state, "/a"), "page", [f"odd in {scope}"])
        with project.open("preview") as state:
            assert state.problems.first("page", 9) == [Problem("/a", "odd in preview")]
