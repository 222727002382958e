"""Answer the known word of two, and name the unknown one."""

from dataclasses import replace

from searchsocket.search.answer import Note, Quality, SearchAnswer
from searchsocket.search.ranking.confidence import WEAK

_DIGITS = 3


def as_known_words(answer: SearchAnswer, typed: str, unknown: str) -> SearchAnswer:
    """The answer of the known word as a weak one of the whole query: results may be about something else.

    Args:
        typed: The query as it was typed.
        unknown: The word that no page says.
    """
    if not answer.total:
        return replace(answer, q=typed)
    note = Note("UNKNOWN_WORD", f"no page contains {unknown!r}, so these results match only the rest of the query")
    results = tuple(
        one if one.is_pinned else replace(one, confidence=round(WEAK * one.confidence, _DIGITS))
        for one in answer.results
    )
    meta = replace(answer.meta, notes=(note, *answer.meta.notes))
    quality: Quality = "answered" if any(one.is_pinned for one in results) else "weak"
    return replace(answer, q=typed, quality=quality, results=results, meta=meta)
