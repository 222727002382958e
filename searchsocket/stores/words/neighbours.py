"""Adjacent words of a query: a text that also has them side by side is more likely to be relevant."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import tantivy
from tantivy import Query

from searchsocket.text.words import QueryWord

FIELDS = ("body", "code")  # a section's text begins with its heading
_BETWEEN = 1  # word allowed between the two, such as "of"
_MAX_PAIRS = 8  # only the first ones, because each pair costs a search


class Phrase(NamedTuple):
    """Two adjacent words in one field."""

    query: Query
    most: int  # records that may have it


class Pair(NamedTuple):
    """Two adjacent words of a query."""

    phrases: Sequence[Phrase]  # one per field with both words
    share: float  # of all pairs of the query


def neighbours(searcher: tantivy.Searcher, schema: tantivy.Schema, words: Sequence[QueryWord]) -> list[Pair]:
    """The pairs of neighbours that a record may have."""
    forms = [word.stem or word.exact for word in words][: _MAX_PAIRS + 1]
    pairs = list(pairwise(forms))
    pairs_found = []
    for pair in pairs:
        fewest = [min(int(searcher.doc_freq(field, form)) for form in pair) for field in FIELDS]
        phrases = [
            Phrase(Query.phrase_query(schema, field, list(pair), slop=_BETWEEN), count)
            for field, count in zip(FIELDS, fewest, strict=True)
            if count
        ]
        if phrases:
            pairs_found.append(Pair(phrases, 1.0 / len(pairs)))
    return pairs_found
