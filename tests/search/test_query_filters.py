"""Filters and counts of a query: checked against the facets of the settings, and answered."""

from pathlib import Path

import pytest
from search_site import MAIN, NOW, PROJECT, PUBLISHED

from searchsocket.errors import InvalidRequest, UnknownFacet
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.engine import SearchEngine
from searchsocket.search.filters import Filters, with_stated_values
from searchsocket.search.query import SearchQuery, checked, cost_of
from searchsocket.serving.answers import to_json
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import make_record
from searchsocket.types import FacetKind, Filter

FACETS: dict[str, FacetKind] = {"version": "string", "level": "number", "stable": "boolean", "topics": "strings"}
STATED = {
    "/a": ("level=1", "topics=x", "topics=y", "version=3"),
    "/b": ("level=2", "topics=x", "version=3"),
    "/c": ("version=4",),
    "/d": (),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> SearchEngine:
    """Four pages that say the same, each in two chunks."""
    embedder, root = HashEmbedder(), Path(tmp_path_factory.mktemp("filters"))
    store = LocalStore(root, PROJECT)
    records = [
        make_record(
            f"{url[1:]}{ordinal}", "the robot sleeps", url=url, title="Robot", facets=facets, ordinal=ordinal,
            project_id=PROJECT, model_id=embedder.model_id, language="pt-BR" if url == "/d" else "en",
        )
        for url, facets in STATED.items() for ordinal in (0, 1)
    ]  # fmt: skip
    store.upsert(records, embedder.embed(["the robot sleeps"] * len(records), "passage"), MAIN)
    store.publish(MAIN, PublishInfo(embedder.model_id, embedder.dimensions, PUBLISHED))
    queries = QueryVectors(lambda _: embedder)
    return SearchEngine(store, queries, RankingSettings(), lambda: NOW, FACETS | {"edition": "string"})


def urls(engine: SearchEngine, *filters: tuple[str, tuple[str, ...]]) -> set[str]:
    return {result.url for result in engine.search(SearchQuery("robot", filters=filters), MAIN).results}


def test_a_named_condition_is_met(engine: SearchEngine) -> None:
    assert urls(engine) == set(STATED)
    assert urls(engine, ("version", ("3",))) == {"/a", "/b"}
    assert urls(engine, ("version", ("3", "4"))) == urls(engine, ("version", ("3",)), ("version", ("4",)))
    assert urls(engine, ("version", ("3", "4"))) == {"/a", "/b", "/c"}
    assert urls(engine, ("version", ("3",)), ("level", ("2.0",))) == {"/b"}
    assert urls(engine, ("topics", ("y", "z"))) == {"/a"}
    assert urls(engine, ("language", ("PT",))) == {"/d"}
    assert urls(engine, ("kind", ("summary",))) == set()


def test_numbers_are_compared(engine: SearchEngine) -> None:
    assert urls(engine, ("level", ("<=1",))) == {"/a"}
    assert urls(engine, ("level", (">1.5",))) == {"/b"}
    assert urls(engine, ("level", (">=1", "< 2"))) == {"/a"}  # all comparisons hold
    assert urls(engine, ("level", ("<2", "2"))) == {"/a", "/b"}  # or the value is named
    assert urls(engine, ("level", (">2",))) == set()
    assert urls(engine, ("level", (">=1",)), ("topics", ("y",))) == {"/a"}


def test_a_text_is_not_compared(engine: SearchEngine) -> None:
    assert urls(engine, ("version", (">=3",))) == set()


@pytest.mark.parametrize("value", ["<", "<=many", "><1"])
def test_a_comparison_needs_a_number(engine: SearchEngine, value: str) -> None:
    with pytest.raises(InvalidRequest, match="level"):
        urls(engine, ("level", (value,)))


def test_values_of_an_earlier_type_are_not_selected() -> None:
    labels = ["level=1", "level=easy", "other=0"]
    assert with_stated_values((("level", ("<5",)),), FACETS, lambda: labels) == (("level", ("1",)),)


def test_counts_are_of_distinct_pages_among_the_candidates(engine: SearchEngine) -> None:
    everything = engine.search(SearchQuery("robot", top_k=1, facets=("version", "topics", "level")), MAIN)
    assert len(everything.results) == 1
    assert everything.facets == {"version": {"3": 2, "4": 1}, "topics": {"x": 2, "y": 1}, "level": {"1": 1, "2": 1}}
    assert everything.facets is not None
    assert list(everything.facets["version"]) == ["3", "4"]
    narrowed = engine.search(SearchQuery("robot", filters=(("level", ("1",)),), facets=("version",)), MAIN)
    assert narrowed.facets == {"version": {"3": 1}}


def test_an_answer_without_counts_says_nothing_of_them(engine: SearchEngine) -> None:
    """A client that knows no facets gets what it always got."""
    plain = engine.search(SearchQuery("robot"), MAIN)
    assert b'"facets"' not in to_json(plain, sources=False)
    answer = engine.search(SearchQuery("robot", facets=("version",)), MAIN)
    assert b'"facets":{"version":{"3":2,"4":1}}' in to_json(answer, sources=False)


def test_a_facet_that_no_page_states_is_noted(engine: SearchEngine) -> None:
    """The setting may be newer than the index, and an empty answer would look like no match."""
    answer = engine.search(SearchQuery("robot", filters=(("edition", ("2",)),), facets=("version",)), MAIN)
    assert answer.results == ()
    assert [note.code for note in answer.meta.notes] == ["FACET_NOT_INDEXED"]
    assert "'edition'" in answer.meta.notes[0].message
    answer = engine.search(SearchQuery("robot", filters=(("language", ("fr",)),)), MAIN)
    assert [note.code for note in answer.meta.notes] == ["LANGUAGE_NOT_INDEXED"]
    assert engine.search(SearchQuery("robot", filters=(("language", ("pt",)),)), MAIN).meta.notes == ()


def test_a_query_without_filters_asks_the_store_for_everything() -> None:
    assert checked(SearchQuery("robot"), FACETS).where == Filter()
    assert cost_of(SearchQuery("robot", filters=(("level", ("1",)),)), 100) > cost_of(SearchQuery("robot"), 100)


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ((("versoin", ("3",)),), "unknown facet 'versoin'; did you mean 'version'?"),
        ((("lang", ("en",)),), "'language'"),
        ((("level", ("three",)),), "filter level: 'three' is not a number"),
        ((("stable", ("maybe",)),), "neither true nor false"),
        ((("version", (" ",)),), "from 1 to 200 characters"),
        ((("version", ("x" * 201,)),), "201 characters"),
        ((("version", ()),), "from 1 to 50 values, not 0"),
        ((("version", tuple(map(str, range(51)))),), "not 51"),
        ((("kind", ("chapter",)),), "one of summary, section, links, definition, block"),
        ((("language", ("e",)),), "a language like en"),
        ((("language", ("en=x",)),), "a language like en"),
    ],
)
def test_an_impossible_condition_is_refused_with_advice(filters: Filters, words: str) -> None:
    with pytest.raises(InvalidRequest, match=".") as refused:
        checked(SearchQuery("robot", filters=filters), FACETS)
    assert words in str(refused.value)


def test_only_facets_are_counted() -> None:
    with pytest.raises(UnknownFacet, match=r"unknown facet 'language'; .*\[facets\]"):
        checked(SearchQuery("robot", facets=("language",)), FACETS)
    with pytest.raises(UnknownFacet, match=r"unknown facet 'version'; configure facets"):
        checked(SearchQuery("robot", facets=("version",)))
