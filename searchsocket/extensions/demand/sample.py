"""A demand log with visitors who do not exist, to show a report before anybody has searched."""

from collections.abc import Iterator
from datetime import date, timedelta

from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from searchsocket.stores.base.index_reader import IndexReader

_RECORDS = 500  # read to find titles
_TITLES = 6
_ELSEWHERE = ("gift voucher", "opening hours")  # hardly on a documentation site
_LEAST_LETTERS = 5  # of a title whose typo is searched


def sample_rows(reader: IndexReader, scope: str, today: date) -> Iterator[DemandRow]:
    """Yield the rows of one day: searches for titles of this index, a typo, and words that it may lack."""
    day = (today - timedelta(days=1)).isoformat()
    pages = _pages(reader)
    counts: dict[str, DemandCounts] = {}
    for at, title in enumerate(pages):
        visitors = 60 - 8 * at
        counts[title] = DemandCounts(visitors, visitors + 5, clicked=visitors // 2 if at else 1)
    if long := next((title for title in pages if len(title) >= _LEAST_LETTERS), ""):
        counts[long[:2] + long[3:]] = DemandCounts(9, 11, weak=9)
    counts |= {words: DemandCounts(12, 12, unanswered=12) for words in _ELSEWHERE}
    for query, count in counts.items():
        yield DemandRow(day, scope, count, query)
    for title, url in pages.items():
        yield DemandRow(day, scope, DemandCounts(counts[title].clicked), title, url)
    names = ("visitors", "searches", "unanswered", "weak", "clicked")
    yield DemandRow(
        day, scope, DemandCounts(*(sum(getattr(count, name) for count in counts.values()) for name in names))
    )


def _pages(reader: IndexReader) -> dict[str, str]:
    """Return titles in lower case with their pages, spread over the index."""
    ids = [id_ for id_, _ in reader.catalogue.fingerprints("", _RECORDS)]
    pages = {record.page.title.casefold(): record.page.url for record in reader.catalogue.records(ids)}
    step = max(1, len(pages) // _TITLES)
    return dict(list(pages.items())[::step][:_TITLES])
