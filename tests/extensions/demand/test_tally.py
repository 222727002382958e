"""Counts of a day in memory: only what enough visitors share leaves it."""

from random import Random

from searchsocket.extensions.demand.tally import MAX_QUERIES, MAX_TYPING, DemandCounts, SearchEvent, Tally, Visitors

DAY = "2026-11-26"


def search(visitor: int, query: str, outcome: str | None = "answered", url: str = "") -> SearchEvent:
    return SearchEvent(f"198.51.100.{visitor}", "main", query, outcome, url)  # type: ignore[arg-type]


def tally(*events: SearchEvent, min_visitors: int = 3) -> Tally:
    counted = Tally(DAY, min_visitors)
    for second, event in enumerate(events):
        counted.note(event, 100.0 * second)
    counted.settle()
    return counted


def queries(counted: Tally) -> dict[str, DemandCounts]:
    return {row.query: row.counts for row in counted.rows() if row.query and not row.url}


def test_a_query_leaves_only_after_enough_visitors_searched_for_it() -> None:
    """One visitor who searches often does not make it public."""
    assert queries(tally(*[search(1, "secret plan")] * 9, search(2, "secret plan"))) == {}
    assert queries(tally(*(search(n, "Secret  plan") for n in range(3)))) == {"secret plan": DemandCounts(3, 3)}


def test_rows_are_the_counts_since_the_last_call() -> None:
    counted = tally(*(search(n, "tides") for n in range(3)))
    assert queries(counted) == {"tides": DemandCounts(3, 3)}
    assert queries(counted) == {}
    counted.note(search(7, "tides"), 1e6)
    counted.settle()
    assert queries(counted) == {"tides": DemandCounts(1, 1)}


def test_words_that_are_typed_are_one_search() -> None:
    """A search box asks with every key; only the last query counts, also where letters were taken back."""
    counted = Tally(DAY, 2)
    for visitor in (1, 2):
        for second, text in enumerate(("in", "insta", "inst", "instl", "inst", "install")):
            counted.note(search(visitor, text), 3.0 * second)
        counted.note(search(visitor, "uninstall"), 60.0)
    counted.settle()
    assert set(queries(counted)) == {"install", "uninstall"}


def test_a_search_still_being_typed_is_not_counted() -> None:
    counted = Tally(DAY, 2)
    counted.note(search(1, "tides"), 0.0)
    counted.note(search(2, "tides"), 50.0)
    counted.settle(20.0)
    assert queries(counted) == {}
    counted.settle(60.0)
    assert set(queries(counted)) == {"tides"}


def test_outcomes_and_opened_pages_are_counted_by_visitor() -> None:
    events = [search(n, "tides", "weak" if n < 2 else "unanswered") for n in range(5)]
    clicks = [search(n, "tides", None, "/tides") for n in range(4)] + [search(4, "tides", None, "/moon")]
    counted = tally(*events, *clicks, *clicks)
    rows = {(row.query, row.url): row.counts for row in counted.rows()}
    assert rows["tides", ""] == DemandCounts(visitors=5, searches=5, unanswered=3, weak=2, clicked=5)
    assert rows["tides", "/tides"].visitors == 4
    assert ("tides", "/moon") not in rows  # one visitor
    assert rows["", ""] == DemandCounts(visitors=5, searches=5, unanswered=3, weak=2, clicked=5)


def test_an_answer_that_the_caller_has_counts_as_the_last_one() -> None:
    """304 says nothing about the results."""
    counted = tally(search(1, "tides", "unanswered"), search(2, "tides", None), search(3, "tides", None))
    assert queries(counted)["tides"].unanswered == 3


def test_private_text_counts_as_a_search_without_a_query() -> None:
    counted = tally(*(search(n, "ana@example.org") for n in range(4)))
    assert [(row.query, row.counts.searches) for row in counted.rows()] == [("", 4)]


def test_memory_is_bounded() -> None:
    counted = Tally(DAY, 2)
    for number in range(MAX_QUERIES + MAX_TYPING + 50):
        counted.note(SearchEvent(f"visitor {number}", "main", f"word {number}", "answered"), 0.0)
    assert len(counted._typing) <= MAX_TYPING
    counted.settle()
    assert len(counted._queries) <= MAX_QUERIES


def test_nothing_in_memory_names_a_visitor() -> None:
    counted = tally(search(77, "tides"), search(78, "moon"))
    assert "198.51.100" not in repr([(key, value) for key, value in counted._queries.items()])


def test_visitors_are_estimated_within_a_few_per_cent() -> None:
    visitors, random = Visitors(), Random(0)
    for _ in range(2_000):
        visitors.add(random.getrandbits(64))
    assert visitors.least <= 2_000
    assert abs(visitors.count - 2_000) < 200
