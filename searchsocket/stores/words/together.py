"""Share of a query that each record contains alone: words together mean more than scattered ones."""

import math
from collections.abc import Sequence

import tantivy
from tantivy import Occur, Query

from searchsocket.stores.words.neighbours import FIELDS
from searchsocket.text.words import QueryWord


def together(
    searcher: tantivy.Searcher, schema: tantivy.Schema, words: Sequence[QueryWord]
) -> list[tuple[Query, float]]:
    """A query per word over all fields, with its share of the query: rare words count more."""
    records = int(searcher.num_docs)
    weighted: list[tuple[Query, float]] = []
    total = 0.0
    for form in dict.fromkeys(word.stem or word.exact for word in words):
        counts = {field: int(searcher.doc_freq(field, form)) for field in FIELDS}
        most = max(counts.values())
        rarity = math.log1p((records - most + 0.5) / (most + 0.5))
        total += rarity
        fields = [Query.term_query(schema, field, form, "freq") for field, count in counts.items() if count]
        if fields:
            anywhere = Query.boolean_query([(Occur.Should, one) for one in fields])
            weighted.append((anywhere if len(fields) > 1 else fields[0], rarity))
    return [(query, rarity / total) for query, rarity in weighted]
