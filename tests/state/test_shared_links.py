"""Links are stored once for all scopes, and each scope says where they lead."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchsocket.content.pages import ExtractedPage, Link
from searchsocket.pipeline.stages.page_mirror import resolve_links
from searchsocket.state.extracts import extract_key
from searchsocket.state.links import LinkCounts, LinkToNowhere
from searchsocket.state.project import ProjectState
from tests.state.building import HOW, dirty, extracted, listed, number, write

Pages = dict[str, tuple[list[str], str]]  # links of each page, and where it redirects to
_URLS = [f"/{name}" for name in "abcde"]
_PAGES = st.dictionaries(
    st.sampled_from(_URLS),
    st.tuples(st.lists(st.sampled_from([*_URLS, "/a.html", "/gone"]), max_size=3), st.sampled_from(["", "", "/b"])),
)
_COUNTED = ("contents", "bodies", "links", "resolutions")


def counts(project: ProjectState) -> list[int]:
    with closing(sqlite3.connect(project.file)) as db:
        return [db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in _COUNTED]


def test_links_of_equal_pages_are_stored_once_and_as_long_as_a_scope_has_them(project: ProjectState) -> None:
    for scope in ("main", "preview"):
        with project.open(scope) as state:
            extracted(state, "/a", "/b", "/gone")
            resolve_links(state)
    assert counts(project) == [1, 1, 2, 4]
    project.forget("main")
    assert counts(project) == [1, 1, 2, 2]
    with project.open("preview") as state:
        extracted(state, "/a", "/c")
    assert counts(project)[:3] == [1, 1, 1]
    project.forget("preview")
    assert counts(project) == [0, 0, 0, 0]


def test_a_target_leads_to_another_page_in_another_scope(project: ProjectState) -> None:
    """The page with the link is the same in all of them."""
    pages: dict[str, dict[str, str] | None] = {
        "plain": {},
        "moved": {"skip": "redirect", "redirect_to": "/c"},
        "gone": None,
    }
    for scope, target in pages.items():
        with project.open(scope) as state:
            a, c = extracted(state, "/a", "/b"), extracted(state, "/c")
            if target is not None:
                extracted(state, "/b", **target)
            resolve_links(state)
            assert state.links.counts(a, "/a", 9).outgoing == (scope != "gone")
            assert state.links.counts(c, "/c", 9).incoming == (scope == "moved")
            assert list(state.links.to_nowhere()) == ([LinkToNowhere("/b", "/a")] if scope == "gone" else [])
    with project.open("plain") as state:
        assert state.links.counts(number(state, "/b"), "/b", 9).texts == ["to /b"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(["main", "preview"]), _PAGES), min_size=2, max_size=5))
def test_links_lead_where_they_would_in_a_state_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Pages]]
) -> None:
    """Whatever came and went before, here and in other scopes; and only pages that were dirty count other links."""
    project = ProjectState(tmp_path_factory.mktemp("state"))
    before: dict[str, dict[str, LinkCounts]] = {}
    for scope, pages in steps:
        counted, dirty, origin = run(project, scope, pages)
        assert counted == run(ProjectState(tmp_path_factory.mktemp("alone")), scope, pages)[0]
        last = {**before.get(origin, {}), **before.get(scope, {})}
        assert {url for url, counts in counted.items() if counts != last.get(url)} <= dirty
        before[scope] = counted


def run(project: ProjectState, scope: str, pages: Pages) -> tuple[dict[str, LinkCounts], set[str], str]:
    """The counts of each searchable page after a run over these pages, the dirty ones, and the origin."""
    with project.open(scope) as state:
        for url, (links, redirect_to) in pages.items():
            listed(state, url, text=f"{links}{redirect_to}")
        state.pages.remove_unseen()
        state.origin.take_pages(HOW)
        for page in state.extracts.pages(state.extracts.stale(HOW, everything=False)):
            links, redirect_to = pages.get(page.raw.url, ([], ""))
            facts = {"skip": "redirect", "redirect_to": redirect_to} if redirect_to else {}
            result = tuple(Link(target, f"to {target}") for target in links)
            state.extracts.put(
                page.id,
                extract_key(page.raw, page.raw_hash, HOW),
                ExtractedPage(title="", body="", links=result, **facts),
            )
        resolve_links(state)
        state.mirror.drop(state.mirror.leaving())
        changed = dirty(state)
        for page_id in state.mirror.dirty():
            write(state, page_id, "digest")
        urls = [url for url, (_, redirect_to) in pages.items() if not redirect_to]
        return {url: state.links.counts(number(state, url), url, 99) for url in urls}, changed, state.origin.name()
