"""Answer queries over source code: embed, find by meaning, words and names, rank, and check for changed files."""

from collections.abc import Callable
from datetime import datetime
from functools import cache

from searchsocket.errors import CodeNotIndexed, ScopeNotIndexed
from searchsocket.extensions.code.parsing.symbols import symbols_in
from searchsocket.extensions.code.search.answer import CodeAnswer, CodeResult
from searchsocket.extensions.code.search.answerable import is_answerable
from searchsocket.extensions.code.search.candidates import CodeCandidates, find_code
from searchsocket.extensions.code.search.changelog import (
    ENOUGH,
    best_entry,
    change_terms,
    is_about_versions,
    is_history,
)
from searchsocket.extensions.code.search.freshness import ReadNow
from searchsocket.extensions.code.search.query import CodeQuery
from searchsocket.extensions.code.search.ranking import (
    LONGER_AMONG,
    RankedCode,
    ScoreParts,
    at_most_each,
    describes_code,
    longer_first,
    near_first,
    rank_code,
)
from searchsocket.extensions.code.search.results import code_result
from searchsocket.models.embedders.queries import NoVector, QueryVectors, vector_for
from searchsocket.search.answer import Note
from searchsocket.search.answering.terms import QuestionTerms
from searchsocket.stores.base import IndexReader, Readers
from searchsocket.text.amounts import age_s
from searchsocket.types import Lines, Scope

_CANDIDATES = 100  # of each list
_BY_WORDS = Note("EMBEDDER_UNAVAILABLE", "the query could not be embedded, so these results match words and names only")


class CodeSearch:
    """Answers queries over the live generation of the source code of any scope; safe to share between threads."""

    def __init__(
        self, store: Readers, queries: QueryVectors, clock: Callable[[], datetime], read_now: Callable[[Scope], ReadNow]
    ) -> None:
        """
        Args:
            read_now: Reads files of a scope as they are now.
        """
        self._store = store
        self.queries = queries
        self._clock = clock
        self._read_now = read_now

    def search(self, query: CodeQuery, scope: Scope) -> CodeAnswer:
        """Return the best lines for a query, from files that still exist.

        Raises:
            InvalidRequest: The query is empty or beyond a limit.
            CodeNotIndexed: The source code of the scope was not indexed.
            EmbeddingModelMismatch: It was indexed with another model.
            VectorBackendUnavailable: The backend could not be reached; an outage is never reported as "no results".
        """
        query.checked()
        reader, read_now = self.opened(scope)
        generation = reader.generation
        vector = vector_for(self.queries, generation, query.q)
        query_vector = None if isinstance(vector, NoVector) else vector
        symbols, glob = symbols_in(query.q), query.files.matcher()
        matches = None if glob is None else lambda url: glob(url[1:])
        candidates = find_code(
            reader, query_vector, query.q, symbols, query.where, matches, max(_CANDIDATES, 4 * query.top_k)
        )
        ranked = near_first(rank_code(candidates, query.q, symbols, explain=query.explain), query.q)
        if describes_code(query.q):
            ranked = longer_first(ranked, _lines(reader, candidates, ranked))
        changes = None
        if is_about_versions(query.q):
            changes = change_terms(query.q, reader.words.rarities(query.q))
            ranked = _changes_first(reader, candidates, ranked, changes)
        is_answered = is_answerable(reader, query.q, candidates, ranked, has_vector=query_vector is not None)
        return CodeAnswer(
            q=query.q,
            scope=scope.name,
            results=_results(query, reader, candidates, ranked, cache(read_now), changes) if is_answered else (),
            quality="answered" if is_answered else "rejected",
            generation=generation.name,
            age_seconds=age_s(generation.published_at, self._clock()),
            notes=() if query_vector is not None else (_BY_WORDS,),
        )

    def opened(self, scope: Scope) -> tuple[IndexReader, ReadNow]:
        """Return a reader of the live generation of a scope, and one of its current files.

        Raises:
            CodeNotIndexed: The source code of the scope was not indexed.
        """
        try:
            return self._store.reader(scope), self._read_now(scope)
        except ScopeNotIndexed as error:
            raise CodeNotIndexed(scope.name) from error


def _lines(reader: IndexReader, candidates: CodeCandidates, ranked: list[RankedCode]) -> list[int]:
    """Return the number of lines of the best candidates."""
    best = [candidates.ids[candidate.position] for candidate in ranked[:LONGER_AMONG]]
    positions = [record.chunk.at for record in reader.catalogue.records(best)]
    return [at.last - at.first + 1 for at in positions if isinstance(at, Lines)]


def _changes_first(
    reader: IndexReader, candidates: CodeCandidates, ranked: list[RankedCode], changes: QuestionTerms
) -> list[RankedCode]:
    """Move parts of changelogs with an entry that answers to the front, by the share of words in that entry."""
    parts = [at for at, candidate in enumerate(ranked) if is_history(candidates.facts.url[candidate.position])]
    records = reader.catalogue.records([candidates.ids[ranked[at].position] for at in parts])
    shares = {at: best_entry(record.chunk.body.text, changes).share for at, record in zip(parts, records, strict=True)}
    best = sorted((at for at in parts if shares[at] >= ENOUGH), key=lambda at: -shares[at])
    moved = frozenset(best)
    first = [ranked[at]._replace(score=round(shares[at], 6), parts=ScoreParts(changelog=shares[at])) for at in best]
    return first + [candidate for at, candidate in enumerate(ranked) if at not in moved]


def _results(
    query: CodeQuery,
    reader: IndexReader,
    candidates: CodeCandidates,
    ranked: list[RankedCode],
    read_now: ReadNow,
    changes: QuestionTerms | None,
) -> tuple[CodeResult, ...]:
    """Return the best results, from files that still exist."""
    deleted: set[str] = set()
    while True:
        current = [candidate for candidate in ranked if candidates.facts.url[candidate.position] not in deleted]
        best = at_most_each(current, candidates.facts.url, query.max_per_file, query.top_k)
        records = reader.catalogue.records([candidates.ids[candidate.position] for candidate in best])
        pairs = zip(best, records, strict=True)
        results = [
            code_result(
                record,
                reader,
                read_now,
                q=query.q,
                changes=changes,
                cosine=float(candidates.cosine[candidate.position]),
                score=candidate.score,
                signals=candidate.signals(candidates.labels[candidate.position]),
                parts=candidate.parts._asdict() if query.explain else {},
            )
            for candidate, record in pairs
        ]
        missing = {record.page.url for record, result in zip(records, results, strict=True) if result is None}
        if not missing:
            return tuple(result for result in results if result is not None)
        deleted |= missing
