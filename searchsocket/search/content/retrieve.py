"""Search passages for agents: by meaning, by exact text, or both; results contain the whole text."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import islice
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import EmbedderUnavailable, InvalidRequest
from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.candidates import find_candidates
from searchsocket.search.content.answer import (
    ContentAnswer,
    ContentData,
    ContentQuery,
    ContentResult,
    Continuation,
    NavigationHints,
    RawScore,
    Statistics,
    Status,
    checked,
    index_facts,
    source_of_chunk,
)
from searchsocket.search.content.folder import ContentFolder, chunk_id
from searchsocket.search.content.hints import interpretation, next_actions, related_queries
from searchsocket.search.continuation import OVERHEAD, Continuations, cut_to, json_tokens
from searchsocket.search.ranking.rank import fuse
from searchsocket.search.ranking.weights import shares_of
from searchsocket.stores.bounded import BoundedCache
from searchsocket.text.amounts import age_s
from searchsocket.text.exact import ExactTerm
from searchsocket.types import Record, Scores, Vector

BOOST = 1.5
MAX_READ = 20_000  # texts to search for terms of several words or with signs: about 0.3 s
_REMOTE_DEPTH = 1_000  # of a remote index, which may order deeper hits differently
_FIRST = 200  # chunks with equal scores that the word search orders; an answer has at most 50

_Order = NDArray[np.intp]
_MAX_ORDERS = 16  # cached lists of all chunks with a term, for the next parts of an answer
_MAX_COUNTS = 64
_DIGITS = 4
_MAX_VECTORS = 256
_OrderKey = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
_CANDIDATES = 100  # of each list; scores are scaled over them
_PASSAGES = 10
_PASSAGE_POWER = 6.0  # of their scores; with less, the later passages move the vector away from the query
_PASSAGE_SHARE = 3.0  # weight of the passages; the concepts have 1
_LEAST_LENGTH = 1e-6


class Scored(NamedTuple):
    """A chunk with its score."""

    id: str
    raw: float
    semantic: float


class ExactHits:
    """All chunks that contain a term, best first."""

    def __init__(self, ids: Sequence[str], raws: Scores, cosines: Scores, order: _Order) -> None:
        """
        Args:
            raws, cosines: Scores of each id.
            order: Positions in `ids`, best first.
        """
        self._ids, self._raws, self._cosines, self._order = ids, raws, cosines, order

    def __len__(self) -> int:
        return len(self._ids)

    def best(self, first: int, count: int) -> list[Scored]:
        """Return at most `count` chunks from `first` on; only these objects are made, since there may be thousands."""
        part = self._order[first : first + count]
        ids = map(self._ids.__getitem__, part.tolist())
        return list(map(Scored, ids, self._raws[part].tolist(), self._cosines[part].tolist()))

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(self._ids)


def exact_hits(folder: ContentFolder, terms: Sequence[str], vector: Vector | None) -> ExactHits:
    """Return all chunks with at least one of the terms, by posting lists.

    Raises:
        InvalidRequest: The words of a term are in too many texts to read.
    """
    ids_by_term = [_chunks_with(folder, ExactTerm(term)) for term in terms]
    ids = ids_by_term[0] if len(ids_by_term) == 1 else _in_order(folder, terms, ids_by_term) if ids_by_term else []
    counts = np.full(len(ids), len(ids_by_term) == 1, np.int64)
    for term_ids in map(frozenset, ids_by_term if len(ids_by_term) > 1 else ()):
        counts += np.fromiter(map(term_ids.__contains__, ids), np.bool_, len(ids))
    boosts = np.asarray(BOOST**counts, np.float64)
    if vector is None:
        semantic = np.ones(len(ids))
        return ExactHits(ids, boosts, semantic, np.lexsort((_best_by_words(folder, terms, ids), -counts)))
    semantic = np.maximum(folder.reader.vectors.similarities(vector, ids), 0.0) if ids else np.empty(0)
    raws = semantic * boosts
    return ExactHits(ids, raws, semantic, _falling(raws, ids))


def best_chunks(
    folder: ContentFolder, exact: ExactHits, vector: Vector, all_chunks: int, first: int, count: int
) -> tuple[list[Scored], int]:
    """Return at most `count` chunks from `first` on, and the total number; the order is the same for each part.

    Args:
        exact: Of the same folder, terms and vector.
        all_chunks: Number of chunks in a local index; a remote one can list fewer.
    """
    limits = folder.reader.vectors.limits
    # A chunk without a term is among the first n only if it is among the n nearest.
    depth = min(limits.max_top_k or _REMOTE_DEPTH, _REMOTE_DEPTH) if limits.is_remote else first + count
    near = folder.reader.vectors.nearest(vector, top_k=min(depth, all_chunks), where=folder.meaning_filter)
    plain = [Scored(hit.id, max(hit.score, 0.0), max(hit.score, 0.0)) for hit in near if hit.id not in exact.ids]
    total = len(exact) + len(plain) if limits.is_remote else all_chunks
    best = exact.best(0, first + count)
    merged: Iterator[Scored] = heapq.merge(best, plain, key=lambda chunk: (-chunk.raw, chunk.id))
    return list(islice(merged, first, first + count)), total


def _best_by_words(folder: ContentFolder, terms: Sequence[str], ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the rank of each id in a word search for the terms, `_FIRST` for ids without one."""
    text = " ".join(terms).replace('"', " ")  # without quotes, which would require the exact phrase
    hits = folder.reader.words.search(text, top_k=_FIRST, where=folder.meaning_filter) if ids else []
    ranks = {hit.id: rank for rank, hit in enumerate(hits)}
    return np.fromiter((ranks.get(chunk_id, _FIRST) for chunk_id in ids), np.int64, len(ids))


