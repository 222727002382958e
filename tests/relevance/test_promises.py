"""Promises of the ranking, over every query, title and rare name of whole collections.

The committed collection always; the sites of SEARCHSOCKET_RELEVANCE (a folder of collections) where it is set, else one
of the folder `shared/relevance` beside the checkout, where there is one.
"""

import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.relevance.collection import Collection, load_named, names_of
from bench.relevance.example_site import example_site
from bench.relevance.product import NOW, _cut, _url
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope
from tests.relevance.nonsense import nonsense

MAIN = Scope("bench", "main")
COMMITTED, CHEAPEST = "example_site", "site_vue"
COLLECTIONS = os.environ.get("SEARCHSOCKET_RELEVANCE", "")
ELSEWHERE = Path(COLLECTIONS) if COLLECTIONS else Path(__file__).parents[3] / "shared" / "relevance"
NAME = re.compile(r"(?<=`)(?:[a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:_[a-z]+)+|--[a-z]+(?:-[a-z]+)+)(?=`)")  # as inline code
SAMPLE = 60


@dataclass(frozen=True)
class Indexed:
    """A collection and an engine over it."""

    collection: Collection
    engine: SearchEngine

    def urls(self, q: str, top_k: int = 10, path_prefix: str = "") -> list[str]:
        answer = self.engine.search(SearchQuery(q, top_k, path_prefix), MAIN)
        return [result.url for result in answer.results]


def _names() -> list[str]:
    return (
        [COMMITTED, *(name for name in names_of(ELSEWHERE) if name.startswith("site_"))]
        if COLLECTIONS
        else [COMMITTED, CHEAPEST]
    )


@pytest.fixture(scope="module", params=_names())
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    name = request.param
    if name != COMMITTED and name not in names_of(ELSEWHERE):
        pytest.skip(f"no collection {name} in {ELSEWHERE}; SEARCHSOCKET_RELEVANCE names another folder")
    collection = example_site() if name == COMMITTED else load_named(ELSEWHERE, name)
    embedder = BuiltinEmbedder()
    cut = [item for document in collection.documents for item in _cut(document, MAIN, embedder, False)]
    store = LocalStore(tmp_path_factory.mktemp("index"), "bench")
    vectors = embedder.embed([entry.embedded for entry in cut], "passage")
    store.upsert([element.record for element in cut], vectors, MAIN)
    store.publish(MAIN, PublishInfo(embedder.model_id, embedder.dimensions, NOW.isoformat()))
    return Indexed(collection, SearchEngine(store, QueryVectors(lambda _: embedder), RankingSettings(), lambda: NOW))


def test_a_page_with_a_rare_name_is_above_pages_without(site: Indexed) -> None:
    pages = {_url(document): f"{document.title}\n{document.text}".lower() for document in site.collection.documents}
    names = sorted({name for document in site.collection.documents for name in NAME.findall(document.text)})
    holders = {name: [url for url, text in pages.items() if name.lower() in text] for name in names}
    rare = [name for name in names if len(holders[name]) == 1]
    rare_names = random.Random(1).sample(rare, min(SAMPLE, len(rare)))
    second = {name: site.urls(name)[:2] for name in rare_names if site.urls(name)[:1] != holders[name]}
    assert second == {}


def test_the_exact_title_finds_its_page_first(site: Indexed) -> None:
    titles = [document.title.casefold() for document in site.collection.documents]
    unique = [d for d in site.collection.documents if titles.count(d.title.casefold()) == 1 and len(d.text) > 200]
    second = {d.title: site.urls(d.title)[:2] for d in unique if d.title and site.urls(d.title)[:1] != [_url(d)]}
    assert second == {}


def test_nonsense_finds_nothing_and_true_queries_something(site: Indexed) -> None:
    query_sample = nonsense(seed=11, of_each=SAMPLE)
    answered = [q for q in query_sample if site.urls(q, 1)]
    # A page of the documentation of React names garlic and bananas.
    allowed = 0 if site.collection.name in (COMMITTED, CHEAPEST) else len(query_sample) // 100
    assert len(answered) <= allowed, answered
    queries = [query.text[:1000] for query in site.collection.queries]
    assert sum(not site.urls(q, 1) for q in queries) <= len(queries) // 100


def test_a_narrower_filter_loses_no_match_and_order_stays(site: Indexed) -> None:
    for query in site.collection.queries[:SAMPLE]:
        urls = site.urls(query.text)
        assert urls == site.urls(query.text)
        for url in urls:
            assert url in site.urls(query.text, 100, url), (query.text, url)
