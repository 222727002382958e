"""Three lists of hits made one: each scaled to [0, 1] over all candidates, then mixed (docs/ranking.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from searchsocket.search.numbers import clamp, finite
from searchsocket.types import Hit

# A third each: of the other weights tried for pages, 0.3 was as good and 0.7 worse (docs/ranking.md). Scaled scores
# keep how much better one hit is than the next, which reciprocal ranks throw away.
_LISTS = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that one of the lists, or both, brought up."""

    id: str
    cosine: float  # in [-1, 1]
    bm25: float  # 0 when the keyword list does not hold it
    vector: float  # cosine scaled over the candidates, in [0, 1]
    keyword: float  # bm25 scaled likewise
    fused: float  # the mean of the three, in [0, 1]
    page_bm25: float = 0.0  # of the whole page that it is on; 0 when the list of pages does not hold that
    page: float = 0.0  # page_bm25 scaled likewise


def missing_cosines(vector_hits: Sequence[Hit], keyword_hits: Sequence[Hit]) -> list[str]:
    """Ids of the keyword list whose cosine the vector list does not tell, in the order of that list."""
    known = {hit.id for hit in vector_hits}
    return [hit.id for hit in keyword_hits if hit.id not in known]


def fuse(
    vector_hits: Sequence[Hit],
    keyword_hits: Sequence[Hit],
    cosines: Mapping[str, float],
    pages: Mapping[str, float] = MappingProxyType({}),
) -> list[Candidate]:
    """Candidates of the lists of records, by id.

    Args:
        cosines: Cosine of each record that only the keyword list holds, see `missing_cosines`.
        pages: BM25 of the page of each record, where the list of pages holds it.
    """
    known = dict(cosines) | {hit.id: hit.score for hit in vector_hits}
    found = {hit.id: hit.score for hit in keyword_hits}
    ids = sorted(known.keys() | found.keys())
    cosine = [clamp(known.get(id_, -1.0), -1.0, 1.0) for id_ in ids]
    bm25 = [max(finite(found.get(id_, 0.0)), 0.0) for id_ in ids]
    page = [max(finite(pages.get(id_, 0.0)), 0.0) for id_ in ids]
    scaled = zip(ids, cosine, bm25, min_max(cosine), min_max(bm25), page, min_max(page), strict=True)
    return [Candidate(id_, c, b, v, k, min((v + k + s) / _LISTS, 1.0), p, s) for id_, c, b, v, k, p, s in scaled]


def min_max(values: Sequence[float]) -> list[float]:
    """Values scaled so that the least is 0 and the greatest 1; where all are equal, 1 if positive and else 0."""
    if not values:
        return []
    low, high = min(values), max(values)
    if high <= low:
        return [1.0 if high > 0 else 0.0] * len(values)
    return [(value - low) / (high - low) for value in values]
