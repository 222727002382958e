"""A query taken apart, and what is looked for where words are kept."""

from collections.abc import Iterable
from dataclasses import dataclass

from searchsocket.stores.words.index import Term
from searchsocket.text.synonyms import Forms
from searchsocket.text.typos import allowed_edits
from searchsocket.text.words import ParsedQuery, QueryWord

_MAX_CORRECTED = 4  # words of a query


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of one query, and the forms of them that an index holds."""

    parsed: ParsedQuery
    words: tuple[QueryWord, ...]  # those that count
    terms: list[Term]
    wholes: list[tuple[Forms, float]]  # synonyms of several words
    others: dict[str, tuple[Forms, ...]]  # all synonyms, by the exact form of their word
    unknown: list[QueryWord]  # held by no record, in whatever form
    compounds: dict[str, list[Forms]]  # of unknown words without a correction their parts, see `split_compound`


def worth_correcting(unknown: Iterable[QueryWord]) -> list[QueryWord]:
    """The longest of the words that may be slips: made-up words by the dozen mean nothing, and each costs a search."""
    slips = [word for word in unknown if allowed_edits(word.exact)]
    return sorted(slips, key=lambda word: -len(word.exact))[:_MAX_CORRECTED]