def _falling(raws: Scores, ids: Sequence[str]) -> _Order:
    """Return the order by falling score, equal scores by rising id; only ids of equal scores are compared."""
    order = np.argsort(-raws, kind="stable")
    is_equal = np.diff(raws[order], prepend=np.nan) == 0  # to the previous score
    edges = np.flatnonzero(np.diff(is_equal, prepend=False, append=False)).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        order[start - 1 : end] = sorted(order[start - 1 : end].tolist(), key=ids.__getitem__)
    return order


def _chunks_with(folder: ContentFolder, term: ExactTerm) -> list[str]:
    """Return the chunks that contain a term, in path order."""
    ids = folder.reader.words.holding([term.tokens], where=folder.where)
    if term.is_token or not ids:
        return ids
    if len(ids) > MAX_READ:
        raise InvalidRequest(
            f"the words of {term.text[:60]!r} are in {len(ids)} chunks, and at most {MAX_READ} can be read; "
            "use a rarer term"
        )
    texts = folder.reader.catalogue.texts(ids)
    return [chunk_id for chunk_id, text in zip(ids, texts, strict=True) if term.is_in(text)]


def _in_order(folder: ContentFolder, terms: Sequence[str], ids_by_term: Sequence[list[str]]) -> list[str]:
    """Return all chunks that contain any of the terms, in path order."""
    matching = frozenset().union(*ids_by_term)
    in_order = folder.reader.words.holding([ExactTerm(term).tokens for term in terms], where=folder.where)
    return [chunk_id for chunk_id in in_order if chunk_id in matching]


