"""A parsed query and its search terms in the word index."""

from collections.abc import Iterable
from dataclasses import dataclass

from searchsocket.stores.words.index import Term
from searchsocket.text.synonyms import Forms
from searchsocket.text.typos import allowed_edits
from searchsocket.text.words import ParsedQuery, QueryWord

_MAX_CORRECTED = 4  # words of a query


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of one query, and their forms in the index."""

    parsed: ParsedQuery
    words: tuple[QueryWord, ...]  # those that count
    terms: list[Term]
    wholes: list[tuple[Forms, float]]  # synonyms of several words
    others: dict[str, tuple[Forms, ...]]  # all synonyms, by the exact form of their word
    unknown: list[QueryWord]  # in no record, in any form
    compounds: dict[str, list[Forms]]  # the parts of unknown words without a correction, see `split_compound`


def worth_correcting(unknown: Iterable[QueryWord]) -> list[QueryWord]:
    """The longest words that may be typos, at most `_MAX_CORRECTED`: each correction costs a search."""
    slips = [word for word in unknown if allowed_edits(word.exact)]
    return sorted(slips, key=lambda word: -len(word.exact))[:_MAX_CORRECTED]
