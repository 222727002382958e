"""A question takes the conditions of a search, with the same errors, and obeys the rules of the owner."""

from typing import Any

import pytest

from search_api.app import create_app
from tests.api_client import Api
from tests.pipeline.conftest import Site

LANTERN = "How is the lantern of the lighthouse lit?"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("lighthouse"))
    (site.root / "searchsocket.toml").write_text('facets = {level = "number"}\n')
    for version, tool in (("1.0", "a match"), ("2.0", "a spark"), ("3.0", "a spark")):
        text = f"<p>The lantern of the lighthouse is lit with {tool}, every evening at dusk.</p>"
        site.write(f"{version}/lantern/index.html", "Lantern", text)
        site.write(f"{version}/index.html", "Manual", "<p>The manual of the keeper.</p>")
    for name, level in (("paint", 2), ("rust", 5)):
        head = f"<meta name=level content={level}><meta name=searchsocket-tags content={name}>"
        reason = "since the salt of the sea and the wind of the winter spoil all that is made of iron " * 6
        text = f"<p>The railing of the harbour is cleaned of {name}, {reason}.</p>"
        site.write(f"care/{name}.html", "Care", head + text)
    site.delete("blog/second.html")
    site.index()
    return site


@pytest.fixture
def api(built: Site) -> Api:
    (built.root / "curation.toml").write_text("")
    return Api(create_app(built.project, environ={}, host="127.0.0.1"), "127.0.0.1", "http://localhost:8181")


def cited(api: Api, question: str, **fields: Any) -> list[str]:
    """Links of the passages."""
    reply = api.post({"question": question, "limit": 10, **fields}, "/api/ask")
    assert reply.status_code == 200, reply.text
    return [passage["href"] for passage in reply.json()["passages"]]


def test_the_newest_version_answers_unless_another_is_requested(api: Api) -> None:
    assert cited(api, LANTERN) == ["/3.0/lantern/"]
    assert cited(api, LANTERN, version="1.0") == ["/1.0/lantern/"]
    assert cited(api, LANTERN, version="2.0") == ["/2.0/lantern/"], "its text is stored with that of 3.0"
    assert set(cited(api, LANTERN, version=["1.0", "3.0"])) == {"/1.0/lantern/", "/3.0/lantern/"}
    assert cited(api, LANTERN, pathPrefix="/1.0") == ["/1.0/lantern/"]


def test_filters_and_tags_select_pages(api: Api) -> None:
    question = "What is the railing of the harbour cleaned of?"
    assert set(cited(api, question)) == {"/care/paint", "/care/rust"}
    assert cited(api, question, tags=["rust"]) == ["/care/rust"]
    assert cited(api, question, filters={"level": "<=2"}) == ["/care/paint"]
    assert cited(api, question, filters={"language": "de"}) == []
    assert cited(api, question, filters={"kind": "summary"}) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"version": "9"},
        {"filters": {"colour": "red"}},
        {"filters": {"level": "high"}},
        {"filters": {"language": "!"}},
        {"tags": [" "]},
        {"preferLanguage": "!"},
        {"pathPrefix": 1},
    ],
)
def test_errors_are_those_of_a_search(fields: dict[str, Any], api: Api) -> None:
    search, ask = api.post({"q": LANTERN, **fields}), api.post({"question": LANTERN, **fields}, "/api/ask")
    assert (ask.status_code, ask.json()) == (search.status_code, search.json())
    assert search.status_code in (400, 404)


def test_a_token_continues_the_same_filters_only(api: Api) -> None:
    body = {"question": "What is the railing of the harbour cleaned of?", "filters": {"level": ">1"}, "limit": 2}
    first = api.post({**body, "maxTokens": 200}, "/api/ask").json()
    token = {"continuationToken": first["continuationToken"]}
    second = api.post({**body, **token}, "/api/ask").json()
    hrefs = [passage["href"] for answer in (first, second) for passage in answer["passages"]]
    assert sorted(hrefs) == ["/care/paint", "/care/rust"]
    for other in ({}, {"level": ">2"}):
        reply = api.post({**body, **token, "filters": other}, "/api/ask")
        assert reply.json()["error"]["code"] == "CONTINUATION_GONE"


def test_pages_that_the_owner_hides_are_not_cited(api: Api, built: Site) -> None:
    (built.root / "curation.toml").write_text('[[hide]]\nquery = "*railing*"\npages = ["/care/paint"]\n')
    assert cited(api, "What is the railing of the harbour cleaned of?") == ["/care/rust"]
    (built.root / "curation.toml").write_text('[[hide]]\nquery = "*"\npages = ["/care/*"]\n')
    assert cited(api, "What is the railing of the harbour cleaned of?") == []