class ContentSearch:
    """Answers with chunks; safe to share between threads."""

    def __init__(self, words: Continuations, clock: Callable[[], datetime]) -> None:
        """
        Args:
            words: Makes and reads continuation tokens.
        """
        self._words = words
        self._clock = clock
        self._orders = BoundedCache[_OrderKey, ExactHits](_MAX_ORDERS)
        self._counts = BoundedCache[tuple[str, str, str], tuple[int, frozenset[str]]](_MAX_COUNTS)
        self._vectors = BoundedCache[_OrderKey, Vector](_MAX_VECTORS)

    def search(self, folder: ContentFolder, query: ContentQuery) -> ContentAnswer:
        """Return the best chunks of a folder, and the number of all.

        Raises:
            InvalidRequest: The query is empty, a value is out of range, or the token belongs to another query.
            ContinuationGone: The token is not valid, or belongs to another folder or generation.
            EmbedderUnavailable: The concepts cannot be embedded now.
            VectorBackendUnavailable: The backend could not be reached; an outage is never reported as "no results".
        """
        query = checked(query, folder, self._words)
        generation = folder.reader.generation
        vector = self._vector(folder, query)
        exact = self._exact(folder, query, vector)
        first, count = query.offset, query.page_size
        if vector is None:
            scored, total = exact.best(first, count), len(exact)
        else:
            scored, total = best_chunks(folder, exact, vector, self._count(folder, exact), first, count)
        results, tokens = _within(folder, query, scored)
        last = query.offset + len(results)
        has_more = bool(results) and last < total
        token = self._words.make_token("search_content", generation, query.identity(), last) if has_more else None
        scores = [result.relevance_score for result in results]
        phrases = [phrase for result in results for phrase in result.document_keywords]
        return ContentAnswer(
            data=ContentData(
                tuple(results),
                Statistics(
                    total_results=total,
                    files_covered=tuple(dict.fromkeys(result.file_path for result in results)),
                    avg_relevance=round(sum(scores) / len(scores), _DIGITS) if scores else 0.0,
                    search_interpretation=interpretation(query),
                    tokens=tokens,
                ),
            ),
            status=Status(_message(query, total, last)),
            continuation=Continuation(has_more, token, len(results) < len(scored)),
            index=index_facts(folder, age_s(generation.published_at, self._clock())),
            navigation_hints=NavigationHints(
                next_actions(folder, query, results, token or ""), related_queries(folder, query, phrases)
            ),
        )

    def _vector(self, folder: ContentFolder, query: ContentQuery) -> Vector | None:
        """Return the `concept_vector`, cached for the next parts of the answer."""
        generation = folder.reader.generation
        index = (generation.project_id, generation.scope, generation.name)
        key = (*index, query.semantic_concepts, query.exact_terms)
        vector = self._vectors.values.get(key)
        if vector is None and (vector := concept_vector(folder, *key[-2:])) is not None:
            self._vectors.remember_one(key, vector)
        return vector

    def _exact(self, folder: ContentFolder, query: ContentQuery, vector: Vector | None) -> ExactHits:
        """Return all chunks with a term, cached because callers often request the next part at once."""
        generation = folder.reader.generation
        index = (generation.project_id, generation.scope, generation.name)
        key = (*index, query.exact_terms, query.semantic_concepts)
        cached = self._orders.values.get(key)
        if cached is None:
            cached = exact_hits(folder, query.exact_terms, vector)
            self._orders.remember_one(key, cached)
        return cached

    def _count(self, folder: ContentFolder, exact: ExactHits) -> int:
        """Return the number of chunks in the answer: all of the folder, since there is no threshold."""
        generation = folder.reader.generation
        key = (generation.project_id, generation.scope, generation.name)
        cached = self._counts.values.get(key)
        if cached is None:
            cached = folder.by_meaning()
            self._counts.remember_one(key, cached)
        count, links = cached
        return count + len(links & exact.ids)


def _message(query: ContentQuery, total: int, last: int) -> str:
    """Format the number of results and the current range. With concepts, all chunks are results."""
    if not total:
        return "found nothing; try other words, or concepts"
    message = f"found {total} results" + (": all of the folder, nearest first" if query.semantic_concepts else "")
    return message if last == total and not query.offset else f"{message}; these are {query.offset + 1} to {last}"


def _within(folder: ContentFolder, query: ContentQuery, scored: Sequence[Scored]) -> tuple[list[ContentResult], int]:
    """Return the best results that fit the token budget, at least one, and their number of tokens."""
    records = folder.reader.catalogue.records([chunk.id for chunk in scored])
    results: list[ContentResult] = []
    remaining: float = query.max_tokens or inf
    spent = 0
    for chunk, record in zip(scored, records, strict=True):
        text = record.chunk.body.text
        tokens = json_tokens(text) + OVERHEAD
        if tokens > remaining and results:
            break
        content = text if tokens <= remaining else cut_to(text, int(remaining) - OVERHEAD)
        spent += tokens if content is text else json_tokens(content) + OVERHEAD
        remaining = (query.max_tokens or inf) - spent
        results.append(_result(folder, query, chunk, record, content))
    return results, spent


