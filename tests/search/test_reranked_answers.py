"""Answers with a reranker: asked for by name, judged within bounds, and none the worse where it fails (spec 13.2)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from search_site import DOCS, MAIN, NOW, Site, make_site

from searchsocket.errors import InvalidRequest
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.models.rerankers.jina import JinaReranker
from searchsocket.models.rerankers.judge import Judge
from searchsocket.project.settings.features import RerankSettings
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.serving.capabilities.pages import TEMPORARY
from tests.models.rerankers.jina_server import KEY, Reply, Server, serve


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"), DOCS)


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


def engine(site: Site, server: Server, **settings: object) -> SearchEngine:
    expected = RerankSettings(provider="jina", **{"timeout_s": 20.0, "max_chars": 2000} | settings)  # type: ignore[arg-type]
    judge = Judge(JinaReranker("own-model", KEY, base_url=server.url), expected)
    return SearchEngine(
        site.store, QueryVectors(lambda _: site.embedder), site.settings, lambda: NOW, judge=lambda: judge
    )


def only(server: Server, text: str) -> Reply:
    """A judgement that likes what holds a text, and nothing else."""

    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        documents = server.requests[-1]["documents"]
        rows = [{"index": n, "relevance_score": float(text in one)} for n, one in enumerate(documents)]
        return answer | {"results": sorted(rows, key=lambda row: -row["relevance_score"])[: len(answer["results"])]}

    return Reply(spoil=spoil)


def test_the_reranker_is_called_only_on_request(site: Site, server: Server) -> None:
    plain = engine(site, server).search(SearchQuery("controller battery"), MAIN)
    assert (server.requests, plain.meta.used_rerank, plain.meta.timings_ms.rerank) == ([], False, 0.0)
    assert plain.results == site.engine.search(SearchQuery("controller battery"), MAIN).results


def test_the_best_are_sent_with_title_and_heading_and_put_in_another_order(site: Site, server: Server) -> None:
    query = SearchQuery("charge robot winter", group_by="chunk", explain=True)
    before = site.engine.search(query, MAIN)
    expected = before.results[-1].title
    server.always = only(server, expected)
    answer = engine(site, server).search(replace(query, rerank=True), MAIN)
    assert answer.results[0].title == expected != before.results[0].title
    assert (answer.meta.used_rerank, answer.meta.notes) == (True, ())
    assert answer.meta.timings_ms.rerank > 0
    assert answer.results[0].explanation
    assert answer.results[0].explanation.rerank == 1.0
    features = {feature.name: feature.part for feature in answer.results[0].explanation.features}
    assert sum(features.values()) == pytest.approx(answer.results[0].score, abs=1e-5)
    assert features["rerank"] > features["meaning"]
    (request,) = server.requests
    assert any(text.startswith(f"{expected}\n") for text in request["documents"])


def test_requests_to_the_reranker_are_bounded(site: Site, server: Server) -> None:
    engine(site, server, max_candidates=3, max_chars=100, top_n=2).search(
        SearchQuery("battery robot", rerank=True), MAIN
    )
    (request,) = server.requests
    assert (len(request["documents"]), request["top_n"]) == (3, 2)
    assert all(len(text) <= 100 for text in request["documents"])


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(500, {}), "RERANKER_UNAVAILABLE"),
        (Reply(429, {}), "RERANKER_UNAVAILABLE"),
        (Reply(cut=True), "RERANKER_UNAVAILABLE"),
        (Reply(body=b"<html>"), "RERANKER_UNAVAILABLE"),
        (Reply(spoil=lambda answer: answer | {"results": []}), "RERANKER_UNAVAILABLE"),
        (Reply(401, {}), "RERANKER_UNAVAILABLE"),
    ],
)
def test_a_failed_reranker_leaves_the_order_and_adds_a_note(
    site: Site, server: Server, reply: Reply, code: str
) -> None:
    server.always = reply
    before = site.engine.search(SearchQuery("controller battery"), MAIN)
    answer = engine(site, server).search(SearchQuery("controller battery", rerank=True), MAIN)
    assert answer.results == before.results
    assert [note.code for note in answer.meta.notes] == [code]
    assert answer.meta.used_rerank is False
    assert code in TEMPORARY  # caches do not keep such an answer


def test_nonsense_and_nothing_cost_nothing(site: Site, server: Server) -> None:
    for q in ("zzqx wxyv", "!?"):
        assert engine(site, server).search(SearchQuery(q, rerank=True), MAIN).results == ()
    assert server.requests == []


def test_it_is_refused_where_none_is_configured(site: Site) -> None:
    with pytest.raises(InvalidRequest, match=r"rerank\.provider"):
        site.engine.search(SearchQuery("battery", rerank=True), MAIN)


def test_results_keep_their_order_from_one_page_of_them_to_the_next(site: Site, server: Server) -> None:
    """The second page is ordered by the judgement of the first, which is paid for once."""
    engine_calls = engine(site, server)

    def urls(offset: int, top_k: int) -> list[str]:
        query = SearchQuery("battery robot", top_k, group_by="chunk", offset=offset, rerank=True)
        return [result.ref for result in engine_calls.search(query, MAIN).results]

    assert urls(0, 2) + urls(2, 2) == urls(0, 4)
    assert len(server.requests) == 1
