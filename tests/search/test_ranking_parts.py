"""Fusion, boosts, order, grouping: each by itself."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_site import Piece, record_of

from searchsocket.search.boosts import boosts_of
from searchsocket.search.fusion import fuse, min_max, missing_cosines
from searchsocket.search.group import MAX_SECTIONS, group_by_page
from searchsocket.search.links import href
from searchsocket.search.rank import Ranked, order, rank
from searchsocket.settings.model import RankingSettings
from searchsocket.types import Hit, Record

ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True)
HITS = st.dictionaries(st.sampled_from("abcdefghij"), ANY_FLOAT, max_size=10).map(
    lambda found: [Hit(id_, score) for id_, score in found.items()]
)
SCORES = st.dictionaries(st.sampled_from("abcdefghij"), ANY_FLOAT)


@given(HITS, HITS, SCORES, SCORES)
def test_fusion_gives_every_candidate_a_score_between_0_and_1(
    vector: list[Hit], keyword: list[Hit], cosines: dict[str, float], pages: dict[str, float]
) -> None:
    """Failure mode 72: NaN, infinite and negative scores of a backend do not break the order."""
    found = fuse(vector, keyword, cosines, pages)
    assert [c.id for c in found] == sorted({hit.id for hit in [*vector, *keyword]} | cosines.keys())
    for candidate in found:
        assert 0 <= candidate.fused <= 1
        assert -1 <= candidate.cosine <= 1
        assert math.isfinite(candidate.bm25)


def test_all_lists_count_a_third() -> None:
    hits = fuse([Hit("a", 0.9), Hit("b", 0.5)], [Hit("b", 12.0), Hit("c", 3.0)], {"c": 0.1}, {"a": 4.0, "b": 2.0})
    found = {c.id: c for c in hits}
    assert (found["a"].vector, found["a"].keyword) == (1.0, 0.0)
    assert (found["b"].vector, found["b"].keyword) == (0.5, 1.0)
    assert (found["c"].vector, found["c"].keyword) == (0.0, 0.25)
    assert (found["a"].page, found["b"].page, found["c"].page) == (1.0, 0.5, 0.0)
    assert found["b"].fused == pytest.approx(2 / 3)


def test_only_unknown_cosines_are_asked_for() -> None:
    assert missing_cosines([Hit("a", 1)], [Hit("c", 1), Hit("a", 1), Hit("b", 1)]) == ["c", "b"]


def test_equal_values_scale_to_one_value() -> None:
    assert min_max([]) == []
    assert min_max([3.0, 3.0]) == [1.0, 1.0]
    assert min_max([0.0, 0.0]) == [0.0, 0.0]
    assert min_max([-0.2]) == [0.0]


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), ANY_FLOAT)
def test_boosts_are_small_and_finite_whatever_a_record_says(links: int, depth: int, weight: float) -> None:
    """Failure mode 72, the other half: bad metadata."""
    settings = RankingSettings()
    record = record_of(Piece("/a", "x"))
    object.__setattr__(record, "incoming_links", links)
    object.__setattr__(record, "depth", depth)
    object.__setattr__(record, "weight", weight)
    boosts = boosts_of(record, settings)
    assert 0 <= boosts.links <= settings.weights.incoming_links
    assert 0 <= boosts.depth <= settings.weights.depth
    assert 0 < boosts.weight <= 100


def _records(count: int) -> dict[str, Record]:
    records = (record_of(Piece(f"/{n % 5}", "x", section=f"S{n % 7}", ordinal=n, links=n % 3)) for n in range(count))
    return {record.id: record for record in records}


def _ranked(count: int, seed: int = 1) -> list[Ranked]:
    records = _records(count)
    scores = random.Random(seed)
    hits = [Hit(id_, scores.choice([0.1, 0.5, 0.9])) for id_ in records]
    return rank(fuse(hits, [], {}), records, RankingSettings())


@given(st.integers(0, 60), st.integers(0, 1000))
def test_the_order_is_total_and_does_not_depend_on_what_came_first(count: int, seed: int) -> None:
    records = _records(count)
    hits = [Hit(id_, (n % 4) / 4) for n, id_ in enumerate(records)]
    shuffled = hits[:]
    random.Random(seed).shuffle(shuffled)
    first, second = (rank(fuse(some, [], {}), records, RankingSettings()) for some in (hits, shuffled))
    assert first == second
    keys = [order(chunk) for chunk in first]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_pages_come_in_the_order_of_their_best_chunk() -> None:
    ranked = _ranked(40)
    groups = group_by_page(ranked, 3)
    assert [group.best.record.url for group in groups] == list(dict.fromkeys(c.record.url for c in ranked))[:3]
    for group in groups:
        scores = [section.score for section in group.sections]
        assert scores == sorted(scores, reverse=True)
        assert len({section.record.anchor for section in group.sections}) == len(group.sections) <= MAX_SECTIONS


def test_a_summary_is_no_section() -> None:
    records = [record_of(Piece("/a", "x", kind="summary")), record_of(Piece("/a", "y", section="S", ordinal=1))]
    hits = [Hit(record.id, score) for record, score in zip(records, (0.9, 0.5), strict=True)]
    ranked = rank(fuse(hits, [], {}), {record.id: record for record in records}, RankingSettings())
    [group] = group_by_page(ranked, 10)
    assert group.best.record.kind == "summary"
    assert [section.record.section_title for section in group.sections] == ["S"]


def test_anchors_are_escaped_as_fragments() -> None:
    assert href("/docs", "") == "/docs"
    assert href("/docs", "a b\"<>'%é#") == "/docs#a%20b%22%3C%3E%27%25%C3%A9%23"
    assert href("/docs", "\ud800") == "/docs#?"
