"""Notes: reasons why an answer is incomplete or degraded."""

from collections.abc import Sequence
from dataclasses import replace

from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.answer import Note, Quality, SearchAnswer
from searchsocket.search.filters import OWN_FILTERS, Filters
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.confidence import WEAK
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.labels import LANGUAGE, language_labels

NOTES = {
    NoVector.UNAVAILABLE: Note(
        "EMBEDDER_UNAVAILABLE", "the embedding provider failed, so these results match words only"
    ),
    NoVector.TOO_SLOW: Note("EMBEDDER_TOO_SLOW", "the embedding provider timed out, so these results match words only"),
    NoVector.OVER_BUDGET: Note(
        "EMBEDDER_OVER_BUDGET", "today's budget for query embeddings is spent, so these results match words only"
    ),
}
NO_BACKEND = Note("VECTOR_BACKEND_UNAVAILABLE", "the vector store is unavailable, so these results match words only")
_OTHER_GENERATION = Note(
    "GENERATION_CHANGED",
    "another generation is live than the requested one, so the order may differ",
)

_MAX_LANGUAGES = 40  # in a note
_DIGITS = 3


def further_notes(reader: IndexReader, query: SearchQuery) -> tuple[Note, ...]:
    """Return the notes for callers, except the reason for a missing vector."""
    notes = _facet_notes(reader, query) if query.filters or query.facets else ()
    notes += language_notes(reader, query.filters)
    is_other = bool(query.generation) and query.generation != reader.generation.name
    return (*notes, _OTHER_GENERATION) if is_other else notes


def language_notes(reader: IndexReader, filters: Filters) -> tuple[Note, ...]:
    """Return a note with the indexed languages if no page has one of the requested languages."""
    requested = dict(filters).get(LANGUAGE, ())
    languages = reader.catalogue.languages() if requested else frozenset()
    indexed = {label for language in languages for label in language_labels(language)}
    if not requested or any(f"{LANGUAGE}={name}" in indexed for name in requested):
        return ()
    if not languages:
        return (Note("LANGUAGE_NOT_INDEXED", "no page of this scope states a language"),)
    names = sorted(languages, key=str.lower)
    more = f" and {len(names) - _MAX_LANGUAGES} more" if len(names) > _MAX_LANGUAGES else ""
    return (
        Note(
            "LANGUAGE_NOT_INDEXED",
            f"no page of this scope is in {' or '.join(requested)}; its languages are "
            f"{', '.join(names[:_MAX_LANGUAGES])}{more}",
        ),
    )


def curation_notes(mistakes: Sequence[str]) -> tuple[Note, ...]:
    """Return a note for each invalid rule of `curation.toml`; its other rules count."""
    return tuple(Note("CURATION_INVALID", f"{mistake} (this rule is left out)") for mistake in mistakes)


def with_notes(answer: SearchAnswer, notes: tuple[Note, ...]) -> SearchAnswer:
    """Add notes to an answer."""
    return replace(answer, meta=replace(answer.meta, notes=(*answer.meta.notes, *notes)))


def _facet_notes(reader: IndexReader, query: SearchQuery) -> tuple[Note, ...]:
    """Return a note for each requested facet that no indexed page has."""
    names = dict.fromkeys([*(name for name, _ in query.filters if name not in OWN_FILTERS), *query.facets])
    present = reader.catalogue.facet_names() if names else frozenset()
    return tuple(
        Note(
            "FACET_NOT_INDEXED",
            f"no indexed page has the facet {name!r}; after you add a facet to [facets], run `searchsocket index`",
        )
        for name in names
        if name not in present
    )


def as_weak_answer(answer: SearchAnswer, typed: str, unknown: str) -> SearchAnswer:
    """Turn the answer for the other word into a weak answer for the query; results may be about something else.

    Args:
        typed: The query as typed.
        unknown: The word that is on no page.
    """
    if not answer.total:
        return replace(answer, q=typed)
    note = Note("UNKNOWN_WORD", f"no page contains {unknown!r}, so these results match only the rest of the query")
    results = tuple(
        result if result.is_pinned else replace(result, confidence=round(WEAK * result.confidence, _DIGITS))
        for result in answer.results
    )
    meta = replace(answer.meta, notes=(note, *answer.meta.notes))
    quality: Quality = "answered" if any(result.is_pinned for result in results) else "weak"
    return replace(answer, q=typed, quality=quality, results=results, meta=meta)
