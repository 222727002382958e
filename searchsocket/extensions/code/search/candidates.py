"""Candidates of a code query: by meaning, by words, by words of whole files, by identifiers; or by rare words alone.

For a question about versions also by words of the texts.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from searchsocket.extensions.code.parsing.symbols import EXACT, LABEL
from searchsocket.extensions.code.search.changelog import is_about_versions
from searchsocket.stores.base.index_reader import Facts, IndexReader
from searchsocket.text.exact import ExactTerm
from searchsocket.text.words import parse_query
from searchsocket.types import Filter, Hit, Record, Scores, Vector

_MAX_SYMBOL_HITS = 60  # definitions of the names in a query
_TEXTS = ("markdown", "text")  # languages of changelogs
_MAX_IDENTIFIERS = 8  # of a query; each is looked up by itself
_MAX_READ = 20  # chunks whose text is read to find an identifier with several parts, such as `fs.readFile`
_FEW_CHUNKS = 3  # an identifier among other words counts if no more chunks contain it
_MAX_K = 5_000  # of each list, if a glob matches few files

MAX_RESULTS = 20
_MAX_CANDIDATES = 5_000


@dataclass(frozen=True, slots=True)
class CodeCandidates:
    """Chunks from all candidate lists, as columns."""

    ids: Sequence[str]
    facts: Facts
    labels: Sequence[frozenset[str]]
    cosine: Scores  # 0 if the query has no vector
    bm25: Scores
    file_bm25: Scores
    written: (
        Scores  # share of the query's identifiers that the chunk contains as they are written; rare ones count more
    )


def find_code(
    reader: IndexReader,
    vector: Vector | None,
    q: str,
    symbols: Sequence[str],
    where: Filter,
    matches: Callable[[str], bool] | None,
    top_k: int,
) -> CodeCandidates:
    """Return the candidates of a query.

    Args:
        vector: None: search by words and names only.
        symbols: The names in the query; their definitions are always candidates.
        matches: Glob on the URLs of files that the filter returns; None: all match.
        top_k: Of each list; fetches more if `matches` rejects most of them.
    """
    labels = tuple(f"{label}={key}" for name in symbols for label, key in ((EXACT, name), (LABEL, name.casefold())))
    name_filter = replace(where, facets=(*where.facets, labels))
    asks_texts = is_about_versions(q) and not where.languages
    by_name = reader.words.search(q, top_k=_MAX_SYMBOL_HITS, where=name_filter) if symbols else []
    written = _written(reader, q, symbols, where, is_defined=bool(by_name))
    by_identifier = sorted(written, key=written.__getitem__, reverse=True)[:top_k]
    k = top_k
    while True:
        near = [] if vector is None else reader.vectors.nearest(vector, top_k=k, where=where)
        by_words = reader.words.search(q, top_k=k, where=where)
        by_text = reader.words.search(q, top_k=k, where=replace(where, languages=_TEXTS)) if asks_texts else []
        hits = (hit.id for hits in (near, by_words, by_name, by_text) for hit in hits)
        ids = list(dict.fromkeys((*hits, *by_identifier)))
        facts = reader.catalogue.facts(ids)
        if matches is None:
            break
        matching = [i for i, url in enumerate(facts.url) if matches(url)]
        if len(matching) >= top_k or k >= _MAX_K or max(len(near), len(by_words)) < k:
            ids = [ids[i] for i in matching]
            facts = reader.catalogue.facts(ids)
            break
        k = min(4 * k, _MAX_K)
    files = reader.words.search_pages(q, top_k=k, where=where)
    cosines = {hit.id: hit.score for hit in near}
    if vector is not None:
        far = [chunk_id for chunk_id in ids if chunk_id not in cosines]
        cosines.update(zip(far, reader.vectors.similarities(vector, far), strict=True))
    facets = [frozenset(labels) for labels in reader.catalogue.facets(ids)]
    bm25, by_file = _scores([*by_name, *by_text, *by_words]), _scores(files)
    columns = (_column(cosines, ids), _column(bm25, ids), _column(by_file, facts.url), _column(written, ids))
    return CodeCandidates(ids, facts, facets, *columns)


def _written(
    reader: IndexReader, q: str, symbols: Sequence[str], where: Filter, *, is_defined: bool
) -> dict[str, float]:
    """Return the share of the identifiers that each chunk contains as they are written; rare ones count more.

    Among other words only those in few chunks count: the name of the product is everywhere. An identifier of several
    parts is not looked up if there are definitions of its name.
    """
    most = reader.generation.records if q.strip() in symbols else _FEW_CHUNKS
    terms = [symbol for symbol in _distinct(symbols) if not is_defined or ExactTerm(symbol).is_token]
    lists = (_chunks_with(reader, symbol, where) for symbol in terms[:_MAX_IDENTIFIERS])
    known = [ids for ids in lists if 0 < len(ids) <= most]
    rarities = [math.log1p(reader.generation.records / len(ids)) for ids in known]
    shares: dict[str, float] = {}
    for ids, rarity in zip(known, rarities, strict=True):
        for chunk_id in ids:
            shares[chunk_id] = shares.get(chunk_id, 0.0) + rarity / sum(rarities)
    return shares


def _distinct(symbols: Sequence[str]) -> list[str]:
    """Return the symbols without those that differ only in their separators."""
    by_tokens = {ExactTerm(symbol).tokens: symbol for symbol in reversed(symbols)}
    return [symbol for tokens, symbol in by_tokens.items() if tokens]


def _chunks_with(reader: IndexReader, symbol: str, where: Filter) -> Sequence[str]:
    """Return the chunks that contain an identifier; none if it has several parts and too many chunks contain them."""
    term = ExactTerm(symbol)
    if term.is_token:
        return reader.words.holding([term.tokens[-1:]], where=where)
    ids = reader.words.holding([term.tokens], where=where)
    if len(ids) > _MAX_READ:
        return ()
    spellings = (term, ExactTerm(symbol.replace(".", "::")))
    texts = ((record.id, record.chunk.body.text) for record in reader.catalogue.records(ids))
    return [chunk_id for chunk_id, text in texts if any(spelling.is_in(text) for spelling in spellings)]


def _scores(hits: Sequence[Hit]) -> dict[str, float]:
    return {hit.id: hit.score for hit in hits}


def _column(scores: dict[str, float], keys: Sequence[str]) -> Scores:
    return np.array([scores.get(key, 0.0) for key in keys], np.float64)


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
