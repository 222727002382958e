"""How many of the documents that answer a query are in so many tokens: `python -m bench.content.recall FOLDER`.

FOLDER holds relevance collections (`site_vue`, ...). Beside what `search_content` gives with `max_tokens`, plain top-k:
the five and ten nearest chunks, whole, as a retriever without a budget gives them, cut at the same number of tokens.
"""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bench.relevance.collection import Collection, load
from bench.relevance.product import NOW, SCOPE, Indexed, Indexes
from searchsocket.embedders.builtin import BuiltinEmbedder
from searchsocket.embedders.comparable import vector_for
from searchsocket.embedders.queries import QueryVectors
from searchsocket.search.content.budget import text_tokens
from searchsocket.search.content.corpus import Corpus
from searchsocket.search.content.query import ContentQuery
from searchsocket.search.content.retrieve import ContentSearch
from searchsocket.search.continuation import Continuations
from searchsocket.text.exact import ExactTerm

BUDGETS = (1_000, 2_000)


@dataclass(frozen=True, slots=True)
class Found:
    ours: list[str]
    plain: list[str]


def asked(indexed: Indexed, corpus: Corpus, text: str, budget: int) -> Found:
    """The documents of what fits, by both ways."""
    search = ContentSearch(Continuations(), lambda: NOW)
    code = tuple(word for word in text.split() if ExactTerm(word).match_case)
    answer = search.search(corpus, ContentQuery((text[:200],), code, 50, budget))
    ours = [indexed.ids[one.source.url] for one in answer.data.results]
    vector = corpus.vector(text[:200])
    hits = corpus.reader.vectors.nearest(vector, top_k=10)  # type: ignore[arg-type]
    plain, left = [], budget
    for record in corpus.reader.catalogue.records([hit.id for hit in hits]):
        if left <= 0:
            break
        left -= text_tokens(record.chunk.body.text) + 120
        plain.append(indexed.ids[record.page.url])
    return Found(ours, plain)


def main(folder: Path) -> None:
    indexes = Indexes(BuiltinEmbedder())
    for name in ("site_eslint", "site_react", "site_vue"):
        collection: Collection = load(folder / name)
        [indexed] = indexes.of(collection)
        reader = indexed.store.reader(SCOPE)
        queries = QueryVectors(lambda _, embedder=indexed.embedder: embedder)
        corpus = Corpus("site", "site", reader, partial(vector_for, queries, reader.generation))
        for budget in BUDGETS:
            ours, plain = [], []
            for query in collection.queries:
                wanted = collection.grades.get(query.id, {})
                if wanted:
                    found = asked(indexed, corpus, query.text, budget)
                    ours.append(len(set(wanted) & set(found.ours)) / len(wanted))
                    plain.append(len(set(wanted) & set(found.plain)) / len(wanted))
            print(
                f"{name:12} {budget} tokens: {np.mean(ours):.3f}, plain top-k {np.mean(plain):.3f}, {len(ours)} queries"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
