"""The engine over a real store."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from search_site import DOCS, MAIN, NOW, Piece, Site, make_site

from searchsocket.errors import (
    BadVectors,
    EmbedderUnavailable,
    EmbeddingModelMismatch,
    InvalidRequest,
    ScopeNotIndexed,
    VectorBackendUnavailable,
)
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search import engine as engine_module
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking import weights
from searchsocket.search.ranking.weights import FEATURES, Shares
from searchsocket.stores.base.index_reader import ReadableRecord
from searchsocket.stores.base.vectors import VectorLimits
from searchsocket.stores.local.catalogue.snapshot import LocalCatalogue
from searchsocket.types import GroupBy, Scope


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"), DOCS)


def urls(site: Site, q: str, **options: object) -> list[str]:
    answer = site.engine.search(SearchQuery(q, **options), MAIN)  # type: ignore[arg-type]
    return [result.url for result in answer.results]


def test_the_page_that_answers_comes_first_with_its_section_and_marks(site: Site) -> None:
    """Spec 14.1: title, section, snippet, score and source file."""
    answer = site.engine.search(SearchQuery("install controller"), MAIN)
    best = answer.results[0]
    assert (best.url, best.href, best.title) == (
        "/docs/install",
        "/docs/install#install-the-controller",
        "Installation",
    )
    assert best.section_title == "Install the controller"
    assert best.route_file == "src/routes/docs/install/+page.svelte"
    assert "<mark>Installing</mark> the <mark>controller</mark>" in best.snippet_html
    assert 0 < best.score <= 1
    assert [section.title for section in best.sections] == ["Install the controller", "Remove it"]


def test_an_answer_tells_where_it_comes_from(site: Site) -> None:
    """Scope, generation, age, model and the time of each part (spec 22)."""
    answer = site.engine.search(SearchQuery("battery"), MAIN)
    assert (answer.scope, answer.meta.age_seconds, answer.meta.model_id) == ("main", 3600.0, site.embedder.model_id)
    assert answer.meta.generation == site.store.reader(MAIN).generation.name == answer.results[0].generation
    assert answer.meta.timings_ms.total >= answer.meta.timings_ms.vector > 0


def test_a_page_is_one_result_and_chunks_are_flat(site: Site) -> None:
    assert urls(site, "controller").count("/docs/install") == 1
    assert urls(site, "controller", group_by="chunk").count("/docs/install") == 2


def test_a_prefix_is_a_directory_not_a_string(site: Site) -> None:
    """Failure mode 33: `/docs` must not find `/docs-old`; and 34: any spelling of the prefix finds the same."""
    expected = urls(site, "battery", path_prefix="/docs")
    assert "/docs/battery" in expected
    assert all(url.startswith("/docs/") for url in expected)
    assert urls(site, "battery", path_prefix="docs/") == urls(site, "battery", path_prefix="/docs/") == expected


@pytest.mark.parametrize(
    "hostile", ["/docs' OR '1'='1", '/docs"', "/%", "/_ocs", "/docs*", "/docs\\", "/../docs-old/.."]
)
def test_a_hostile_prefix_is_only_a_prefix(site: Site, hostile: str) -> None:
    """Failure mode 35: quotes and wildcards must not change the filter."""
    page_urls = urls(site, "battery", path_prefix=hostile)
    assert page_urls == [] or hostile == "/../docs-old/.."


@pytest.mark.parametrize("hostile", ["guide' OR 1=1 --", 'guide" OR "', "%", "guid_", "guide power"])
def test_a_hostile_tag_matches_nothing(site: Site, hostile: str) -> None:
    assert urls(site, "battery", tags=(hostile,)) == []


def test_a_page_must_carry_all_tags(site: Site) -> None:
    """Failure mode 37: several tags narrow, they do not widen."""
    assert urls(site, "battery", tags=("guide", "power")) == ["/docs/battery"]


def test_narrowing_the_filter_never_loses_a_match(site: Site) -> None:
    """A result of the whole site is also a result of its directory (spec 19)."""
    for q in ("battery", "robot in winter", "zzqx", "how to charge", "?!"):
        everything = urls(site, q, group_by="chunk", top_k=100)
        for prefix in ("/docs", "/blog", "/docs/install"):
            inside = urls(site, q, group_by="chunk", top_k=100, path_prefix=prefix)
            assert set(inside) >= {url for url in everything if url == prefix or url.startswith(prefix + "/")}


def test_the_order_is_the_same_on_every_run(site: Site) -> None:
    again = SearchEngine(site.store, QueryVectors(lambda _: site.embedder), site.settings, lambda: NOW)
    assert (
        site.engine.search(SearchQuery("battery"), MAIN).results == again.search(SearchQuery("battery"), MAIN).results
    )


def test_equal_pages_come_by_url(tmp_path: Path) -> None:
    """No score decides, so the URL does (spec 26, item 3)."""
    pieces = [Piece(url, "The same words.", title="Same", links=1) for url in ("/c", "/a", "/b")]
    assert urls(make_site(tmp_path, pieces), "same words") == ["/a", "/b", "/c"]


def test_incoming_links_and_depth_decide_between_equals(tmp_path: Path) -> None:
    """Spec 13.1, and each switch has an effect."""
    pieces = [
        Piece("/a/deep/page", "The same words.", title="Same"),
        Piece("/b", "The same words.", title="Same"),
        Piece("/c/deep/page", "The same words.", title="Same", links=20),
    ]
    site = make_site(tmp_path, pieces)
    assert urls(site, "same words") == ["/c/deep/page", "/b", "/a/deep/page"]
    links_only = replace(site, settings=RankingSettings(enable_depth_boost=False))
    assert urls(links_only, "same words") == ["/c/deep/page", "/a/deep/page", "/b"]
    depth_only = replace(site, settings=RankingSettings(enable_incoming_link_boost=False))
    assert urls(depth_only, "same words") == ["/b", "/a/deep/page", "/c/deep/page"]
    neither = RankingSettings(enable_incoming_link_boost=False, enable_depth_boost=False)
    assert urls(replace(site, settings=neither), "same words") == ["/a/deep/page", "/b", "/c/deep/page"]


def test_a_page_weight_moves_the_page(tmp_path: Path) -> None:
    """`searchsocket-weight` counts, and 0 takes the page out (failure mode 71: no inert option)."""
    pieces = [Piece(url, "The same words.", title="Same", weight=w) for url, w in (("/a", 0.5), ("/b", 1), ("/c", 2))]
    site = make_site(tmp_path, [*pieces, Piece("/hidden", "The same words.", title="Same", weight=0)])
    answer = site.engine.search(SearchQuery("same words"), MAIN)
    assert [result.url for result in answer.results] == ["/c", "/b", "/a"]
    assert all(0 <= result.score <= 1 for result in answer.results)


@pytest.mark.parametrize("q", ["battery", "charge battery", "how do I charge the battery of my phone"])
@pytest.mark.parametrize("group_by", ["page", "chunk"])
def test_explain_gives_the_parts_that_make_the_score(site: Site, q: str, group_by: GroupBy) -> None:
    answer = site.engine.search(SearchQuery(q, explain=True, group_by=group_by), MAIN)
    assert answer.results
    weights = site.settings.weights
    parts = [result.explanation for result in answer.results]
    most = max(part.second + part.exact for part in parts if part is not None)
    for result, part in zip(answer.results, parts, strict=True):
        assert part is not None
        whole = (part.fused + part.second + part.links + part.depth + part.exact) * part.weight
        actual = part.vector_share * part.vector + part.keyword_share * part.keyword + part.page_share * part.page
        assert part.fused == pytest.approx(actual, abs=1e-5)
        assert 0 <= part.names + part.passage <= part.exact + 1e-5
        assert result.score == pytest.approx(whole / (1 + weights.incoming_links + weights.depth + most), abs=1e-5)
        assert sum(feature.part for feature in part.features) == pytest.approx(result.score, abs=1e-5)
        gains = {feature.name: feature.weight * feature.value for feature in part.features}
        assert gains.keys() <= FEATURES.keys()
        added = sum(gain for name, gain in gains.items() if name not in ("meaning", "words", "page"))
        assert added == pytest.approx(part.second + part.links + part.depth + part.exact, abs=1e-5)
    assert site.engine.search(SearchQuery("battery"), MAIN).results[0].explanation is None


def test_nonsense_gets_no_results_and_says_so(site: Site) -> None:
    answer = site.engine.search(SearchQuery("qzxjv wvkqp"), MAIN)
    assert (answer.results, answer.quality) == ((), "rejected")


@pytest.mark.parametrize(
    "odd", ["the of and", "?!…", "🤖🔋", "שלום עולם", "a" * 1000, '"', "((((", "-", "AND OR NOT", "title:*"]
)
def test_odd_queries_are_answered_without_a_fault(site: Site, odd: str) -> None:
    """Only stop words, only punctuation, emoji, right to left, query syntax: no error."""
    assert site.engine.search(SearchQuery(odd), MAIN).meta.generation


def test_another_model_is_named_not_searched(site: Site) -> None:
    """Spec 10.6: vectors of two models cannot be compared."""

    class Other(type(site.embedder)):  # type: ignore[misc]
        model_id = "other-v1"

    with pytest.raises(EmbeddingModelMismatch, match=r"hash-512-v1.*other-v1"):
        replace(site, embedder=Other()).engine.search(SearchQuery("battery"), MAIN)


def test_a_scope_without_an_index_is_an_error_not_an_empty_answer(site: Site) -> None:
    with pytest.raises(ScopeNotIndexed):
        site.engine.search(SearchQuery("battery"), Scope("site", "other"))


def test_an_outage_is_never_no_results(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failure mode 45."""

    def down(*_: object, **__: object) -> None:
        raise VectorBackendUnavailable("10.0.0.7 refused the connection")

    reader = site.store.reader(MAIN)
    for part, method in ((reader, "join"), (reader.words, "evidence"), (reader.catalogue, "readable")):
        with monkeypatch.context() as patch:
            patch.setattr(part, method, down)
            with pytest.raises(VectorBackendUnavailable):
                site.engine.search(SearchQuery("battery"), MAIN)


