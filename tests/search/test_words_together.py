"""A passage that says most words of a question is worth more than one that says half of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from memory_store.words import WordsOfRecords
from search_site import MAIN, Piece, make_site, record_of

from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.signals import passage_features
from searchsocket.search.ranking.weights import FEW_WORDS, SOME_WORDS
from searchsocket.stores.base.index_reader import WordSnapshot

SITE = (
    Piece("/all", "A lamp may shine. Its garden is dark, and the switch hangs on the wall.", "All"),
    Piece("/half", "A lamp, a lamp, a garden lamp: lamps of the garden.", "Half"),
    Piece("/code", "```js\nswitchLamps(garden)\n```", "Code"),
    Piece("/none", "Nothing of that.", "None"),
)
OTHERS = tuple(Piece(f"/other{n}", "A lamp is a lamp.", "Other") for n in range(4))


def together_of(words: WordSnapshot, text: str, ids: Sequence[str]) -> list[float]:
    return [round(share, 3) for share in words.word_proximity(text, ids)]


def test_rare_words_count_more_in_every_store(tmp_path: Path) -> None:
    reader = make_site(tmp_path, SITE + OTHERS).store.reader(MAIN)
    ids = [record.id for piece in SITE for record in reader.catalogue.page_records(piece.url)]
    words: Iterable[WordSnapshot] = (reader.words, WordsOfRecords(map(record_of, SITE + OTHERS)))
    for of_store in words:
        everything, half, code, nothing = together_of(of_store, "switching the garden lamp", ids)
        assert everything == code == 1.0  # in whatever ending, also inside a name
        assert nothing == 0.0
        # Seven of eight records say "lamp", three "garden" and two "switch".
        assert 0.35 < half < 0.5
        assert together_of(of_store, "lamp of nowhere", ids)[0] < 0.2  # what nobody says is rarest
        assert together_of(of_store, "garden lamp", ids[::-1]) == together_of(of_store, "garden lamp", ids)[::-1]
        assert of_store.word_proximity("garden lamp", []) == []
        assert together_of(of_store, "", ids) == [0.0] * 4


def test_half_of_a_question_is_worth_a_quarter_and_short_ones_are_not_looked_at() -> None:
    class Words:
        def neighbours(self, text: str, ids: Sequence[str]) -> list[float]:
            return [0.0] * len(ids)

        def sentences(self, text: str, ids: Sequence[str]) -> list[bool]:
            return [False] * len(ids)

        def word_proximity(self, text: str, ids: Sequence[str]) -> list[float]:
            assert text != "short"
            return [1.0, 0.5, 0.0]

    words: WordSnapshot = Words()  # type: ignore[assignment]
    gains = sum(passage_features(words, "long", ["a", "b", "c"], SOME_WORDS).values())
    np.testing.assert_allclose(gains, np.array([1.0, 0.25, 0.0]) * SOME_WORDS.together)
    assert "together" not in passage_features(words, "short", ["a", "b", "c"], FEW_WORDS)


def test_each_of_many_records_has_its_own_share(tmp_path: Path) -> None:
    pieces = [Piece(f"/{n:03}", "A lamp in the garden." if n % 3 else "A lamp.") for n in range(450)]
    reader = make_site(tmp_path, pieces).store.reader(MAIN)
    ids = [reader.catalogue.page_records(f"/{n:03}")[0].id for n in (0, 1, 2, 3, 448, 449)]
    shares = together_of(reader.words, "garden lamp", ids)
    assert [share == 1.0 for share in shares] == [False, True, True, False, True, True]


@pytest.mark.parametrize("group_by", ["page", "chunk"])
def test_a_passage_that_says_all_comes_before_one_that_repeats_half(tmp_path: Path, group_by: str) -> None:
    site = make_site(tmp_path, SITE[:2])
    query = SearchQuery("lamp shine garden switch", group_by=group_by, explain=True)  # type: ignore[arg-type]
    first, second = site.engine.search(query, MAIN).results
    assert first.url == "/all"
    assert first.explanation
    assert second.explanation
    assert first.explanation.exact - second.explanation.exact > SOME_WORDS.together / 2
