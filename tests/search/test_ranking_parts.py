"""Fusion, boosts, order, grouping: each by itself."""

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_store.facts import facts_of
from search_site import Piece, record_of

from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.quoting.results import href
from searchsocket.search.ranking.boosts import BOOSTS, boosts_of, browser_boosts
from searchsocket.search.ranking.rank import (
    MAX_COMPARED_SECTIONS,
    PageGroup,
    Parts,
    Ranked,
    each_alone,
    fuse,
    group_by_page,
    min_max,
    rank,
)
from searchsocket.search.ranking.signals import page_weights
from searchsocket.search.ranking.weights import FEW_WORDS, MANY_WORDS, READ_WHOLE, SOME_WORDS, Shares, shares_of
from searchsocket.testing.store.samples import make_record
from searchsocket.types import PageFacts, Record

ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True)
LISTS = st.lists(st.tuples(ANY_FLOAT, ANY_FLOAT, ANY_FLOAT), max_size=10)


@given(LISTS)
def test_fusion_gives_every_candidate_a_score_between_0_and_1(lists: list[tuple[float, float, float]]) -> None:
    """Failure mode 72: NaN, infinite and negative scores of a backend do not break the order."""
    candidates = fuse(*([scores[n] for scores in lists] for n in range(3)))
    assert len(candidates.fused) == len(lists)
    assert ((candidates.fused >= 0) & (candidates.fused <= 1)).all()
    assert ((candidates.cosine >= -1) & (candidates.cosine <= 1)).all()
    assert (np.isfinite(candidates.bm25) & np.isfinite(candidates.page_bm25)).all()


def test_each_list_counts_by_its_share() -> None:
    lists = [0.9, 0.5, 0.1], [0.0, 12.0, 3.0], [4.0, 2.0, 0.0]
    candidates = fuse(*lists)
    assert candidates.vector.tolist() == [1.0, 0.5, 0.0]
    assert candidates.keyword.tolist() == [0.0, 1.0, 0.25]
    assert candidates.page.tolist() == [1.0, 0.5, 0.0]
    for meaning, words, page, _ in (FEW_WORDS, MANY_WORDS):
        expected = [meaning + page, meaning / 2 + words + page / 2, words / 4]
        assert fuse(*lists, Shares(meaning, words, page)).fused.tolist() == pytest.approx(expected)


def test_words_that_stand_everywhere_order_nothing() -> None:
    """Their scores are near 0: scaled to [0, 1], rounding and the order of ties would decide."""
    candidates = fuse([0.9, 0.5], [0.0001, 0.0002], [0.0, 0.0001])
    assert candidates.fused.tolist() == pytest.approx([FEW_WORDS.meaning, 0.0])


def test_the_page_counts_more_where_much_is_said() -> None:
    assert all(sum(shares[:3]) == pytest.approx(1.0) for shares in (FEW_WORDS, SOME_WORDS, MANY_WORDS))
    assert shares_of("how do I go to the previous index") == FEW_WORDS  # three words that say something
    assert shares_of("how do I go back to the previous index") == SOME_WORDS
    assert shares_of("bring back pages that an index run of yesterday removed") == MANY_WORDS


def test_a_model_that_reads_counts_more_if_a_chunk_is_its_page() -> None:
    """The words of such a chunk would count twice. Sections count by the length of the query with every model."""
    sections, functions = ["/a", "/a", "/b", "/c"], ["/a", "/b", "/c", "/d"]
    for q in ("cut a string", "bring back pages that an index run of yesterday removed"):
        assert shares_of(q, functions, is_read=True) == READ_WHOLE
        assert shares_of(q, sections, is_read=True) == shares_of(q, sections) == shares_of(q, functions) == shares_of(q)
    assert READ_WHOLE.meaning > FEW_WORDS.meaning > MANY_WORDS.meaning
    assert sum(READ_WHOLE[:3]) == pytest.approx(1.0)
    assert FEW_WORDS.together == 0 < READ_WHOLE.together < SOME_WORDS.together == MANY_WORDS.together


def test_equal_values_scale_to_one_value() -> None:
    for values, scaled in (([], []), ([3.0, 3.0], [1.0, 1.0]), ([0.0, 0.0], [0.0, 0.0]), ([-0.2], [0.0])):
        assert min_max(np.array(values, np.float64)).tolist() == scaled


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), ANY_FLOAT)
def test_boosts_are_small_and_finite_whatever_a_record_says(links: int, depth: int, weight: float) -> None:
    """Failure mode 72, the other half: bad metadata."""
    settings = RankingSettings()
    record = make_record("a", "x", incoming_links=links, depth=depth, weight=weight)
    facts = facts_of([record])
    boosts = boosts_of(facts, settings).columns
    for boost in BOOSTS:
        assert 0 <= boosts[boost.name][0] <= boost.weight(settings)
    assert 0 < page_weights(facts, settings)[0] <= 100


