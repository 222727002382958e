"""Posts, notes of releases and steps of upgrades stand a little below the guides that they are about."""

from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.signals import asks_for_dated_page, is_dated_page

GUIDE, POST = "/learn/the/lanterns", "/blog/lanterns"
TEXT = "A lantern is lit with a taper and hung above the door."


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (POST, True),
        ("/2024/05/lanterns", True),
        ("/2023-04-05-lanterns", True),
        ("/blog/second", True),
        ("/use/migrate-to-9.0.0", True),
        ("/migration/slots", True),
        ("/about/releases", True),
        ("/release-15-2.html", True),
        ("/releases/3.2", True),
        ("/changelog", True),
        ("/whatsnew/3.12", True),
        ("/blog", False),  # the index of a blog leads anywhere
        ("/guides/release-process/steps", False),
        ("/api/upgrades", False),
        ("/guides/release-process", False),
        ("/topics/migrations", False),
        ("/upgrading", True),
        ("/release-notes-4.html", True),
        ("/news-reader/install", False),
        ("/v2024/05", False),
        ("/", False),
    ],
)
def test_occasions_are_known_by_their_path(url: str, expected: bool) -> None:
    assert is_dated_page(url) is expected


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("what changed in the lanterns", True),
        ("upgrade guide", True),
        ("lanterns 2024", True),
        ("removed options", True),
        ("how to hang a lantern", False),
        ("renew a taper", False),
    ],
)
def test_words_of_the_query_show_a_question_about_an_event(q: str, expected: bool) -> None:
    assert asks_for_dated_page(q) is expected


def test_a_guide_is_above_the_post_about_it_unless_that_is_asked_for(tmp_path: Path) -> None:
    """Both say the same, and the post has the shorter path."""
    pieces = [
        Piece(GUIDE, TEXT, title="Light"),
        Piece(POST, TEXT, title="Light"),
        Piece("/other", "Nothing of that kind is on this page.", title="Other"),
    ]
    engine = make_site(tmp_path, pieces).engine
    for q, first in (("lantern taper door", GUIDE), ("new lantern taper door", POST)):
        assert engine.search(SearchQuery(q), MAIN).results[0].url == first
