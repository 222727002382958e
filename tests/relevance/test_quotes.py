"""Quotes under results, counted over the queries of the example site, and of real sites if they are available."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.relevance.collection import Collection, load_named, names_of
from bench.relevance.example_site import example_site
from bench.relevance.product import NOW, SCOPE, Indexes
from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery

ELSEWHERE = Path(os.environ.get("SEARCHSOCKET_RELEVANCE") or Path(__file__).parents[3] / "shared" / "relevance")
SITES = names_of(ELSEWHERE) if ELSEWHERE.is_dir() else []
QUERIES = 40  # of each site, spread over all
RESULTS = 5
TRUE_STARTS = 0.8
LONGEST_WORD = 80


def sites() -> list[Any]:
    results = [pytest.param("example_site")]
    for name in ("site_vue", "site_react", "site_eslint"):
        absent = pytest.mark.skipif(name not in SITES, reason=f"no collection {name} in {ELSEWHERE}")
        long = [] if name == "site_vue" else [pytest.mark.long]  # 11 and 17 s
        results.append(pytest.param(name, marks=[*long, absent]))
    return results


@pytest.mark.parametrize("name", sites())
def test_no_word_is_cut_and_most_snippets_begin_truly(name: str) -> None:
    """A word is what stands between blanks on the page: identifiers and calls are whole too."""
    collection = example_site() if name == "example_site" else load_named(ELSEWHERE, name)
    cut, cut_starts, snippets = list[str](), 0, 0
    for snippet, full_text in quotes(collection):
        words = set(full_text.split())
        cut += [word for word in snippet.strip("…").split() if word not in words and len(word) < LONGEST_WORD]
        cut_starts += snippet.startswith("…") and not full_text.startswith("…")
        snippets += 1
    assert cut == []
    assert snippets > 100
    assert cut_starts / snippets <= 1 - TRUE_STARTS


def quotes(collection: Collection) -> Iterator[tuple[str, str]]:
    """Each snippet of the best results, with all that its page says."""
    embedder = BuiltinEmbedder()
    indexes = Indexes(embedder)
    step = max(len(collection.queries) // QUERIES, 1)
    for indexed in indexes.of(collection):
        texts: dict[str, str] = {}
        engine = SearchEngine(indexed.store, QueryVectors(lambda _: embedder), RankingSettings(), lambda: NOW)
        catalogue = indexed.store.reader(SCOPE).catalogue
        for query in collection.queries[::step]:
            search_query = SearchQuery(query.text[:MAX_QUERY_CHARS], RESULTS, section_snippets=True)
            for result in engine.search(search_query, SCOPE).results:
                if result.url not in texts:
                    records = catalogue.page_records(result.url)
                    texts[result.url] = "\n".join(chunk_text(record.page, record.chunk).text for record in records)
                for snippet in (result.snippet, *(section.snippet for section in result.sections)):
                    yield re.sub(r"…$", "", snippet), texts[result.url]
