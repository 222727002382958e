"""The product itself as a ranker: its Markdown reader, chunker, local store and search engine."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.relevance.collection import Collection, Document
from bench.relevance.metrics import Ranking
from bench.relevance.vectors import cached
from searchsocket.chunking import chunk_page
from searchsocket.embedders.base import Embedder, TextKind
from searchsocket.identity import embedded_text_of, records_of
from searchsocket.markdown.page import extract_markdown
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import MAX_QUERY_CHARS, MAX_TOP_K, SearchQuery
from searchsocket.settings.model import ChunkSettings, ExtractSettings, RankingSettings, TransformSettings
from searchsocket.stores.base import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Page, RawPage, Record, Scope, Vectors

CODE = ("commits", "cosqa", "ncs")  # collections whose documents are source code
DEPTH = 50
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Product:
    """A site is indexed in a temporary folder and every query is asked of the engine."""

    def __init__(self, name: str, embedder: Embedder, cache: Path | None = None) -> None:
        self.name = name
        self._embedder = embedder
        self._cache = cache

    def __call__(self, collection: Collection) -> Ranking:
        rankings: dict[str, Sequence[str]] = {}
        queries = [query.text[:MAX_QUERY_CHARS] for query in collection.queries]
        embedder = _Remembering(self._embedder, queries, self._cache)
        for name in sorted({document.scope for document in collection.documents}):
            documents = [document for document in collection.documents if document.scope == name]
            urls = {_url(document): document.id for document in documents}
            is_code = collection.name.startswith(CODE)
            with tempfile.TemporaryDirectory() as folder:
                scope = Scope("bench", "main")
                store = LocalStore(Path(folder), "bench")
                records = [record for document in documents for record in _records(document, scope, embedder, is_code)]
                vectors = cached(self._embedder, [embedded_text_of(r) for r in records], "passage", self._cache)
                store.upsert(records, vectors, scope)
                store.publish(scope, PublishInfo(embedder.model_id, embedder.dimensions, NOW.isoformat()))
                engine = SearchEngine(store, embedder, RankingSettings(), lambda: NOW)
                for query in (query for query in collection.queries if query.scope == name):
                    wanted = min(DEPTH + len(query.exclude), MAX_TOP_K)
                    answer = engine.search(SearchQuery(query.text[:MAX_QUERY_CHARS], wanted), scope)
                    ids = [urls[result.url.partition("#")[0]] for result in answer.results]
                    rankings[query.id] = [id_ for id_ in ids if id_ not in query.exclude][:DEPTH]
        return rankings


class _Remembering:
    """An embedder that knows the vectors of the collection's queries already."""

    def __init__(self, embedder: Embedder, queries: Sequence[str], cache: Path | None) -> None:
        self._embedder = embedder
        self.model_id, self.dimensions = embedder.model_id, embedder.dimensions
        self.max_tokens, self.price_per_million_tokens_usd = embedder.max_tokens, 0.0
        self._known = dict(zip(queries, cached(embedder, queries, "query", cache), strict=True))

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if len(texts) == 1 and texts[0] in self._known:
            return self._known[texts[0]][None, :]
        return self._embedder.embed(texts, kind)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)


def _url(document: Document) -> str:
    return document.id if document.id.startswith("/") else "/" + document.id.replace(":", "/")


def _records(document: Document, scope: Scope, embedder: Embedder, is_code: bool) -> list[Record]:
    url = _url(document)
    page = Page(url, document.title, scope.name, _body(document, url, is_code), depth=url.count("/"))
    records = records_of(page, chunk_page(page, ChunkSettings()).chunks, scope, embedder.model_id)
    if records:
        return records
    # A page of a title alone is left out of an index, but the collections hold some that are right answers.
    page = replace(page, body=document.title or "(empty)")
    return records_of(page, chunk_page(page, ChunkSettings()).chunks, scope, embedder.model_id)


def _body(document: Document, url: str, is_code: bool) -> str:
    if is_code:
        fence = "`" * 12
        return f"{fence}\n{document.text}\n{fence}"
    raw = RawPage(url, url, f"{url.lstrip('/')}.md", "", "markdown")
    page = extract_markdown(document.text.encode(), raw, ExtractSettings(), TransformSettings())
    return page.body
