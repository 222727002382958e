"""Answers queries: embed, find by meaning and by words, fuse, boost, group, quote (spec 13)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from searchsocket.errors import InvalidRequest, SearchSocketError, VectorBackendUnavailable
from searchsocket.models.embedders.comparable import vector_for
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.search.answer import Note, Quality, RelatedAnswer, Result, SearchAnswer, SearchMeta
from searchsocket.search.continuation import Continuations
from searchsocket.search.cost import cost_of
from searchsocket.search.filters import FacetCounts, count_pages
from searchsocket.search.find import find
from searchsocket.search.groups import result_groups
from searchsocket.search.known_words import as_known_words
from searchsocket.search.notes import NO_BACKEND, NOTES, further_notes
from searchsocket.search.query import SearchQuery, checked
from searchsocket.search.quoting.choice import Asked
from searchsocket.search.quoting.marks import QueryWords
from searchsocket.search.quoting.results import ResultWriter
from searchsocket.search.ranking.boosts import boosts_of
from searchsocket.search.ranking.exact import exact_scores, names_identifier
from searchsocket.search.ranking.fusion import fuse
from searchsocket.search.ranking.occasions import asks_for_occasion
from searchsocket.search.ranking.pages import in_page_order, of_pages
from searchsocket.search.ranking.passages import passage_scores
from searchsocket.search.ranking.rank import NOTHING, Order, Parts, rank, scored
from searchsocket.search.ranking.shares import Shares, shares_of
from searchsocket.search.result_confidence import result_confidence
from searchsocket.search.verdict import Verdict, verdict
from searchsocket.search.versions import answer_versions, in_versions, located
from searchsocket.search.watch import Watch
from searchsocket.stores.base import Candidates, IndexReader, Readers
from searchsocket.text.amounts import age_s
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.text.synonyms import make_synonyms
from searchsocket.types import Scope, Vector

if TYPE_CHECKING:
    from searchsocket.models.rerankers.judge import Judge
    from searchsocket.project.settings.model import RankingSettings
    from searchsocket.search.backend.guard import BackendGuard
    from searchsocket.search.occurrences.answer import FindAnswer, FindQuery

_PIECES_A_PAGE = 3  # a page has several chunks among the candidates, so pages need more of them
_MAX_CANDIDATES = 1_000
# Up to here the interpreter is busy for most of a query, so threads take turns and gain nothing. Beyond it the scan of
# the vectors and the words, which run beside other threads, take more and more of it.
_FEW_RECORDS = 25_000


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
    ) -> None:
        """Make it; nothing is opened.

        Args:
            backend: What stands before vectors on another machine; None = nothing, and its errors are raised.
            judge: Gives the reranker, made when it is first asked for; None where none is configured.
        """
        self._store = store
        self.queries = queries
        self._settings = settings
        self._synonyms = make_synonyms(settings.synonyms)
        self._clock = clock
        self._facets = facets
        self._backend = backend
        self._judge = judge
        self._continuations = continuations or Continuations()
        self._records: dict[str, int] = {}  # of the scopes that were searched

    def cost(self, query: SearchQuery, scope: Scope) -> float:
        """The cost of `search`, in plain queries of the same index."""
        judging = self._judge().cost if self._judge and query.rerank else 0.0
        return cost_of(query, self._records.get(scope.name, 0)) + judging

    def answers_at_once(self, scope: Scope) -> bool:
        """Return True if `search` would take few milliseconds now, wait for no one, and leave other threads little
        work.

        Such a query is better answered where it arrives than handed to a thread.
        """
        reader = self._store.held(scope)
        return (
            reader is not None
            and reader.generation.records <= _FEW_RECORDS
            and not reader.vectors.limits.is_remote
            and self.queries.embedder_of(reader.generation.model_id).is_instant
        )

    def search(self, query: SearchQuery, scope: Scope, *, anonymous: bool = False) -> SearchAnswer:
        """The best pages, or chunks, for a query; by words alone, with a note, where it gets no vector, or no vectors.

        Args:
            anonymous: Whether the query's vector is paid from the budget of those without a key.

        Raises:
            InvalidRequest: The query is empty or beyond a limit, or asks for a reranker that is not configured.
            UnknownVersion: The site has no version of a name.
            ScopeNotIndexed: Nothing was published for the scope.
            EmbeddingModelMismatch: The scope was indexed with another model.
            ConfigMissing: The key of the model's provider, or of the reranker that is asked for, is not there.
            VectorBackendUnavailable: An outage, which is never "no results".
        """
        watch = Watch()
        query = checked(query, self._facets)
        if query.rerank and not self._judge:
            raise InvalidRequest("no reranker is configured; leave 'rerank' out, or set rerank.provider")
        reader = self.opened(scope)
        generation = reader.generation
        self._records[scope.name] = generation.records
        query = in_versions(query, generation.versions)
        typed, query = query.q, replace(query, q=reader.words.meant(query.q))
        with watch.part("embed"):
            query_vector = vector_for(self.queries, generation, query.q, anonymous=anonymous)
        vector, notes = (None, (NOTES[query_vector],)) if isinstance(query_vector, NoVector) else (query_vector, ())
        # A vector that is there at once is a sum of words; any other model has read the query.
        is_read = vector is not None and not self.queries.embedder_of(generation.model_id).is_instant
        outage: VectorBackendUnavailable | None = None
        try:
            candidates = self._find(reader, query, vector, watch)
            decision = verdict(reader, query, vector, candidates, is_read=is_read)
        except VectorBackendUnavailable as error:
            if not (self._backend and self._backend.answers_by_words and reader.vectors.limits.is_remote):
                raise
            outage, notes = error, (*notes, NO_BACKEND)
            candidates = self._find(reader, query, None, watch)
            decision = verdict(reader, query, None, candidates)
        if decision.unknown_word:
            return as_known_words(
                self.search(replace(query, q=decision.known_words), scope, anonymous=anonymous),
                typed,
                decision.unknown_word,
            )
        age = age_s(generation.published_at, self._clock())
        quality: Quality = "rejected"
        results: tuple[Result, ...] = ()
        total = 0
        order = NOTHING
        if decision.is_answered:
            shares = shares_of(query.q, candidates.facts.url, is_read=is_read and decision.has_vector)
            order = self._ranked(reader, query, candidates, shares, watch, anonymous=anonymous)
            results, total, quality = self._results(reader, query, candidates, decision, order, age)
        if outage and not total:
            raise outage
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
            facets=_counts(reader, query, candidates, is_answered=decision.is_answered) if query.facets else None,
        )

    def find(self, query: "FindQuery", scope: Scope) -> "FindAnswer":
        """Every occurrence of words or a phrase, see `find_all`.

        Raises:
            InvalidRequest, UnknownFacet, ScopeNotIndexed, PageTextsMissing, VectorBackendUnavailable: As it does.
        """
        from searchsocket.search.occurrences.find_all import find_all  # only who looks for every occurrence needs it

        return find_all(self._store.reader(scope), query, self._clock(), self._facets, self._continuations)

    def related(self, url: str, scope: Scope, top_k: int = 5) -> RelatedAnswer:
        """Pages near a page; nothing is embedded.

        Raises:
            PageNotFound: The live index holds no such page.
            ScopeNotIndexed, VectorBackendUnavailable: As `search`.
        """
        reader = self.opened(scope)
        from searchsocket.search.related import related_pages

        pages = tuple(related_pages(reader, url, top_k))
        generation = reader.generation
        age = age_s(generation.published_at, self._clock())
        return RelatedAnswer(url, scope.name, generation.name, age, pages)

    def backend_trouble(self, scope: Scope) -> SearchSocketError | None:
        """Why queries of a scope that is open get no vectors at the moment."""
        reader = self._store.held(scope) if self._backend else None
        return self._backend.trouble(reader) if self._backend and reader else None

    @property
    def answers_by_words(self) -> bool:
        """Return True if queries are answered without vectors."""
        return self._backend is not None and self._backend.answers_by_words

    def opened(self, scope: Scope) -> IndexReader:
        """The live generation of a scope, which says at once when its backend is away.

        Raises:
            ScopeNotIndexed: Nothing was published for the scope.
        """
        reader = self._store.reader(scope)
        return self._backend.guarded(reader) if self._backend else reader

    def _find(self, reader: IndexReader, query: SearchQuery, vector: Vector | None, watch: Watch) -> Candidates:
        pieces = _PIECES_A_PAGE if query.group_by == "page" else 1
        k = min(max(self._settings.candidate_k, query.top_k * pieces), _MAX_CANDIDATES)
        return find(reader, vector, query.q, top_k=k, where=query.where, watch=watch.part)

    def _ranked(
        self,
        reader: IndexReader,
        query: SearchQuery,
        candidates: Candidates,
        shares: Shares,
        watch: Watch,
        *,
        anonymous: bool,
    ) -> Order:
        """Rank what was found by its facts, and once more by what a reranker says of it, where that is asked for."""
        facts = candidates.facts

        def ordered(parts: Parts) -> Order:
            ranked = rank(facts, parts)
            if query.group_by != "page":
                return Order(ranked, parts)
            parts = of_pages(facts, parts, query.q, shares)
            scores = scored(facts, parts)
            return Order(in_page_order(ranked, scores), parts, scores)

        fused = fuse(candidates.cosine, candidates.bm25, candidates.page_bm25, shares)
        asks = asks_for_occasion(query.q)
        names = names_identifier(query.q)
        boosts = boosts_of(facts, self._settings, names_identifier=names, asks_for_occasion=asks)
        passage = passage_scores(reader.words, query.q, candidates.ids, shares)
        parts = Parts(fused, boosts, exact_scores(query.q, candidates, reader.catalogue.texts), passage)
        order = replace(ordered(parts), fused=fused)
        if not query.rerank or not order.ranked:
            return order
        assert self._judge
        from searchsocket.search.rerank import rerank  # only who has a reranker needs it

        with watch.part("rerank"):
            said = rerank(self._judge(), reader, query.q, candidates, order.ranked, anonymous=anonymous)
        if isinstance(said, Note):
            return replace(order, notes=(said,))
        parts = replace(parts, reranked=said, rerank_weight=self._settings.weights.rerank)
        return replace(ordered(parts), fused=fused, is_judged=True)

    def _results(
        self,
        reader: IndexReader,
        query: SearchQuery,
        candidates: Candidates,
        decision: Verdict,
        order: Order,
        age: float,
    ) -> tuple[tuple[Result, ...], int, Quality]:
        """Read the records of what is shown; how many results there are in all, and whether the best of them fits.

        What is found does not depend on the offset, so that results keep their order from one page of them to the next.
        """
        assert order.parts
        assert order.fused
        ranked, parts, scores, fused = order.ranked, order.parts, order.scores, order.fused
        collapses = self._settings.collapse_alike
        groups, total, alike = result_groups(reader, query, candidates, ranked, fused, scores, collapses=collapses)
        chunks = (chunk.position for group in groups for chunk in (group.best, *group.sections))
        others = chain.from_iterable(alike.get(group.best.position, ()) for group in groups)
        positions = list(dict.fromkeys([*chunks, *others]))
        records = reader.catalogue.readable([candidates.ids[position] for position in positions])
        readable = dict(zip(positions, (located(each, query.within) for each in records), strict=True))
        explained = parts if query.explain else None
        words = QueryWords(query.q, self._synonyms)
        generation, asked = reader.generation, Asked(query.q)
        writer = ResultWriter(
            words,
            asked,
            readable,
            generation,
            age,
            explained,
            query.sources,
            section_snippets=query.section_snippets,
            within=query.within,
        )
        if not ranked:
            return (), total, "answered"
        sure, quality = result_confidence(reader, query, candidates, decision, order, groups)
        results = [
            writer.result(group, alike.get(group.best.position, ()), confidence)
            for group, confidence in zip(groups, sure, strict=True)
        ]
        return tuple(results), total, quality


def _counts(reader: IndexReader, query: SearchQuery, found: Candidates, *, is_answered: bool) -> FacetCounts:
    """The pages among the candidates by what they state; none where these are too weak to be given."""
    stated = (found.facts.url, reader.catalogue.facets(found.ids)) if is_answered else ([], [])
    return count_pages(query.facets, *stated)
