"""Answer queries over source code: embed, find by meaning, words and names, rank, and check for changed files.

Nonsense and questions about other subjects share words with some file too. So a logistic model over the evidence of
words, meaning and the path of the best file decides if code answers. `python -m bench.code.gate` fits it to judged
queries of repositories, and to questions about other fields and other software (docs/notes/quality.md).
"""

import math
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import NamedTuple

from searchsocket.errors import CodeNotIndexed, ScopeNotIndexed
from searchsocket.extensions.code.parsing.symbols import symbols_in
from searchsocket.extensions.code.search.answer import CodeAnswer, CodeQuery, CodeResult
from searchsocket.extensions.code.search.candidates import CodeCandidates, find_code
from searchsocket.extensions.code.search.changelog import (
    ENOUGH,
    best_entry,
    change_terms,
    is_about_versions,
    is_history,
)
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
from searchsocket.extensions.code.search.results import ReadNow, code_result
from searchsocket.models.embedders.builtin import is_language
from searchsocket.models.embedders.queries import NoVector, QueryVectors, vector_for
from searchsocket.search.answer import Note
from searchsocket.search.answering.sentences import QuestionTerms
from searchsocket.search.ranking.answerable import missing_share
from searchsocket.search.ranking.confidence import UNKNOWN_NEAR, nearness
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import Readers
from searchsocket.text.amounts import age_s
from searchsocket.types import Lines, Scope

_CANDIDATES = 100  # of each list
_BY_WORDS = Note("EMBEDDER_UNAVAILABLE", "the query could not be embedded, so these results match words and names only")
_NEAR = (-1.0, 4.0)  # bounds of nearness


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


class CodeFeatures(NamedTuple):
    """The input of the model; its weights have the same names."""

    constant: float
    share: float  # of the query, by rarity, in the file with most of its words
    missing: float  # share of the query, by rarity, of the words that no file contains
    nearness: float  # of the nearest chunk
    both: float  # share times nearness: one of the two is enough
    path: float  # share of the query's words in the names of the best file and its folder


WEIGHTS = CodeFeatures(-6.36, 5.14, -4.51, 2.82, -1.42, 5.12)
REFUSED = -3.2  # the logarithm of the odds below which a query is refused


def is_answerable(
    reader: IndexReader, q: str, candidates: CodeCandidates, ranked: list[RankedCode], *, has_vector: bool
) -> bool:
    """Return True if the best candidates may answer the query.

    A definition that it names, and an identifier that it is, are always answers.
    """
    if not ranked:
        return False
    is_identifier = len(q.split()) == 1 and candidates.written.any()
    if is_identifier or any(candidate.defines > 0 for candidate in ranked):
        return True
    features = code_features(reader, q, candidates, ranked[0], has_vector=has_vector)
    return features is not None and code_score(features) >= REFUSED


def code_features(
    reader: IndexReader, q: str, candidates: CodeCandidates, best: RankedCode, *, has_vector: bool
) -> CodeFeatures | None:
    """Return the features of a query; None if no file has a word of it and it is not English."""
    evidence = reader.words.evidence(q)
    if not evidence.indexed_share and not is_language(q):
        return None
    missing = missing_share(evidence, reader.words.rarities(q)) if evidence.missing else 0.0
    near = nearness(float(candidates.cosine.max()), reader.generation.spread) if has_vector else UNKNOWN_NEAR
    near = min(max(near, _NEAR[0]), _NEAR[1])
    return CodeFeatures(1.0, evidence.share, missing, near, evidence.share * near, best.path)


def code_score(features: CodeFeatures) -> float:
    """Return the logarithm of the odds that code answers the query."""
    return math.fsum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
