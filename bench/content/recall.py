"""How many of the documents that answer a query are in so many tokens: `python -m bench.content.recall FOLDER`.

FOLDER holds relevance collections (`site_vue`, ...); behind it may stand the folder of the MiniLM model, which is asked
instead of the built-in one, and one in which its vectors are kept. Beside what `search_content` gives with
`max_tokens`, plain top-k: as many of the nearest chunks, for each query, as make so many tokens on the average.
"""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bench.relevance.collection import Collection, load
from bench.relevance.product import NOW, SCOPE, Indexed, Indexes
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.onnx import OnnxEmbedder
from searchsocket.models.embedders.queries import QueryVectors, vector_for
from searchsocket.search.content.budget import OVERHEAD, json_tokens
from searchsocket.search.content.folder import ContentFolder, PageFolder
from searchsocket.search.content.query import ContentQuery
from searchsocket.search.content.retrieve import ContentSearch
from searchsocket.search.continuation import Continuations
from searchsocket.text.exact import ExactTerm

BUDGETS = (1_000, 2_000)
_DEPTH = 12  # chunks


@dataclass(frozen=True, slots=True)
class Found:
    """Documents by both ways, and the tokens of ours together and of each of the nearest chunks."""

    ours: list[str]
    tokens: int
    nearest: list[str]
    sizes: list[int]


def asked(indexed: Indexed, content: ContentFolder, text: str, budget: int) -> Found:
    """The documents of what fits, by both ways."""
    search = ContentSearch(Continuations(), lambda: NOW)
    code = tuple(word for word in text.split() if ExactTerm(word).match_case)
    answer = search.search(content, ContentQuery((text[:200],), code, 50, budget))
    ours = [indexed.ids[one.source.url or ""] for one in answer.data.results]
    vector = content.vector(text[:200])
    hits = content.reader.vectors.nearest(vector, top_k=_DEPTH, where=content.where)  # type: ignore[arg-type]
    records = content.reader.catalogue.records([hit.id for hit in hits])
    sizes = [json_tokens(record.chunk.body.text) + OVERHEAD for record in records]
    return Found(ours, answer.data.statistics.tokens, [indexed.ids[record.page.url] for record in records], sizes)


def main(folder: Path, minilm: Path | None = None, cache: Path | None = None) -> None:
    indexes = Indexes(OnnxEmbedder(minilm) if minilm else BuiltinEmbedder(), cache)
    for name in ("site_eslint", "site_react", "site_vue"):
        collection: Collection = load(folder / name)
        [indexed] = indexes.of(collection)
        reader = indexed.store.reader(SCOPE)
        queries = QueryVectors(lambda _, embedder=indexed.embedder: embedder)
        embed = partial(vector_for, queries, reader.generation)
        content = PageFolder("site", reader, embed, is_read=lambda: minilm is not None)
        for budget in BUDGETS:
            wanted = [(query, set(collection.grades.get(query.id, {}))) for query in collection.queries]
            wanted = [(query, documents) for query, documents in wanted if documents]
            found = [asked(indexed, content, query.text, budget) for query, _ in wanted]
            k = max(k for k in range(1, _DEPTH) if np.mean([sum(one.sizes[:k]) for one in found]) <= budget or k == 1)
            ours = np.mean(
                [len(right & set(one.ours)) / len(right) for one, (_, right) in zip(found, wanted, strict=True)]
            )
            plain = [
                len(right & set(one.nearest[:k])) / len(right) for one, (_, right) in zip(found, wanted, strict=True)
            ]
            print(
                f"{name:12} {budget} tokens: {ours:.3f} in {np.mean([one.tokens for one in found]):.0f}, top-{k} "
                f"{np.mean(plain):.3f} in {np.mean([sum(one.sizes[:k]) for one in found]):.0f}, {len(found)} queries"
            )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
