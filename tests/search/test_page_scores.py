"""A page is ranked by all that it says: the best of any of its chunks, its second section, and its name."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_store.facts import facts_of
from search_site import MAIN, Piece, make_site, record_of

from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.boosts import boosts_of
from searchsocket.search.ranking.rank import Parts, fuse, rank, score_candidates
from searchsocket.search.ranking.signals import in_page_order, of_pages, page_weights
from searchsocket.search.ranking.weights import shares_of

Row = tuple[int, float, float]  # page, cosine, BM25
ROWS = st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1), st.floats(0, 20)), min_size=1, max_size=12)


def ranked_pages(rows: list[Row], q: str = "battery") -> tuple[list[str], Parts]:
    records = [
        record_of(Piece(f"/{page}", "x", title=f"Page {page}", ordinal=n)) for n, (page, _, _) in enumerate(rows)
    ]
    facts, nothing = facts_of(records), np.zeros(len(rows))
    candidates = fuse([row[1] for row in rows], [row[2] for row in rows], nothing)
    chunks = Parts(
        candidates,
        boosts_of(facts, RankingSettings()),
        page_weights(facts, RankingSettings()),
        {"exact": nothing, "passage": nothing},
    )
    pages = of_pages(facts, chunks, q, shares_of(q), dict.fromkeys(q.split(), 1.0))
    order = in_page_order(rank(facts, chunks), score_candidates(facts, pages))
    return list(dict.fromkeys(facts.url[chunk.position] for chunk in order)), pages


def test_meaning_and_words_may_come_from_two_sections() -> None:
    """One chunk is near and another has the words: together they say more than a chunk with a bit of both."""
    both = [(0, 0.9, 0.0), (0, 0.1, 9.0), (1, 0.7, 6.0), (2, 0.1, 0.1)]
    assert ranked_pages(both)[0] == ["/0", "/1", "/2"]


def test_a_second_section_decides_between_equals() -> None:
    rows = [(0, 0.9, 5.0), (1, 0.9, 5.0), (1, 0.8, 5.0), (2, 0.1, 0.1)]
    assert ranked_pages(rows)[0][0] == "/1"
    assert ranked_pages(rows)[1].lists.second.tolist() == pytest.approx([0, 0.033, 0.033, 0], abs=0.02)


@given(ROWS)
def test_all_chunks_of_a_page_have_its_score(rows: list[Row]) -> None:
    _, pages = ranked_pages(rows)
    for column in (pages.lists.fused, pages.lists.second, pages.exact):
        by_page = {page: value for (page, _, _), value in zip(rows, column.tolist(), strict=True)}
        assert column.tolist() == [by_page[page] for page, _, _ in rows]
    assert (pages.lists.fused <= 1).all()
    assert (pages.lists.fused >= 0).all()


@pytest.mark.parametrize(
    ("q", "first"),
    [
        ("keep components pure", "/learn/pure"),  # the parts of an identifier are not what it says
        ("Guide - Slots", "/slots"),
        ("slots (basics)", "/slots"),
        ("named slots", "/slots-api"),
        ("typing component props", "/typing"),
        ("https://example.org/learn/pure.html?from=mail#top", "/learn/pure"),
        ("learn/pure/", "/learn/pure"),
    ],
)
def test_the_page_of_that_name_is_first(tmp_path: Path, q: str, first: str) -> None:
    pieces = [
        Piece("/learn/pure", "Some functions only calculate. Keep yours so.", title="Keeping Components Pure"),
        Piece("/pure-component", "A PureComponent skips work. PureComponent is pure.", title="PureComponent"),
        Piece("/slots", "Content is passed to a component and shown there.", title="Slots"),
        Piece("/slots-api", "Slots, slots: guide to `$slots`. Named by slots.", title="API", section="Named slots"),
        Piece("/typing", "With types for what is passed.", title="Typing Component Props"),
        Piece("/props", "Typing props: a component types props by typing component and props.", title="Props of types"),
    ]  # fmt: skip
    assert make_site(tmp_path, pieces).engine.search(SearchQuery(q), MAIN).results[0].url == first


@pytest.mark.parametrize("q", ["Quick_Start", "quickStart", "quick.start", "quick/start", "quick-start", "QUICK_START"])
def test_a_title_typed_in_one_piece_is_first(tmp_path: Path, q: str) -> None:
    pieces = [
        Piece("/learn", "Make a site in five minutes.", title="Quick Start"),
        Piece("/start", "Start here: a quick start of the quick server starts it quick.", title="Start the server"),
        Piece("/blog", "See quick_start, quickStart, quick.start, quick/start, quick-start.", title="Quick start tips"),
    ]
    assert make_site(tmp_path, pieces).engine.search(SearchQuery(q), MAIN).results[0].url == "/learn"


@pytest.mark.parametrize(
    ("q", "words"),
    [
        ("useState", "Use state"),
        ("no-unused-vars", "No unused vars"),
        ("v-model", "V model"),
        ("array.map", "Array map"),
        ("--dry-run", "Dry run"),
        ("max_chars", "Max chars"),
        ("1.2.3", "1 2 3"),
    ],
)
@pytest.mark.parametrize("is_title", [True, False])
def test_an_identifier_precedes_a_title_of_its_words(tmp_path: Path, q: str, words: str, is_title: bool) -> None:
    """An identifier that is a title or heading keeps its place."""
    own = Piece("/own", f"Call {q} here.", title=q if is_title else "Reference", section="" if is_title else q)
    guide = Piece("/guide", f"{words}: all about {words}, {words}.", title=words)
    assert make_site(tmp_path, [guide, own]).engine.search(SearchQuery(q), MAIN).results[0].url == "/own"