def _result(folder: ContentFolder, query: ContentQuery, chunk: Scored, record: Record, content: str) -> ContentResult:
    text = record.chunk.body.text
    terms_present = tuple(term for term in query.exact_terms if ExactTerm(term).is_in(text))
    return ContentResult(
        chunk_id=chunk_id(record),
        file_path=folder.file_path(record.page.url),
        content=content,
        relevance_score=min(round(chunk.raw / BOOST ** len(query.exact_terms), _DIGITS), 1.0),
        chunk_index=folder.chunk_index(record),
        document_keywords=folder.reader.catalogue.key_phrases(record.page.url),
        raw=RawScore(
            min(round(chunk.semantic, _DIGITS), 1.0),
            BOOST ** len(terms_present),
            round(chunk.raw, _DIGITS),
            terms_present,
        ),
        source=source_of_chunk(record, folder),
        truncated=content != text,
    )


def concept_vector(folder: ContentFolder, concepts: Sequence[str], terms: Sequence[str] = ()) -> Vector | None:
    """Return one vector of unit length for all concepts, or None if there are none.

    It is the mean of the concepts' vectors plus three times the mean of the ten best passages of a plain search. Each
    passage is weighted by a high power of its score. Without them, a short concept is nearest to bare headings.

    This is Rocchio's feedback with passages that are assumed to be relevant (Salton and Buckley, 1990), weighted by
    their scores (Lavrenko and Croft, 2001). `bench.content.precision` and `.recall` measure it (docs/notes/quality.md).

    Args:
        terms: Exact terms of the same query, also used by the plain search.

    Raises:
        EmbedderUnavailable: The concepts cannot be embedded now.
        VectorBackendUnavailable: The backend could not be reached; an outage is never reported as "no results".
    """
    if not concepts:
        return None
    own = middle_of_concepts(folder, concepts)
    passages, weights = _best_passages(folder, own, " ".join((*concepts, *terms)))
    if not passages:
        return own
    feedback = _unit(weights @ np.asarray(folder.reader.vectors.vectors_of(passages), np.float64))
    moved = own if feedback is None else _unit(np.asarray(own, np.float64) + _PASSAGE_SHARE * feedback)
    return own if moved is None else moved


def middle_of_concepts(folder: ContentFolder, concepts: Sequence[str]) -> Vector:
    """Return the mean of the vectors of at least one concept; the first vector if opposites cancel out.

    Raises:
        EmbedderUnavailable: The concepts cannot be embedded now.
    """
    vectors: list[Vector] = []
    for concept in concepts:
        vector = folder.vector(concept)
        if isinstance(vector, NoVector):
            raise EmbedderUnavailable("the concepts cannot be embedded now; try again, or send only exact_terms")
        vectors.append(vector)
    mean = _unit(np.sum(vectors, axis=0, dtype=np.float64)) if len(vectors) > 1 else None
    return vectors[0] if mean is None else mean


def _best_passages(folder: ContentFolder, vector: Vector, text: str) -> tuple[list[str], NDArray[np.float64]]:
    """Return the ids of the best passages of a plain search, equal scores by rising id, and their weights."""
    candidates = find_candidates(folder.reader, vector, text, top_k=_CANDIDATES, where=folder.meaning_filter)
    if not candidates.ids:
        return [], np.zeros(0)
    shares = shares_of(text, candidates.facts.url, is_read=folder.is_read())
    fused = fuse(candidates.cosine, candidates.bm25, candidates.page_bm25, shares).fused * candidates.facts.weight
    best = np.lexsort((np.array(candidates.ids), -fused))[:_PASSAGES]
    return [candidates.ids[at] for at in best.tolist()], np.asarray(fused[best], np.float64) ** _PASSAGE_POWER


def _unit(vector: NDArray[np.float64]) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return None if length < _LEAST_LENGTH else np.asarray(vector / length, np.float32)