def test_words_alone_answer_with_a_note_where_the_model_is_down(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an error, nor in silence; and whatever is asked for is answered."""
    usual = site.engine.search(SearchQuery("battery"), MAIN)
    monkeypatch.setattr(type(site.embedder), "embed", lambda *_: (_ for _ in ()).throw(EmbedderUnavailable("down")))
    for query in (
        SearchQuery("battery"),
        SearchQuery("battery", path_prefix="/docs"),
        SearchQuery("battery", group_by="chunk", explain=True),
    ):
        answer = site.engine.search(query, MAIN)
        assert [note.code for note in answer.meta.notes] == ["EMBEDDER_UNAVAILABLE"]
        assert answer.results
        assert all(0 <= result.score <= 1 for result in answer.results)
        assert {result.explanation.vector for result in answer.results if result.explanation} <= {0.0}
    assert usual.meta.notes == ()
    assert site.engine.search(SearchQuery("xyzzy plugh"), MAIN).results == ()


@pytest.mark.parametrize(
    "vectors", [np.zeros((1, 3), np.float32), np.full((1, 512), np.nan, np.float32), np.zeros((0, 512))]
)
def test_a_bad_query_vector_is_not_searched(site: Site, monkeypatch: pytest.MonkeyPatch, vectors: np.ndarray) -> None:
    """Failure mode 44."""
    monkeypatch.setattr(type(site.embedder), "embed", lambda *_: vectors)
    with pytest.raises(BadVectors):
        site.engine.search(SearchQuery("battery"), MAIN)


@pytest.mark.parametrize(
    "query",
    [
        SearchQuery(""), SearchQuery(" \x00\n"), SearchQuery("x" * 1001), SearchQuery("x " * 50_000),
        SearchQuery("x", top_k=0), SearchQuery("x", top_k=101), SearchQuery("x", tags=("",)),
        SearchQuery("x", tags=tuple(map(str, range(21)))), SearchQuery("x", tags=("t" * 201,)),
        SearchQuery("x", path_prefix="/\x00"), SearchQuery("x", path_prefix="/a" * 2000),
        SearchQuery("x", group_by="site"),  # type: ignore[arg-type]
    ],
    ids=range(12),
)  # fmt: skip
def test_values_beyond_a_limit_are_refused(site: Site, query: SearchQuery) -> None:
    with pytest.raises(InvalidRequest):
        site.engine.search(query, MAIN)


def test_a_new_generation_is_searched_at_once(tmp_path: Path) -> None:
    """Failure mode 54."""
    site = make_site(tmp_path, DOCS)
    assert "/docs/solar" not in urls(site, "solar panel")
    site.publish([Piece("/docs/solar", "The solar panel charges on the roof.", title="Solar panel")])
    assert urls(site, "solar panel")[0] == "/docs/solar"


def test_a_page_that_its_summary_finds_is_quoted_where_it_answers(tmp_path: Path) -> None:
    """A description without the query's words may be that of every page of the site."""
    summary = Piece("/a", "Zebra care\nFeeding", title="Zebra care", kind="summary", description="The best site.")
    section = Piece("/a", "They eat grass.", title="Zebra care", section="Feeding", ordinal=1)
    best = make_site(tmp_path, [summary, section]).engine.search(SearchQuery("zebra care"), MAIN).results[0]
    assert (best.kind, best.href, best.snippet) == ("summary", "/a", "They eat grass.")


def test_only_records_that_are_shown_are_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranking needs a few columns of its hundred candidates; their texts stay on disk."""
    reader = site.store.reader(MAIN)
    read: list[str] = []

    def readable(ids: Sequence[str]) -> list[ReadableRecord]:
        read.extend(ids)
        return LocalCatalogue.readable(reader.catalogue, ids)

    monkeypatch.setattr(reader.catalogue, "readable", readable)
    answer = site.engine.search(SearchQuery("install the controller", top_k=1), MAIN)
    [best] = answer.results
    assert set(read) <= {record.id for record in reader.catalogue.page_records(best.url)}
    assert len(read) <= 1 + len(best.sections)


def test_only_a_small_index_that_is_open_is_answered_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other query would keep the event loop from its other callers."""
    monkeypatch.setattr(type(site.embedder), "is_instant", True)
    site.store.reader(MAIN)
    assert site.engine.answers_at_once(MAIN)
    with monkeypatch.context() as patch:
        patch.setattr(engine_module, "_FEW_RECORDS", 1)
        assert not site.engine.answers_at_once(MAIN)
    monkeypatch.setattr(type(site.store.reader(MAIN).vectors), "limits", VectorLimits(is_remote=True))
    assert not site.engine.answers_at_once(MAIN)


@pytest.mark.parametrize("is_instant", [True, False])
def test_a_model_that_reads_sentences_counts_by_shares_of_its_own(
    site: Site, monkeypatch: pytest.MonkeyPatch, *, is_instant: bool
) -> None:
    """A table of words is there at once; what a network says of a query is worth more (docs/notes/ranking.md)."""
    monkeypatch.setattr(type(site.embedder), "is_instant", is_instant)
    monkeypatch.setattr(weights, "_WHOLE", 100.0)  # chunks per page
    monkeypatch.setattr(weights, "READ_WHOLE", Shares(0.0, 0.0, 0.0))
    [best, *_] = site.engine.search(SearchQuery("install the controller", explain=True), MAIN).results
    assert best.explanation
    assert (best.explanation.fused > 0) is is_instant


def test_a_very_long_page_hides_no_other(tmp_path: Path) -> None:
    """All chunks of the long page are nearer to the query than those of the others, and more than are fetched."""
    chunks = [Piece("/api", "stream stream", "API", f"stream {number}", ordinal=number) for number in range(400)]
    others = [
        Piece(f"/guide/{number}", f"Part {number}: water flows, as a stream does.", "Guide") for number in range(8)
    ]
    answer = make_site(tmp_path, [*chunks, *others]).engine.search(SearchQuery("stream"), MAIN)
    assert answer.results[0].url == "/api"
    assert {result.url for result in answer.results} == {"/api", *(piece.url for piece in others)}
