"""Words of a query that stand beside each other: where a text has them so too, it is likely to speak of the same."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import tantivy
from tantivy import Query

from searchsocket.text.words import QueryWord

FIELDS = ("body", "code")  # a section's text begins with its heading
_BETWEEN = 1  # word may stand between the two, as "of" does
_MAX_PAIRS = 8  # the first ones: each is looked for by itself


class Phrase(NamedTuple):
    """Two words beside each other in one field."""

    query: Query
    most: int  # records that may have it


class Pair(NamedTuple):
    """Two words that a query has beside each other."""

    phrases: Sequence[Phrase]  # that find it, one a field
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
