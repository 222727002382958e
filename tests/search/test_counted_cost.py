"""The cost of a query is estimated from the query."""

import pytest

from searchsocket.search.query import SearchQuery, cost_of, related_cost

PLAIN = SearchQuery("install the plugin")
WORDS = " ".join(f"word{chr(97 + n)}{chr(97 + n // 26)}" for n in range(32))


@pytest.mark.parametrize("records", [0, 6_500, 100_000, 1_000_000])
def test_a_plain_query_costs_one(records: int) -> None:
    assert cost_of(PLAIN, records) == pytest.approx(1.0, rel=0.1)


def test_cost_grows_with_the_work() -> None:
    costs = [
        cost_of(query, 6_500)
        for query in (
            PLAIN,
            SearchQuery(WORDS),
            SearchQuery("install the plugin", top_k=100),
            SearchQuery(WORDS, top_k=100, group_by="chunk"),
            SearchQuery(WORDS, top_k=100),
        )
    ]
    assert costs == sorted(costs)
    assert costs[1] < 3 < costs[2]
    assert costs[-1] > 8


def test_a_filter_and_a_phrase_cost_little() -> None:
    assert cost_of(SearchQuery('"install the plugin" now', path_prefix="/docs", tags=("a", "b")), 6_500) < 1.5


def test_words_weigh_less_where_every_query_reads_much() -> None:
    """The same results are a smaller part of what a query of a large index takes."""
    query = SearchQuery("install the plugin", top_k=100)
    assert cost_of(query, 1_000_000) < 2 < cost_of(query, 6_500)


def test_pages_near_a_page_cost_by_their_number() -> None:
    assert related_cost(5) < 1 < related_cost(50) < 3 < related_cost(100)
