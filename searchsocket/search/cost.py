"""Cost of a query before it runs, in plain queries of the same index."""

from searchsocket.search.query import SearchQuery
from searchsocket.text.words import parse_query

# Fitted to the CPU times of 50 kinds of query over the PostgreSQL manual (docs/notes/performance.md).
_START = 0.5
_WORD = 0.03  # to look up, and to count in pages
_QUOTED = 0.02  # per page or section to read and cut
_MARKED = 0.002  # per page and marked word
_FILTER = 0.05
_SCAN_OF_100_000 = 1.1  # to scan the vectors of 100,000 records
_WORD_OF_100_000 = 0.1
_MAX_MARKED = 32  # words and parts, see `marks.QueryWords`
_RELATED = 0.4
_CHUNK = 0.5  # compared with a page, which has several sections

_PLAIN = SearchQuery("three plain words")


def cost_of(query: SearchQuery, records: int) -> float:
    """Return the cost of a query in plain queries: three words, ten pages, no filter.

    Args:
        records: Of the index; a large index makes a plain query more expensive, so further words add less.
    """
    return _units(query, records) / _units(_PLAIN, records)


def related_cost(top_k: int) -> float:
    """Return the cost of a request for `top_k` related pages, in plain queries."""
    return _RELATED * (1 + top_k / 10)


def _units(query: SearchQuery, records: int) -> float:
    parsed = parse_query(query.q)
    words = len(parsed.words) + len(parsed.phrases)
    marked = min(sum(1 + len(word.parts) for word in parsed.words), _MAX_MARKED)
    quoted = query.top_k * (1.0 if query.group_by == "page" else _CHUNK)
    filters = len(query.tags) + bool(query.path_prefix) + len(query.filters) + bool(query.facets)
    scan = records / 100_000 * (_SCAN_OF_100_000 + _WORD_OF_100_000 * words)
    return _START + scan + _WORD * words + _FILTER * filters + quoted * (_QUOTED + _MARKED * marked)
