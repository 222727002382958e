"""Words in examples of code do not make an answer sure; in names and sentences they do."""

from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.confidence import WEAK
from searchsocket.search.result_confidence import is_covered, is_named
from searchsocket.stores.base.index_reader import ReadableRecord

RECIPES = "Pass the list on.\n\n```js\nconst recipes = ['boil sweet potatoes', 'vegan lasagna']\n```"
LISTS = "A list is drawn once, and its items keep their keys."


def passages(folder: Path, *pieces: Piece) -> list[ReadableRecord]:
    reader = make_site(folder, list(pieces)).store.reader(MAIN)
    results = [record.id for piece in pieces for record in reader.catalogue.page_records(piece.url)]
    return reader.catalogue.readable(results)


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("how to boil sweet potatoes", False),  # all of it is there, in an example
        ("a list of potatoes to boil", False),  # a third
        ("keys of a list of potatoes", True),  # another passage says two of three
        ("rendering lists", True),  # the title
        ("the", True),
    ],
)
def test_names_and_sentences_say_what_is_asked(tmp_path: Path, q: str, expected: bool) -> None:
    result = passages(tmp_path, Piece("/a", RECIPES, "Rendering"), Piece("/b", LISTS, "Items"))
    assert is_covered(q, result) is expected


def test_code_alone_is_not_judged(tmp_path: Path) -> None:
    assert is_covered("how to boil rice", passages(tmp_path, Piece("/a", "```js\nboil(potatoes)\n```", "boil.js")))


def test_an_answer_of_examples_alone_is_weak_on_every_page_of_results(tmp_path: Path) -> None:
    site = make_site(tmp_path, [Piece("/a", RECIPES, "Rendering"), Piece("/b", LISTS, "Items")])
    for query in (
        SearchQuery("vegan lasagna"),
        SearchQuery("vegan lasagna", offset=9),
        SearchQuery("vegan lasagna", group_by="chunk"),
    ):
        answer = site.engine.search(query, MAIN)
        assert answer.quality == "weak"
        assert all(result.confidence <= WEAK for result in answer.results)
    assert site.engine.search(SearchQuery("pass the list on"), MAIN).quality == "answered"


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("call vs fork", True),
        ("difference between call and fork", True),
        ("how to install", False),
        ("call of the wild north west passage", False),  # a seventh of it
        ("PERMISSION_DENIED versus call", True),
    ],
)
def test_a_heading_that_is_a_part_of_the_query_names_it(tmp_path: Path, q: str, expected: bool) -> None:
    """Words that compare say nothing about what is compared."""
    named = passages(tmp_path, Piece("/effects", "It blocks.", "Effects", "call"))
    assert is_named(q, named) is expected


def test_vs_is_no_part_of_what_must_be_covered(tmp_path: Path) -> None:
    """Else one of two things, on a page of its own, is a third of the query and no more."""
    assert is_covered(
        "takeLatest vs takeEvery", passages(tmp_path, Piece("/a", "Use takeEvery for all.", "Concurrency"))
    )
