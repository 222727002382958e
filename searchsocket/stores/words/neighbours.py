"""Words of a query that stand beside each other: where a text has them so too, it is likely to speak of the same."""

from collections.abc import Sequence
from itertools import pairwise

import tantivy
from tantivy import Occur, Query

from searchsocket.text.words import QueryWord

FIELDS = ("body", "code")  # a section's text begins with its heading
_BETWEEN = 1  # word may stand between the two, as "of" does
_MAX_PAIRS = 8  # the first ones: each is looked for by itself


def neighbours(
    searcher: tantivy.Searcher, schema: tantivy.Schema, words: Sequence[QueryWord]
) -> list[tuple[Query, float]]:
    """What finds each pair in any field, and what share of all pairs that is."""
    forms = [word.stem or word.exact for word in words][: _MAX_PAIRS + 1]
    pairs = list(pairwise(forms))
    found = []
    for pair in pairs:
        fields = [field for field in FIELDS if all(searcher.doc_freq(field, form) for form in pair)]
        if fields:
            phrases = [Query.phrase_query(schema, field, list(pair), slop=_BETWEEN) for field in fields]
            anywhere = Query.boolean_query([(Occur.Should, phrase) for phrase in phrases])
            found.append((anywhere if len(phrases) > 1 else phrases[0], 1.0 / len(pairs)))
    return found
