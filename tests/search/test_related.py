"""Pages near a page."""

from pathlib import Path

import pytest
from search_site import DOCS, MAIN, Piece, Site, make_site

from searchsocket.errors import InvalidRequest, PageNotFound, ScopeNotIndexed
from searchsocket.types import Scope


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("related"), DOCS)


def test_a_page_about_the_same_is_nearest(site: Site) -> None:
    answer = site.engine.related("/docs-old/battery", MAIN, top_k=3)
    assert answer.results[0].url == "/docs/battery"
    assert all(0 <= page.score <= 1 for page in answer.results)
    assert answer.generation == site.store.reader(MAIN).generation.name


def test_the_page_itself_and_hidden_pages_are_not_near_it(tmp_path: Path) -> None:
    pieces = [Piece("/a", "The same words."), Piece("/hidden", "The same words.", weight=0), Piece("/b", "Others.")]
    site = make_site(tmp_path, pieces)
    assert [page.url for page in site.engine.related("/a", MAIN).results] == ["/b"]


def test_links_and_neighbours_decide_between_equals(tmp_path: Path) -> None:
    """By meaning, links, structure."""
    pieces = [
        Piece("/guide/a", "Words here. See [the other](/far/linked) and [this](../far/relative#part)."),
        Piece("/far/plain", "Quite different text.", title="Same"),
        Piece("/far/linked", "Quite different text.", title="Same"),
        Piece("/far/relative", "Quite different text.", title="Same"),
        Piece("/guide/near", "Quite different text.", title="Same"),
    ]
    answer = make_site(tmp_path, pieces).engine.related("/guide/a", MAIN)
    assert [page.url for page in answer.results] == ["/far/linked", "/far/relative", "/guide/near", "/far/plain"]
    assert [page.is_linked for page in answer.results] == [True, True, False, False]
    assert [page.is_neighbour for page in answer.results] == [False, False, True, False]


def test_any_spelling_of_the_page_will_do(site: Site) -> None:
    assert site.engine.related("docs/battery/?x#y", MAIN).results == site.engine.related("/docs/battery", MAIN).results


@pytest.mark.parametrize(
    ("url", "top_k", "error"),
    [("/nothing", 5, PageNotFound), ("/a\x00", 5, InvalidRequest), ("/docs/battery", 0, InvalidRequest)],
)
def test_a_request_without_an_answer_is_an_error(site: Site, url: str, top_k: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        site.engine.related(url, MAIN, top_k)


def test_another_scope_is_not_looked_at(site: Site) -> None:
    with pytest.raises(ScopeNotIndexed):
        site.engine.related("/docs/battery", Scope("site", "other"))
