"""Pages that say the same are one result, and generated listings are below guides."""

from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.results import short_title
from searchsocket.search.ranking.signals import is_listing

NOTE = (
    "A lantern that was lit twice leaked oil into the hold. Whoever carries one has to change its wick at once, since "
    "the oil burns through the seal. The keeper of Hook found it first and told the yard in May."
)
OTHER = (
    "Lanterns of the old harbour hang from iron hooks, leak little and are trimmed by the keeper each evening at six."
)


def notes(*urls: str) -> list[Piece]:
    return [Piece(url, NOTE, title="Notes") for url in urls]


def test_the_best_of_pages_that_say_the_same_stands_for_all(tmp_path: Path) -> None:
    """Duplicates are named in the result, and other pages move up."""
    site = make_site(tmp_path, [*notes("/1.4", "/1.5", "/1.6"), Piece("/harbour", OTHER)])
    results = site.engine.search(SearchQuery("lantern leaked oil keeper", 2), MAIN).results
    assert [result.url for result in results] == ["/1.4", "/harbour"]
    assert [(page.url, page.href, page.title) for page in results[0].alike] == [
        ("/1.5", "/1.5", "Notes"),
        ("/1.6", "/1.6", "Notes"),
    ]
    assert results[1].alike == ()


def test_passages_that_only_answer_alike_stay(tmp_path: Path) -> None:
    """Of equal words in another order each is read on its own."""
    words = NOTE.split()
    site = make_site(tmp_path, [Piece("/a", " ".join(words)), Piece("/b", " ".join(sorted(words)))])
    results = site.engine.search(SearchQuery("lantern leaked oil keeper"), MAIN).results
    assert [(result.url, result.alike) for result in results] == [("/a", ()), ("/b", ())]


def test_pieces_of_one_page_are_no_copies_of_each_other(tmp_path: Path) -> None:
    pieces = [Piece("/a", OTHER, section=section, ordinal=number) for number, section in enumerate(["One", "Two"])]
    results = make_site(tmp_path, pieces).engine.search(SearchQuery("lanterns", group_by="chunk"), MAIN).results
    assert [(result.anchor, result.alike) for result in results] == [("one", ()), ("two", ())]


LISTED = [
    Piece("/far", "Ropes and nets of the yard, and a lantern."),
    Piece("/farther", "Hooks and oars."),
    Piece("/_modules/lamp", "lantern wick set_wick lantern wick", title="Source code for lamp"),
    Piece("/guide", "The wick of a lantern is what set_wick replaces."),
]


@pytest.mark.parametrize(("q", "first"), [("lantern wick", "/guide"), ("lantern wick set_wick", "/_modules/lamp")])
def test_a_listing_is_below_guides_unless_an_identifier_is_asked_for(tmp_path: Path, q: str, first: str) -> None:
    site = make_site(tmp_path, LISTED)
    assert site.engine.search(SearchQuery(q), MAIN).results[0].url == first


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/docs/_modules/a/b", True),
        ("/_sources/index.rst", True),
        ("/genindex", True),
        ("/py-modindex.html", True),
        ("/src/lamp/wick.rs", True),
        ("/lamp_8h_source", True),
        ("/api/index-all", True),
        ("/tags/rope", True),
        ("/blog/tags", True),
        ("/de/category/knots", True),
        ("/archive/2024", True),
        ("/blog/page/2", True),
        ("/docs/tags", False),
        ("/docs/git-tag", False),
        ("/page/about", False),
        ("/docs/modules", False),
        ("/src/guide", False),
        ("/indexing", False),
        ("/", False),
    ],
)
def test_listings_are_known_by_their_path(url: str, expected: bool) -> None:
    assert is_listing(url) is expected


def test_a_long_title_is_cut_where_it_is_shown(tmp_path: Path) -> None:
    title = "Lanterns " * 40
    result = make_site(tmp_path, [Piece("/a", OTHER, title=title, section=title)]).engine.search(
        SearchQuery("harbour hooks"), MAIN
    )
    top_result = result.results[0]
    assert (
        top_result.title
        == top_result.section_title
        == top_result.sections[0].title
        == ("Lanterns " * 13).rstrip() + "…"
    )
    assert short_title("x" * 200) == "x" * 119 + "…"
    assert short_title("x" * 120) == "x" * 120
