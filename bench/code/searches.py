"""The searches that are compared: our search of code as it ships, and semble, over the same files."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from bench.code.trees import Tree, grow
from bench.relevance.collection import Collection
from bench.relevance.metrics import Ranking
from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.project.project import open_project
from searchsocket.search.bounds import MAX_CODE_TOP_K, MAX_QUERY_CHARS

Search = Callable[[str], Sequence[str]]  # a query -> paths of files, best first, maybe again


class Searched:
    """A ranker of files: each scope of a collection is indexed once."""

    def __init__(self, name: str, index: Callable[[Path], Search]) -> None:
        self.name = name
        self._index = index
        self._folder = TemporaryDirectory()
        self._searches: dict[str, list[tuple[Tree, Search]]] = {}
        self.refused: dict[str, int] = {}  # queries without an answer, by collection

    def __call__(self, collection: Collection) -> Ranking:
        rankings: dict[str, Sequence[str]] = {}
        if collection.name not in self._searches:
            trees = grow(collection, Path(self._folder.name))
            self._searches[collection.name] = [(tree, self._index(tree.root)) for tree in trees]
        for tree, search in self._searches[collection.name]:
            for query in (query for query in collection.queries if query.scope == tree.scope):
                documents = dict.fromkeys(tree.ids[path] for path in search(query.text[:MAX_QUERY_CHARS]))
                rankings[query.id] = [each for each in documents if each not in query.exclude]
        self.refused[collection.name] = sum(not ranking for ranking in rankings.values())
        return rankings


def our_code(root: Path, minilm: Path | None = None) -> CodeService:
    """Index a folder as `searchsocket code sync` does, with the built-in model, or with MiniLM."""
    lines = ["[code]", "enable = true", 'exclude = ["*.toml"]']
    if minilm:
        lines += ["[embeddings]", 'provider = "onnx"', f'model = "{minilm.absolute()}"']
    (root / "searchsocket.toml").write_text("\n".join(lines), encoding="utf-8")
    environ = {**os.environ, "SEARCHSOCKET_CACHE": str(root.parent / "cache")}
    project = open_project(root, environ)
    open_upkeep(project, environ).sync("main", "bench")
    return open_code(project, environ)


def ours(root: Path, minilm: Path | None = None) -> Search:
    """Our search of a folder as it ships."""
    code = our_code(root, minilm)

    def search(q: str) -> list[str]:
        return [result.file for result in code.search(CodeQuery(q, MAX_CODE_TOP_K), "main").results]

    return search


def semble_with(model: Any, name: str) -> Callable[[Path], Search]:
    """Index a folder with semble's chunks, words and ranking, and a model in place of the one that it downloads."""

    def index(root: Path) -> Search:
        semble = semble_index(root, model, name)
        return lambda q: [result.chunk.file_path for result in semble.search(q, top_k=MAX_CODE_TOP_K)]

    return index


def semble_index(root: Path, model: Any, name: str) -> Any:
    """An index of semble over a folder."""
    from semble import SembleIndex

    with patch("semble.index.index.load_model", lambda _: (model, name)):
        return SembleIndex.from_path(root, model_path=name)


def static_model(folder: Path) -> Any:
    """A model of model2vec, from a folder."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(str(folder))


class OurTable:
    """The table of our built-in model in the place of one of model2vec."""

    def __init__(self) -> None:
        self._embedder = BuiltinEmbedder()
        self.dim = self._embedder.dimensions

    def encode(self, texts: Sequence[str], **_: object) -> np.ndarray[Any, np.dtype[np.float32]]:
        return self._embedder.embed(texts, "passage")
