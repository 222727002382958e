"""The product itself as a ranker: its Markdown reader, chunker, local store and search engine."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bench.relevance.collection import Collection, Document
from bench.relevance.metrics import Ranking
from bench.relevance.vectors import cached
from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.records import CutChunk, cut_chunks
from searchsocket.content.markdown.page import extract_markdown
from searchsocket.content.pages import Page, RawPage
from searchsocket.models.embedders.base import Embedder, TextKind
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.project.settings.site import ChunkSettings, ExtractSettings, TransformSettings
from searchsocket.search.bounds import MAX_QUERY_CHARS, MAX_TOP_K
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import PageFacts, Scope, Vectors

CODE = ("commits", "cosqa", "ncs")  # collections whose documents are source code
DEPTH = 50
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SCOPE = Scope("bench", "main")


@dataclass(frozen=True, slots=True)
class Indexed:
    """The indexed documents of one scope of a collection."""

    scope: str
    store: LocalStore
    embedder: Embedder
    ids: dict[str, str]  # of documents, by URL


class Indexes:
    """Collections indexed with one model, each once."""

    def __init__(self, embedder: Embedder, cache: Path | None = None) -> None:
        self._embedder = embedder
        self._cache = cache
        self._folder = tempfile.TemporaryDirectory()
        self._indexes: dict[str, list[Indexed]] = {}

    def of(self, collection: Collection) -> list[Indexed]:
        name = collection.name.partition(" ")[0]  # `typed_names.py` asks the same documents for something else
        if name not in self._indexes:
            self._indexes[name] = list(self._build(collection))
        return self._indexes[name]

    def _build(self, collection: Collection) -> Iterator[Indexed]:
        queries = [query.text[:MAX_QUERY_CHARS] for query in collection.queries]
        embedder = _Remembering(self._embedder, queries, self._cache)
        is_code = collection.name.startswith(CODE)
        for number, name in enumerate(sorted({document.scope for document in collection.documents})):
            documents = [document for document in collection.documents if document.scope == name]
            store = LocalStore(Path(self._folder.name) / collection.name / str(number), "bench")
            cut = [one for document in documents for one in _cut(document, SCOPE, embedder, is_code)]
            vectors = cached(self._embedder, [one.embedded for one in cut], "passage", self._cache)
            store.upsert([one.record for one in cut], vectors, SCOPE)
            store.publish(SCOPE, PublishInfo(embedder.model_id, embedder.dimensions, NOW.isoformat()))
            yield Indexed(name, store, embedder, {_url(document): document.id for document in documents})


class Product:
    """Index a site in a temporary folder and send every query to the engine."""

    def __init__(
        self,
        name: str,
        indexes: Indexes,
        settings: RankingSettings | None = None,
        change: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Args: change: What to switch off or replace in the product while the queries run, see `ablation.py`."""
        self.name = name
        self._indexes = indexes
        self._settings = settings or RankingSettings()
        self._change = change

    def __call__(self, collection: Collection) -> Ranking:
        rankings: dict[str, Sequence[str]] = {}
        for indexed in self._indexes.of(collection):
            queries = QueryVectors(lambda _, embedder=indexed.embedder: embedder)  # type: ignore[misc]
            engine = SearchEngine(indexed.store, queries, self._settings, lambda: NOW)
            with self._change():
                for query in (query for query in collection.queries if query.scope == indexed.scope):
                    limit = min(DEPTH + len(query.exclude), MAX_TOP_K)
                    answer = engine.search(SearchQuery(query.text[:MAX_QUERY_CHARS], limit), SCOPE)
                    ids = [indexed.ids[result.url.partition("#")[0]] for result in answer.results]
                    rankings[query.id] = [id_ for id_ in ids if id_ not in query.exclude][:DEPTH]
        return rankings


class _Remembering:
    """An embedder that knows the vectors of the collection's queries already."""

    def __init__(self, embedder: Embedder, queries: Sequence[str], cache: Path | None) -> None:
        self._embedder = embedder
        self.model_id, self.dimensions = embedder.model_id, embedder.dimensions
        self.limits, self.tolerance, self.price_per_million_tokens_usd = embedder.limits, embedder.tolerance, 0.0
        self.is_instant, self.is_remote = embedder.is_instant, embedder.is_remote
        self._vectors = dict(zip(queries, cached(embedder, queries, "query", cache), strict=True))

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if len(texts) == 1 and texts[0] in self._vectors:
            return self._vectors[texts[0]][None, :]
        return self._embedder.embed(texts, kind)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)


def _url(document: Document) -> str:
    return document.id if document.id.startswith("/") else "/" + document.id.replace(":", "/")


def _cut(document: Document, scope: Scope, embedder: Embedder, is_code: bool) -> list[CutChunk]:
    url = _url(document)
    facts = PageFacts(url=url, title=document.title, depth=url.count("/"))
    page = Page(facts, scope.name, _body(document, url, is_code))
    cut = cut_chunks(page.facts, chunk_page(page, ChunkSettings()).chunks, scope, embedder.model_id)
    if cut:
        return cut
    # A page of a title alone is left out of an index, but the collections hold some that are right answers.
    page = replace(page, body=document.title or "(empty)")
    return cut_chunks(page.facts, chunk_page(page, ChunkSettings()).chunks, scope, embedder.model_id)


def _body(document: Document, url: str, is_code: bool) -> str:
    if is_code:
        fence = "`" * 12
        return f"{fence}\n{document.text}\n{fence}"
    raw = RawPage(url, url, f"{url.lstrip('/')}.md", "", "markdown")
    page = extract_markdown(document.text.encode(), raw, ExtractSettings(), TransformSettings())
    return page.body
