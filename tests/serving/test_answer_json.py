"""The JSON of answers: what the dataclasses say, and nothing about sources unless it is asked for (spec 14.1)."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from search_site import DOCS, MAIN, make_site

from searchsocket.search.answer import RelatedAnswer, Result, SearchAnswer
from searchsocket.search.query import SearchQuery
from searchsocket.search.wire import Wire
from searchsocket.serving.answers import to_json


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchAnswer, RelatedAnswer]:
    engine = make_site(tmp_path_factory.mktemp("site"), DOCS).engine
    return engine.search(SearchQuery("battery", explain=True, sources=True), MAIN), engine.related(
        "/docs/battery", MAIN
    )


def written(answer: Wire, *, sources: bool = False) -> Any:
    return json.loads(to_json(answer, sources=sources))


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def test_fields_are_written_in_their_order_and_camel_case(answers: tuple[SearchAnswer, RelatedAnswer]) -> None:
    left_out = ("kind", "code", "version", "versions", "languages", "is_pinned")  # on this site, or never
    own = [camel(field.name) for field in fields(Result) if field.name not in left_out]
    assert list(written(answers[0])["results"][0]) == own
    assert list(written(answers[0])) == ["q", "scope", "groupBy", "results", "total", "meta", "quality"]


def test_sources_are_written_for_the_trusted_alone(answers: tuple[SearchAnswer, RelatedAnswer]) -> None:
    """Whoever forgets to say who reads has said nothing."""
    for answer in answers:
        named = replace(answer, results=tuple(replace(one, route_file="src/a.svelte") for one in answer.results))  # type: ignore[type-var]
        for sources, expected in ((True, "src/a.svelte"), (False, None)):
            results = written(named, sources=sources)["results"]
            assert {entry["routeFile"] for entry in results} == {expected}
            assert {element["routeResolution"] is None for element in results} == {not sources}
            passages = [
                item for result in results for item in (result, *result.get("sections", ())) if "source" in item
            ]
            assert {passage[name] is None for passage in passages for name in ("source", "mirror")} <= {not sources}


def test_a_number_that_is_none_is_null(answers: tuple[SearchAnswer, RelatedAnswer]) -> None:
    """NaN is no JSON: a browser would refuse the whole answer."""
    broken = replace(answers[0], meta=replace(answers[0].meta, age_seconds=float("nan")))
    assert written(broken)["meta"]["ageSeconds"] is None


def test_the_commit_is_written_for_the_trusted_alone(answers: tuple[SearchAnswer, RelatedAnswer]) -> None:
    indexed = replace(answers[0], meta=replace(answers[0].meta, source_revision="abc123"))
    assert [written(indexed, sources=sources)["meta"]["sourceRevision"] for sources in (True, False)] == [
        "abc123",
        None,
    ]
