"""Answer queries: embed, find by meaning and by words, fuse, boost, group, quote (spec 13)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import PageRule
from searchsocket.errors import InvalidRequest, SearchSocketError, VectorBackendUnavailable
from searchsocket.models.embedders.queries import NoVector, QueryVectors, vector_for
from searchsocket.search.answer import Note, RelatedAnswer, SearchAnswer, SearchMeta, Timings
from searchsocket.search.candidates import find_candidates
from searchsocket.search.continuation import Continuations
from searchsocket.search.curation import Curated, curate
from searchsocket.search.filters import FacetCounts, count_pages
from searchsocket.search.notes import NO_BACKEND, NOTES, as_weak_answer, curation_notes, further_notes, with_notes
from searchsocket.search.occurrences import FindAnswer, FindQuery, find_all
from searchsocket.search.query import SearchQuery, checked, cost_of, in_index
from searchsocket.search.ranking.rank import NOTHING, Ranking
from searchsocket.search.ranking.signals import RankingInput, rank_candidates, rerank_candidates
from searchsocket.search.ranking.weights import shares_of
from searchsocket.search.related import related_pages
from searchsocket.search.rerank import rerank
from searchsocket.search.result_page import ResultPage, merges_translations, result_page
from searchsocket.search.verdict import Verdict, verdict
from searchsocket.search.versions import answer_versions
from searchsocket.stores.base.index_reader import Candidates, IndexReader
from searchsocket.stores.base.vector_store import Readers
from searchsocket.text.amounts import age_s
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.text.words import excluded_words
from searchsocket.types import Scope, Vector

_CHUNKS_PER_PAGE = 3  # among the candidates, so an answer of pages needs more candidates
_MIN_PAGES = 10  # among the candidates of an answer of pages, or as many as are asked for; otherwise more are fetched
_MORE = 4  # times as many
_MAX_TRANSLATIONS = 4  # of a page among the candidates, while one is shown: sites with translations need more
_MAX_CANDIDATES = 1_000
# Up to this size most of a query runs under the interpreter's lock, so a thread gains nothing. In larger indexes most
# of the time is the scan of vectors and words, which releases the lock.
_FEW_RECORDS = 25_000
_REJECTED = ResultPage((), 0, "rejected", None, NOTHING)


class _Part:
    """Adds the time that a block takes to one of the parts."""

    __slots__ = ("_name", "_parts", "_start_s")

    def __init__(self, parts: dict[str, float], name: str) -> None:
        self._parts = parts
        self._name = name

    def __enter__(self) -> None:
        self._start_s = perf_counter()

    def __exit__(self, *_: object) -> None:
        self._parts[self._name] += perf_counter() - self._start_s


class Stopwatch:
    """Adds up the time of each part of a query."""

    def __init__(self) -> None:
        self._start_s = perf_counter()
        self._parts = dict.fromkeys(("embed", "vector", "keyword", "rerank"), 0.0)

    def part(self, name: str) -> "_Part":
        return _Part(self._parts, name)

    def timings(self) -> Timings:
        seconds = self._parts | {"total": perf_counter() - self._start_s}
        return Timings(**{name: round(1000 * duration_s, 3) for name, duration_s in seconds.items()})


if TYPE_CHECKING:
    from searchsocket.models.rerankers.judge import Judge
    from searchsocket.project.settings.model import RankingSettings
    from searchsocket.search.backend_guard import BackendGuard


class _Retrieval(NamedTuple):
    """Candidates of a query, and the decision whether to answer it."""

    vector: Vector | None  # that found them; None: words alone
    candidates: Candidates
    decision: Verdict
    is_read: bool = False  # the vector's model reads a query as a whole
    outage: VectorBackendUnavailable | None = None


def _has_few_pages(candidates: Candidates, k: int, top_k: int) -> bool:
    """Return True if at least `k` records are of fewer pages than an answer needs."""
    urls = candidates.facts.url
    return len(urls) >= k and len(set(urls)) < min(top_k, _MIN_PAGES)


class SearchEngine:
    """Answers queries over the live generation of any scope; safe to share between threads."""

    def __init__(
        self,
        store: Readers,
        queries: QueryVectors,
        settings: "RankingSettings",
        clock: Callable[[], datetime],
        facets: Facets = NO_FACETS,
        backend: "BackendGuard | None" = None,
        judge: "Callable[[], Judge] | None" = None,
        continuations: Continuations | None = None,
        curation: Curation | None = None,
    ) -> None:
        """
        Args:
            curation: Rules of the owner, and synonyms; None: only the synonyms of the settings.
            backend: Guard for remote vectors; None: errors of the backend are raised.
            judge: Returns the reranker, made on first use; None if no reranker is configured.
        """
        self._store = store
        self.queries = queries
        self._settings = settings
        self._clock = clock
        self._facets = facets
        self._backend = backend
        self._judge = judge
        self._continuations = continuations or Continuations()
        self.curation = curation or Curation(None, settings.synonyms, clock)
        self._records: dict[str, int] = {}  # number of records by scope, of scopes that were searched

    def cost(self, query: SearchQuery, scope: Scope) -> float:
        """Return the cost of `search`, in plain queries of the same index."""
        rerank_cost = self._judge().cost if self._judge and query.rerank else 0.0
        return cost_of(query, self._records.get(scope.name, 0)) + rerank_cost

    def answers_at_once(self, scope: Scope) -> bool:
        """Return True if `search` takes few milliseconds, waits for no other service, and would gain little by threads.

        Answer such a query in the calling thread.
        """
        reader = self._store.open_reader(scope)
        return (
            reader is not None
            and reader.generation.records <= _FEW_RECORDS
            and not reader.vectors.limits.is_remote
            and self.queries.embedder_of(reader.generation.model_id).is_instant
        )

    def search(self, query: SearchQuery, scope: Scope, *, anonymous: bool = False) -> SearchAnswer:
        """Return the best pages, or chunks, for a query.

        If the query cannot be embedded or the vector store fails, search by words only and add a note.

        Args:
            anonymous: True if the embedding is paid from the budget of callers without a key.

        Raises:
            InvalidRequest: The query is empty or beyond a limit, or requests a reranker that is not configured.
            UnknownVersion: The site has no version with this name.
            ScopeNotIndexed: The scope has no published index.
            EmbeddingModelMismatch: The scope was indexed with another model.
            ConfigMissing: The API key of the model's provider, or of the requested reranker, is not set.
            VectorBackendUnavailable: The backend could not be reached; an outage is never reported as "no results".
        """
        query = checked(query, self._facets)
        answer = self._search(query, scope, self.curation.matching(query.q), anonymous=anonymous)
        mistakes = () if anonymous else self.curation.rules().mistakes  # strangers cannot correct them
        return with_notes(answer, curation_notes(mistakes)) if mistakes else answer

    def resolved(self, query: SearchQuery, reader: IndexReader) -> SearchQuery:
        """Return a query whose conditions are checked and resolved in a generation.

        Raises:
            InvalidRequest, UnknownFacet, UnknownVersion: As `search`.
        """
        return in_index(checked(query, self._facets), reader, self._facets)

    def _search(self, query: SearchQuery, scope: Scope, rules: Sequence[PageRule], *, anonymous: bool) -> SearchAnswer:
        """Answer a checked query.

        Args:
            rules: Rules of the owner for the query as typed.
        """
        watch = Stopwatch()
        if query.rerank and not self._judge:
            raise InvalidRequest("no reranker is configured; remove 'rerank', or set rerank.provider")
        reader = self.opened(scope)
        generation = reader.generation
        self._records[scope.name] = generation.records
        query = in_index(query, reader, self._facets)
        typed = query.typed or query.q
        if (q := reader.words.corrected(query.q)) != query.q:
            query = replace(query, q=q, typed=typed)
        with watch.part("embed"):
            query_vector = vector_for(self.queries, generation, query.q, anonymous=anonymous)
        vector, notes = (None, (NOTES[query_vector],)) if isinstance(query_vector, NoVector) else (query_vector, ())
        retrieval = self._retrieve(reader, query, vector, watch)
        decision = retrieval.decision
        if decision.unknown_word:
            remaining = replace(query, q=decision.remaining_words)
            return as_weak_answer(
                self._search(remaining, scope, rules, anonymous=anonymous), typed, decision.unknown_word
            )
        curated = self._curated(reader, query, retrieval, rules, watch)
        age = age_s(generation.published_at, self._clock())
        page = partial(self._result_page, reader, decision, age, watch, anonymous=anonymous)
        answer = page(query, curated, is_read=retrieval.is_read) if decision.is_answered else _REJECTED
        if answer.quality == "rejected" and curated.pins:  # return only the pinned pages, not reranked
            curated = curated.only_pins(reader)
            answer = page(replace(query, rerank=False), curated, is_read=False)
        results, total, quality, model, order = answer
        if retrieval.outage:
            if not total:
                raise retrieval.outage
            notes = (*notes, NO_BACKEND)
        return SearchAnswer(
            q=typed,
            scope=scope.name,
            group_by=query.group_by,
            results=results,
            total=total,
            meta=SearchMeta(
                timings_ms=watch.timings(),
                used_rerank=order.is_judged,
                model_id=generation.model_id,
                generation=generation.name,
                published_at=generation.published_at,
                age_seconds=age,
                source_revision=generation.source_revision or None,
                notes=(*notes, *order.notes, *further_notes(reader, query)),
            ),
            quality=quality,
            versions=answer_versions(query.within),
            facets=_counts(reader, query, curated.candidates, is_answered=bool(total)) if query.facets else None,
            curation=curated.applied if query.explain else None,
            answer_model=model,
        )

    def _retrieve(self, reader: IndexReader, query: SearchQuery, vector: Vector | None, watch: Stopwatch) -> _Retrieval:
        """Find the candidates and decide whether to answer; by words alone if the vector store fails.

        Raises:
            VectorBackendUnavailable: The store fails, and queries may not be answered by words.
        """
        # An instant embedder sums word vectors; any other model reads the query as a whole.
        is_read = vector is not None and not self.queries.embedder_of(reader.generation.model_id).is_instant
        try:
            candidates = self._find(reader, query, vector, watch)
            decision = verdict(reader, query, vector, candidates, is_read=is_read)
            return _Retrieval(vector, candidates, decision, is_read=is_read)
        except VectorBackendUnavailable as error:
            if not (self.answers_by_words and reader.vectors.limits.is_remote):
                raise
            candidates = self._find(reader, query, None, watch)
            return _Retrieval(None, candidates, verdict(reader, query, None, candidates), outage=error)

    def _result_page(
        self,
        reader: IndexReader,
        decision: Verdict,
        age: float,
        watch: Stopwatch,
        query: SearchQuery,
        curated: Curated,
        *,
        is_read: bool,
        anonymous: bool,
    ) -> ResultPage:
        if not curated.candidates.ids:
            return _REJECTED
        order = self._ranked(reader, query, curated.candidates, watch, is_read=is_read, anonymous=anonymous)
        synonyms, collapses = self.curation.current(), self._settings.collapse_alike
        return result_page(reader, query, curated, decision, order, age, synonyms, collapses=collapses)

    def find(self, query: FindQuery, scope: Scope) -> FindAnswer:
        """Return every occurrence of words or a phrase, see `find_all`.

        Raises:
            InvalidRequest, UnknownFacet, ScopeNotIndexed, PageTextsMissing, VectorBackendUnavailable: As `find_all`.
        """
        return find_all(self._store.reader(scope), query, self._clock(), self._facets, self._continuations)

    def related(self, url: str, scope: Scope, top_k: int = 5) -> RelatedAnswer:
        """Return pages near a page; no embedder is called.

        Raises:
            PageNotFound: The live index does not contain the page.
            ScopeNotIndexed, VectorBackendUnavailable: As `search`.
        """
        reader = self.opened(scope)
        pages = tuple(related_pages(reader, url, top_k))
        generation = reader.generation
        age = age_s(generation.published_at, self._clock())
        return RelatedAnswer(url, scope.name, generation.name, age, pages)

    def backend_trouble(self, scope: Scope) -> SearchSocketError | None:
        """Return the error of the vector store for an open scope, or None."""
        reader = self._store.open_reader(scope) if self._backend else None
        return self._backend.trouble(reader) if self._backend and reader else None

    @property
    def answers_by_words(self) -> bool:
        """Return True if queries are answered by words while the vector store fails."""
        return self._backend is not None and self._backend.answers_by_words

    def opened(self, scope: Scope) -> IndexReader:
        """Return a reader of the live generation; calls fail fast while the vector store is unavailable.

        Raises:
            ScopeNotIndexed: The scope has no published index.
        """
        reader = self._store.reader(scope)
        return self._backend.guarded(reader) if self._backend else reader

    def _curated(
        self,
        reader: IndexReader,
        query: SearchQuery,
        retrieval: _Retrieval,
        rules: Sequence[PageRule],
        watch: Stopwatch,
    ) -> Curated:
        """Apply the rules of the owner to the candidates; fetch more if the rules hide most of them."""
        vector, candidates = retrieval.vector, retrieval.candidates
        near = None if reader.vectors.limits.is_remote else vector  # saves a remote call for a pinned page
        curated = curate(reader, candidates, rules, query.where, near)
        if 2 * curated.hidden <= len(candidates.ids):
            return curated
        more = self._find(reader, query, vector, watch, _MAX_CANDIDATES)
        return curate(reader, more, rules, query.where, near)

    def _find(
        self, reader: IndexReader, query: SearchQuery, vector: Vector | None, watch: Stopwatch, least: int = 0
    ) -> Candidates:
        chunks = _CHUNKS_PER_PAGE if query.group_by == "page" else 1
        k = max(self._settings.candidate_k, query.top_k * chunks)
        if merges_translations(reader, query):
            k *= min(len(reader.catalogue.languages()) or 1, _MAX_TRANSLATIONS)
        conditions = query.typed or query.q
        if excluded_words(conditions):  # which may be on most of the nearest pages
            least = _MAX_CANDIDATES
        k = min(max(k, least), _MAX_CANDIDATES)
        find = partial(
            find_candidates, reader, vector, query.q, where=query.where, watch=watch.part, conditions=conditions
        )
        candidates = find(top_k=k)
        # A long page may take the places of all others.
        while query.group_by == "page" and k < _MAX_CANDIDATES and _has_few_pages(candidates, k, query.top_k):
            k = min(k * _MORE, _MAX_CANDIDATES)
            candidates = find(top_k=k)
        return candidates

    def _ranked(
        self,
        reader: IndexReader,
        query: SearchQuery,
        candidates: Candidates,
        watch: Stopwatch,
        *,
        is_read: bool,
        anonymous: bool,
    ) -> Ranking:
        """Rank the candidates; if the query requests it, rank them again with the scores of a reranker."""
        shares = shares_of(query.q, candidates.facts.url, is_read=is_read)
        texts, by_page = reader.catalogue.texts, query.group_by == "page"
        ranking_input = RankingInput(query.q, candidates, shares, reader.words, texts, self._settings, by_page)
        order = rank_candidates(ranking_input)
        if not query.rerank or not order.ranked:
            return order
        assert self._judge
        with watch.part("rerank"):
            scores = rerank(self._judge(), reader, query.q, candidates, order.ranked, anonymous=anonymous)
        if isinstance(scores, Note):
            return replace(order, notes=(scores,))
        return rerank_candidates(ranking_input, order, scores)


def _counts(reader: IndexReader, query: SearchQuery, candidates: Candidates, *, is_answered: bool) -> FacetCounts:
    """Count the candidate pages by facet value; no pages if the query has no answer."""
    ids, urls = (candidates.ids, candidates.facts.url) if is_answered else ([], [])
    return count_pages(query.facets, urls, reader.catalogue.facets(ids))
