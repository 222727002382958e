"""Neighbouring words of a query count more where a passage has them side by side."""

from pathlib import Path

import pytest
from memory_store.words import WordsOfRecords
from search_site import MAIN, Piece, make_site, record_of

from searchsocket.search.query import SearchQuery

SITE = (
    Piece("/beside", "Draw the scroll position again. A list of garden lamps follows.", "Beside"),
    Piece("/apart", "The position of a lamp, of whatever garden: scroll to the end of the list.", "Apart"),
    Piece("/code", "```js\nscrollPosition(garden.lamps)\n```", "Code"),
    Piece("/named", "## Scroll position\n\nOf garden lamps.", "Named"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scroll position", [1.0, 0.0, 1.0, 1.0]),  # also as one name
        ("scrolling positions", [1.0, 0.0, 1.0, 1.0]),  # in whatever ending
        ("position scroll", [0.0, 0.0, 0.0, 0.0]),
        ("list of lamps", [0.0, 0.0, 0.0, 0.0]),  # two words between
        ("list garden", [1.0, 0.0, 0.0, 0.0]),  # one
        ("scroll position garden lamps", [2 / 3, 0.0, 1.0, 1.0]),
        ("scroll", [0.0] * 4),
        ("the", [0.0] * 4),
        ("", [0.0] * 4),
        ("nowhere scroll position", [0.5, 0.0, 0.5, 0.5]),
    ],
)
def test_pairs_are_found_in_names_and_texts_of_every_store(tmp_path: Path, text: str, expected: list[float]) -> None:
    reader = make_site(tmp_path, SITE).store.reader(MAIN)
    ids = [record.id for piece in SITE for record in reader.catalogue.page_records(piece.url)]
    assert reader.words.neighbours(text, ids) == pytest.approx(expected, abs=1e-3)
    assert reader.words.neighbours(text, ids[::-1]) == pytest.approx(expected[::-1], abs=1e-3)
    assert reader.words.neighbours(text, []) == []
    assert WordsOfRecords(map(record_of, SITE)).neighbours(text, ids) == pytest.approx(expected, abs=1e-3)


def test_pairs_that_stand_everywhere_are_found_where_they_are_looked_for(tmp_path: Path) -> None:
    pieces = [Piece(f"/{n:03}", "Mind the scroll position." if n else "Position, then scroll.") for n in range(300)]
    reader = make_site(tmp_path, pieces).store.reader(MAIN)
    ids = [reader.catalogue.page_records(f"/{n:03}")[0].id for n in (299, 0, 150)]
    assert reader.words.neighbours("scroll position", ids) == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("group_by", ["page", "chunk"])
def test_a_passage_that_has_them_so_comes_first(tmp_path: Path, group_by: str) -> None:
    site = make_site(tmp_path, SITE[:2])
    query = SearchQuery("where is the scroll position of a garden lamp", group_by=group_by, explain=True)  # type: ignore[arg-type]
    first, second = site.engine.search(query, MAIN).results
    assert first.url == "/beside"
    assert first.explanation
    assert second.explanation
    assert first.explanation.exact > second.explanation.exact