def test_a_boost_that_is_off_reads_no_fact() -> None:
    """A new fact with a weight of 0 by default leaves indexes as they are that lack it."""
    facts = replace(facts_of(_records(3)), depth=np.array([], np.int64))
    assert boosts_of(facts, RankingSettings(enable_depth_boost=False)).columns["depth"].tolist() == [0.0] * 3


def ranked_by(cosines: Sequence[float], records: Sequence[Record]) -> list[Ranked]:
    """The order of records when only their vectors tell."""
    nothing = [0.0] * len(records)
    facts = facts_of(records)
    return rank(
        facts,
        Parts(
            fuse(cosines, nothing, nothing),
            boosts_of(facts, RankingSettings()),
            page_weights(facts, RankingSettings()),
            dict.fromkeys(("exact", "passage"), np.array(nothing)),
        ),
    )


def _records(count: int) -> list[Record]:
    return [record_of(Piece(f"/{n % 5}", "x", section=f"S{n % 7}", ordinal=n, links=n % 3)) for n in range(count)]


def _ranked(count: int, seed: int = 1) -> list[Ranked]:
    scores = random.Random(seed)
    return ranked_by([scores.choice([0.1, 0.5, 0.9]) for _ in range(count)], _records(count))


@given(st.integers(0, 60), st.integers(0, 1000))
def test_the_order_is_total_and_does_not_depend_on_what_came_first(count: int, seed: int) -> None:
    """By score, then URL, then place on the page, then id; whatever order the candidates had."""
    records = _records(count)
    results = [((n % 4) / 4, record) for n, record in enumerate(records)]
    shuffled = results[:]
    random.Random(seed).shuffle(shuffled)
    first, second = (
        ranked_by([score for score, _ in some], [record for _, record in some]) for some in (results, shuffled)
    )
    orders = [
        [
            (-chunk.score, row.page.url, row.chunk.ordinal, row.id)
            for chunk in ranked
            for row in [some[chunk.position][1]]
        ]
        for some, ranked in ((results, first), (shuffled, second))
    ]
    assert orders[0] == orders[1] == sorted(orders[0])
    assert len(set(orders[0])) == len(orders[0]) == count


def test_a_page_of_no_weight_is_no_result() -> None:
    """Nor does it decide how the others are scaled."""
    records = _records(6)
    hidden = [replace(records[0], page=replace(records[0].page, weight=0.0)), *records[1:]]
    assert ranked_by([0.9] * 6, hidden) == [chunk for chunk in ranked_by([0.9] * 6, records) if chunk.position != 0]
    assert ranked_by([0.9], hidden[:1]) == []


def test_pages_come_in_the_order_of_their_best_chunk() -> None:
    ranked, records = _ranked(40), _records(40)
    groups = group_by_page(ranked, facts_of(records), 3)
    urls = [records[chunk.position].page.url for chunk in ranked]
    assert [records[group.best.position].page.url for group in groups] == list(dict.fromkeys(urls))[:3]
    for group in groups:
        scores = [section.score for section in group.sections]
        assert scores == sorted(scores, reverse=True)
        anchors = {records[section.position].chunk.at.anchor for section in group.sections}
        assert len(anchors) == len(group.sections) <= MAX_COMPARED_SECTIONS


def test_a_summary_is_no_section() -> None:
    records = [record_of(Piece("/a", "x", kind="summary")), record_of(Piece("/a", "y", section="S", ordinal=1))]
    [group] = group_by_page(ranked_by([0.9, 0.5], records), facts_of(records), 10)
    assert group.best.position == 0
    assert [section.position for section in group.sections] == [1]


def test_chunks_can_stand_alone() -> None:
    ranked = _ranked(40)
    assert each_alone(ranked, 3) == [PageGroup(chunk, ()) for chunk in ranked[:3]]


def test_anchors_are_escaped_as_fragments() -> None:
    page = PageFacts(url="/docs", title="Docs")
    assert href(page) == "/docs"
    assert href(page, "a b\"<>'%é#") == "/docs#a%20b%22%3C%3E%27%25%C3%A9%23"
    assert href(page, "\ud800") == "/docs#?"
    assert href(replace(page, address="/docs/"), "a") == "/docs/#a"


def test_the_browser_gets_the_boosts_that_it_ranks_by() -> None:
    records = [record_of(Piece(f"/{'a/' * n}b", "x", links=7 * n)) for n in range(4)]
    settings = RankingSettings()
    columns = boosts_of(facts_of(records), settings).columns
    expected = sum(columns[boost.name] for boost in BOOSTS if boost.in_browser)
    assert browser_boosts([record.page for record in records], settings) == pytest.approx(expected, abs=1e-6)
