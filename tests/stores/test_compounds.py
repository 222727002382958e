"""Compounds that no document contains are found by their parts."""

from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from searchsocket.search.query import SearchQuery
from searchsocket.stores.words.evidence import split_compound
from searchsocket.text.words import stem

DOCUMENTS = "hintergrund aufgabe aufgaben verbindung fehler meldung pass port"
STEMS = frozenset(map(stem, DOCUMENTS.split()))


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("hintergrundaufgaben", [("hintergrund", "aufgaben"), ("hintergrund", "aufgab")]),
        ("verbindungsfehler", [("verbindung", "fehler")]),
        ("fehlermeldungen", [("fehler", "meldung")]),
        ("passport", []),  # short parts are in English words that mean something else
        ("hintergrund", []),
        ("hintergrundstrahlung", []),
        ("", []),
    ],
)
def test_a_compound_is_split_into_two_words_of_documents(word: str, parts: list[tuple[str, ...]]) -> None:
    assert split_compound(word, STEMS.__contains__) == parts


def test_the_longest_word_costs_few_lookups() -> None:
    lookups: list[str] = []
    assert split_compound("x" * 64, lambda form: bool(lookups.append(form))) == []
    assert len(lookups) < 500


def test_a_page_with_both_parts_answers_a_compound(tmp_path: Path) -> None:
    pieces = [
        Piece("/https", "Die Erneuerung vom Zertifikat geschieht von selbst."),
        Piece("/certificates", "Ein Zertifikat wird geladen."),
        Piece("/other", "Die Laterne brennt."),
    ]
    engine = make_site(tmp_path, pieces).engine
    results = engine.search(SearchQuery("Zertifikaterneuerung"), MAIN).results
    assert results[0].url == "/https"
    assert engine.search(SearchQuery("Laternenerneuerungspflicht"), MAIN).results == ()
