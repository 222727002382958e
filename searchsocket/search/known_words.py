"""Answer a query of two words by the known one, with a note about the unknown one."""

from dataclasses import replace

from searchsocket.search.answer import Note, Quality, SearchAnswer
from searchsocket.search.ranking.confidence import WEAK

_DIGITS = 3


def as_known_words(answer: SearchAnswer, typed: str, unknown: str) -> SearchAnswer:
    """Turn the answer for the known word into a weak answer for the query; results may be about something else.

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
