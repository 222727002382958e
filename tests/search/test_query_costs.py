"""No query costs much more than a plain one, whatever its words: counted in calls, which no machine's load changes."""

import random
import string
from itertools import pairwise
from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores.local.catalogue.snapshot import Packs
from tests.counted_calls import calls

PAGES, WORDS = 60, 6_000
LETTERS = "eeeeeetttttaaaaooooiiiinnnnsssshhhrrrddlluuccmmffggyyppwwbbvk"  # as often as in English


def made_up(source: random.Random, chars: int) -> str:
    return source.choice("scpmtabr") + "".join(source.choice(LETTERS) for _ in range(chars - 1))


def vocabulary() -> list[str]:
    source = random.Random(1)
    return list(dict.fromkeys(made_up(source, source.randint(5, 11)) for _ in range(WORDS)))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> SearchEngine:
    """A site of 60 pages: the first words are on nearly all of them, and each has a hundred of its own."""
    words = vocabulary()
    pieces = [
        Piece(
            f"/{n}",
            " ".join([*words[: 40 * (n > 1)], *words[40 + n * 99 : 139 + n * 99], "read_it a_b"]),
            title=f"Page {n}",
        )
        for n in range(PAGES)
    ]
    return make_site(tmp_path_factory.mktemp("index"), pieces).engine


def cost(engine: SearchEngine, query: SearchQuery) -> int:
    """Return the cost of an answer in function calls."""
    return calls(lambda: engine.search(query, MAIN))


def hostile() -> dict[str, SearchQuery]:
    source, words = random.Random(2), vocabulary()
    letters = " ".join(string.ascii_lowercase)
    names = " ".join(f"{item}_{two}" for item in "abcdefghijkl" for two in "abcdefghijklmnopq")
    return {
        "32 made-up words": SearchQuery(" ".join(made_up(source, 8) for _ in range(32))),
        "long ones": SearchQuery(" ".join(made_up(source, 9) for _ in range(32))),
        "32 slips": SearchQuery(" ".join(word[:4] + "x" + word[5:] for word in words[100:132])),
        "beside known words": SearchQuery(" ".join([*words[:16], *(made_up(source, 9) for _ in range(16))])),
        "letters": SearchQuery(f"{words[0]} {words[1]} {words[2]} {letters}"),
        "parts": SearchQuery(" ".join([*words[:8], ".".join(word[:3] for word in words[:230])])[:1000]),
        "names": SearchQuery(f"{' '.join(words[:20])} {names}"[:1000]),
        "phrases": SearchQuery(" ".join(f'"{one} {two}"' for one, two in pairwise(words[:21]))),
        "a page of chinese": SearchQuery("".join(chr(0x4E00 + source.randrange(20_000)) for _ in range(1000))),
    }


@pytest.mark.parametrize("name", hostile())
def test_no_words_cost_ten_times_a_plain_query(engine: SearchEngine, name: str) -> None:
    words = vocabulary()
    plain = SearchQuery(f"{words[3]} {words[7]} {words[500]}")
    cost(engine, plain)  # opens the index
    plain_calls = cost(engine, SearchQuery(f"{words[4]} {words[8]} {words[600]}"))
    assert cost(engine, hostile()[name]) < 10 * plain_calls


def test_a_plain_query_calls_no_more_than_it_needs(engine: SearchEngine) -> None:
    """Of which most are in quoting: a mark, a quote and a text are made once, and what is known is not asked again."""
    words = vocabulary()
    plain = SearchQuery(f"{words[2]} {words[50]} ")
    cost(engine, plain)
    assert cost(engine, plain) < 3_600


def test_texts_of_candidates_are_unpacked_once(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that names something looks into the texts of all its candidates, and queries share candidates."""
    first = engine.search(SearchQuery("read_it"), MAIN)
    selected: list[str] = []
    monkeypatch.setattr(Packs, "select", lambda _, columns, docs: selected.append(columns))
    again = engine.search(SearchQuery("read_it"), MAIN)
    assert (again.results, selected) == (first.results, [])


def test_the_longest_unknown_words_are_corrected_and_no_more(tmp_path: Path) -> None:
    """Nobody types a query with more typos."""
    names = ("alternator", "carburettor", "differential", "suspension", "axle")
    engine = make_site(tmp_path, [Piece(f"/{name}", f"About the {name} alone.", title=name) for name in names]).engine
    reader = engine._store.reader(MAIN)
    slips = "axxe alternater carburetter diferential suspenssion"
    hits = {
        record.page.url
        for record in reader.catalogue.records([hit.id for hit in reader.words.search(f"{slips} ", top_k=10)])
    }
    assert hits == {f"/{name}" for name in names[:4]}
    assert [hit.id for hit in reader.words.search("axxe ", top_k=10)]  # which is corrected where it is alone
