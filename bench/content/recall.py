"""The share of the answering documents within a number of tokens: `python -m bench.content.recall FOLDER`.

FOLDER contains relevance collections (`site_vue`, ...). A second argument is the folder of the MiniLM model, which then
replaces the built-in one; a third one caches its vectors. `search_content` with `max_tokens` is compared with plain
top-k: for each query, the number of nearest chunks that takes so many tokens on average.
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
from searchsocket.search.content.answer import ContentQuery
from searchsocket.search.content.folder import ContentFolder, PageFolder
from searchsocket.search.content.retrieve import ContentSearch
from searchsocket.search.continuation import OVERHEAD, Continuations, json_tokens
from searchsocket.text.exact import ExactTerm

BUDGETS = (1_000, 2_000)
_DEPTH = 12  # chunks


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Documents by both ways, and the tokens of ours together and of each of the nearest chunks."""

    ours: list[str]
    tokens: int
    nearest: list[str]
    sizes: list[int]


def retrieve(indexed: Indexed, content: ContentFolder, text: str, budget: int) -> Retrieved:
    """The documents of what fits, by both ways."""
    search = ContentSearch(Continuations(), lambda: NOW)
    code = tuple(word for word in text.split() if ExactTerm(word).match_case)
    answer = search.search(content, ContentQuery((text[:200],), code, 50, budget))
    ours = [indexed.ids[one.source.url or ""] for one in answer.data.results]
    vector = content.vector(text[:200])
    hits = content.reader.vectors.nearest(vector, top_k=_DEPTH, where=content.where)  # type: ignore[arg-type]
    records = content.reader.catalogue.records([hit.id for hit in hits])
    sizes = [json_tokens(record.chunk.body.text) + OVERHEAD for record in records]
    return Retrieved(ours, answer.data.statistics.tokens, [indexed.ids[record.page.url] for record in records], sizes)


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
            judged = [(query, set(collection.grades.get(query.id, {}))) for query in collection.queries]
            judged = [(query, documents) for query, documents in judged if documents]
            retrieved = [retrieve(indexed, content, query.text, budget) for query, _ in judged]
            k = max(
                k for k in range(1, _DEPTH) if np.mean([sum(one.sizes[:k]) for one in retrieved]) <= budget or k == 1
            )
            ours = np.mean(
                [len(right & set(one.ours)) / len(right) for one, (_, right) in zip(retrieved, judged, strict=True)]
            )
            plain = [
                len(right & set(one.nearest[:k])) / len(right)
                for one, (_, right) in zip(retrieved, judged, strict=True)
            ]
            print(
                f"{name:12} {budget} tokens: {ours:.3f} in {np.mean([one.tokens for one in retrieved]):.0f}, top-{k} "
                f"{np.mean(plain):.3f} in {np.mean([sum(one.sizes[:k]) for one in retrieved]):.0f}, "
                f"{len(retrieved)} queries"
            )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
