"""Rank code by the query words in a chunk; rare words count more."""

from collections import Counter
from typing import NamedTuple

from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.text.words import parse_query
from searchsocket.types import Record

MAX_RESULTS = 20
_MAX_CANDIDATES = 5_000


class TermResult(NamedTuple):
    """A chunk with its score."""

    record: Record
    score: float  # sum of log(1 + N/df) over the terms; of N chunks, df contain the term
    terms: tuple[str, ...]  # of the query, as typed


def query_terms(q: str) -> dict[str, str]:
    """Map the terms of a query, in their indexed form, to their typed form: words, identifiers and their parts."""
    words = parse_query(q).words
    terms: dict[str, str] = {}
    for word in [word for word in words if not word.is_stop] or words:
        terms.setdefault(word.stem or word.exact, word.exact)
        for part in word.parts:
            typed = next((piece for piece in word.pieces if piece.startswith(part[:3])), part)
            terms.setdefault(part, typed)
    return terms


def search_by_terms(reader: IndexReader, q: str, top_k: int, max_per_file: int) -> list[TermResult]:
    """Return the best chunks by falling score; equal ones in path order, in a file by line."""
    terms = query_terms(q)
    size = 10 * top_k
    while True:
        hits = reader.words.by_rarity(list(terms), top_k=size) if terms else []
        facts = reader.catalogue.facts([hit.id for hit in hits])
        ranked = sorted(range(len(hits)), key=lambda at: (-hits[at].score, int(facts.order[at])))
        best: list[int] = []
        per_file: Counter[str] = Counter()
        for at in ranked:
            if per_file[facts.url[at]] < max_per_file and len(best) < top_k:
                per_file[facts.url[at]] += 1
                best.append(at)
        if len(best) == top_k or len(hits) < size or size >= _MAX_CANDIDATES:
            break
        size = min(4 * size, _MAX_CANDIDATES)
    records = reader.catalogue.records([hits[at].id for at in best])
    return [
        TermResult(record, hits[at].score, tuple(dict.fromkeys(terms[term] for term in hits[at].terms)))
        for record, at in zip(records, best, strict=True)
    ]
