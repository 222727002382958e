"""`/api/pages/{path}`: one page of the index."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from api_client import ENVIRON, KEY, Api, body_of, make_project
from search_site import NOW, Piece, Site

from search_api.app import create_app
from searchsocket.errors import EmbedderUnavailable
from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import Project
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.serving.pages import suggestions
from searchsocket.stores.local.store import LocalStore
from searchsocket.text.token_count import count_tokens
from searchsocket.types import Vectors
from tests.counted_calls import calls

WITH_KEY = {"authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "path", ["docs/install", "docs/install/", "/docs//install", "docs/./x/../install", "docs/%69nstall"]
)
def test_a_page_is_found_by_any_spelling(api: Api, path: str) -> None:
    body = api.get(f"/api/pages/{path}").json()
    assert body["url"] == "/docs/install"
    assert body["markdown"].startswith("# Installation")
    assert body["generation"]


@pytest.mark.parametrize("address", ["/api/pages/docs/install?utm_source=mail", "/api/pages?url=/docs/install&utm=a"])
def test_parameters_of_others_are_ignored(api: Api, address: str) -> None:
    """Links to pages are passed on with what campaigns add to them."""
    assert api.get(address).json()["url"] == "/docs/install"


def test_the_root_page_has_an_address_too(api: Api) -> None:
    assert api.get("/api/pages/").json()["url"] == "/"
    assert api.get("/api/pages/index.md").text.startswith('---\nurl: "/"\n')


@pytest.mark.parametrize(
    ("path", "headers"),
    [("docs/install.md", {}), ("docs/install/index.md", {}), ("docs/install", {"accept": "text/markdown, */*;q=0.1"})],
)  # fmt: skip
def test_markdown_is_given_as_the_mirror_had_it(api: Api, path: str, headers: dict[str, str]) -> None:
    answer = api.get(f"/api/pages/{path}", headers=headers | WITH_KEY)
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    front = yaml.safe_load(answer.text.split("---")[1])
    assert front["routeFile"] == "src/routes/secret/+page.svelte"
    assert "# Installation" in answer.text


def test_without_a_key_no_source_path_is_told(api: Api) -> None:
    """Only trusted callers read where a page comes from, in both forms (spec 14.3)."""
    page = api.get("/api/pages/docs/install").json()
    assert (page["routeFile"], page["routeResolution"]) == (None, None)
    front = yaml.safe_load(api.get("/api/pages/docs/install.md").text.split("---")[1])
    assert "routeFile" not in front
    assert "routeResolution" not in front
    assert front["url"] == "/docs/install"


def test_a_wrong_path_names_pages_that_may_be_meant(api: Api) -> None:
    answer = api.get("/api/pages/docs/batery-charging")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "PAGE_NOT_FOUND")
    assert "/docs/battery" in answer.json()["error"]["suggestions"]


@pytest.mark.parametrize("path", ["nope", "robot", "docs/voice", "battery/nine/hours/dock", "%20", "docs/"])
def test_pages_are_suggested_only_when_they_are_named_alike(api: Api, path: str) -> None:
    """Pages that share only some words with the path are not suggested."""
    suggested = api.get(f"/api/pages/{path}").json()["error"]["suggestions"]
    assert set(suggested) <= ({"/docs/battery", "/docs-old/battery"} if "battery" in path else set())


@pytest.mark.parametrize(
    "path",
    ["../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/searchsocket.toml", "..\\searchsocket.toml",
     "/etc/passwd", "//etc/passwd", "docs/../../secret-branch/docs/install", "%252e%252e/x", "~root", "C:/x", "file:///x",
     "docs/install.md.md", "docs/install%0A", "...", "a" * 3000, "%ff%fe", "index", "docs/%E2%80%AEinstall"],
)  # fmt: skip
def test_a_path_never_leads_to_a_file(api: Api, path: str) -> None:
    """Failure mode 12: only pages of the live index are read, whatever the path looks like."""
    answer = api.get(f"/api/pages/{path}", headers=WITH_KEY)
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text
    assert "[project]" not in answer.text


def test_a_nul_in_a_path_is_refused(api: Api) -> None:
    assert api.get("/api/pages/docs/install%00.md").status_code == 400


def test_another_scope_needs_a_key(api: Api) -> None:
    assert api.get("/api/pages/docs/install?scope=secret-branch").status_code == 403
    answer = api.get("/api/pages/docs/install?scope=secret-branch", headers=WITH_KEY)
    assert answer.json()["markdown"] == "# Secret branch"


def test_a_text_of_another_page_is_our_fault(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    store = LocalStore(project.state_dir / "index", "site")
    wrong = replace(body_of("main", "/docs/driving", "# Driving"), url="/docs/install", digest="other")
    Site(store).publish([], bodies=[wrong])
    errors: list[BaseException] = []
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", on_error=errors.append))
    answer = api.get("/api/pages/docs/install")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "INDEX_CORRUPT")
    assert str(tmp_path) not in answer.text
    assert len(errors) == 1


def test_percent_signs_in_names_are_not_decoded_twice(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    urls = ("/a%2541", "/aA")
    store = LocalStore(project.state_dir / "index", "site")
    Site(store).publish([Piece(url, "Text") for url in urls], bodies=[body_of("main", url, url) for url in urls])
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    assert api.get("/api/pages/a%2541").json()["url"] == "/a%2541"
    assert api.get("/api/pages/a%41").json()["url"] == "/aA"


@pytest.mark.parametrize(
    "path",
    ["/api/%70ages/docs/install", "/%61pi/pages/docs/install", "/api/pages%2fdocs/install", "/api%2Fpages/docs/install",
     "/api/%70%61%67%65%73/docs/%69nstall", "/api/pages/docs/install%2Emd", "/api/pages/docs%2Finstall",
     "/api/pages/%2Fdocs%2finstall%2F", "/api/pages/docs%2Finstall.md", "/api/%70ages/docs%2Finstall"],
)  # fmt: skip
def test_an_encoded_path_means_what_it_decodes_to(api: Api, path: str) -> None:
    answer = api.get(path, headers=WITH_KEY)
    assert answer.status_code == 200
    assert "# Installation" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/api/%70ages/%2e%2e/%2e%2e/searchsocket.toml", "/api/%70ages/docs/%252e%252e/install",
     "/api/%2570ages/docs/install", "/api/%70ages/%2e%2e%2fsecret-branch/docs/install",
     "/api/%70ages/docs%252Finstall"],
)  # fmt: skip
def test_an_encoded_path_leads_nowhere_else(api: Api, path: str) -> None:
    answer = api.get(path, headers=WITH_KEY)
    assert answer.status_code == 404
    assert "Secret branch" not in answer.text


def test_an_encoded_slash_is_a_slash_where_there_is_such_a_page(tmp_path: Path) -> None:
    """Clients that are made from the description write a whole path as one segment; by `url` a page has one name."""
    project = make_project(tmp_path)
    urls = ("/a%2Fb", "/a/b", "/c%2Fd", "/e/f%2541")
    store = LocalStore(project.state_dir / "index", "site")
    Site(store).publish([Piece(url, "Text") for url in urls], bodies=[body_of("main", url, url) for url in urls])
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    assert api.get("/api/pages/a%2Fb").json()["url"] == "/a/b"
    assert api.get("/api/pages", params={"url": "/a%2Fb"}).json()["url"] == "/a%2Fb"
    assert api.get("/api/pages/c%2Fd").json()["url"] == "/c%2Fd"
    for url in urls:
        assert api.get("/api/pages", params={"url": url}).json()["url"] == url
    assert api.get(f"/api/pages/{quote('e/f%2541', safe='')}").json()["url"] == "/e/f%2541"


@pytest.mark.parametrize("url", ["/docs/install", "docs/install/", "/docs/install.md", "/docs/%69nstall"])
def test_a_page_can_be_asked_for_by_its_address(api: Api, url: str) -> None:
    answer = api.get("/api/pages", params={"url": url}, headers=WITH_KEY)
    assert answer.status_code == 200
    assert "# Installation" in answer.text
    assert answer.headers["content-type"].startswith("text/markdown" if url.endswith(".md") else "application/json")


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 400), ("?url=", 400), ("?url=/docs/install&scope=secret-branch", 403), ("?url=/etc/passwd", 404),
     ("?url=..%2f..%2fsearchsocket.toml", 404), ("?url=%00", 400), ("?url=/docs%252Finstall", 404)],
)  # fmt: skip
def test_an_address_leads_to_pages_alone(api: Api, query: str, status: int) -> None:
    assert api.get(f"/api/pages{query}").status_code == status


def test_a_page_is_read_without_the_model(tmp_path: Path) -> None:
    """Failure mode 56: a model that is gone costs nearness of meaning, and nothing else."""

    class Gone(HashEmbedder):
        def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
            raise EmbedderUnavailable("no key")

    api = Api(create_app(make_project(tmp_path), environ=ENVIRON, host="0.0.0.0", embedder=Gone()))
    assert api.get("/api/pages/docs/install").status_code == 200
    answer = api.post({"q": "install"})
    assert answer.status_code == 200
    assert [note["code"] for note in answer.json()["meta"]["notes"]] == ["EMBEDDER_UNAVAILABLE"]
    assert answer.json()["results"]


@pytest.mark.parametrize("path", ["/a" * 300, "/" + "-".join(f"word{n}" for n in range(250))], ids=["deep", "long"])
def test_a_miss_costs_no_more_than_a_query(project: Project, path: str) -> None:
    """Counted in calls of functions: who guesses addresses is no reason to let others wait."""
    store = LocalStore(project.state_dir / "index", project.id)
    scope = project.scope_named("main")
    engine = SearchEngine(store, QueryVectors(lambda _: HashEmbedder()), project.settings.ranking, lambda: NOW)

    def miss() -> object:
        return suggestions(path, store.reader(scope))

    for query in ("battery", "install the controller"):  # what the first of each reads and imports is not counted
        engine.search(SearchQuery(query), scope)
    miss()
    assert calls(miss) <= calls(lambda: engine.search(SearchQuery("remove the battery"), scope))


LONG = "\n\n".join(["# A long page", *(f"## Section {n}\n\nThe battery of dock {n} lasts. " * 3 for n in range(40))])


@pytest.fixture
def long(tmp_path: Path) -> Api:
    project = make_project(tmp_path)
    store = LocalStore(project.state_dir / "index", "site")
    urls = ("/long", "/other")
    Site(store).publish([Piece(url, "Text") for url in urls], bodies=[body_of("main", url, LONG) for url in urls])
    return Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))


@pytest.mark.parametrize("address", ["/api/pages/long?", "/api/pages?url=/long&"])
def test_parts_of_a_page_are_the_page(long: Api, address: str) -> None:
    assert not {"truncated", "continuationToken"} & long.get(address).json().keys()  # nobody asked
    parts = [long.get(f"{address}maxTokens=300").json()]
    while token := parts[-1].get("continuationToken"):
        assert parts[-1]["truncated"]
        parts.append(long.get(f"{address}continuationToken={token}").json())
    assert "truncated" not in parts[-1]
    texts = [part["markdown"] for part in parts]
    assert "".join(texts) == LONG
    assert len(texts) > 5
    assert all(count_tokens(text) <= 300 for text in texts)
    assert all(text.startswith("#") for text in texts)  # whole sections
    first = long.get(f"{address}maxTokens=100000").json()
    assert (first["markdown"], "truncated" in first) == (LONG, False)


@pytest.mark.parametrize("address", ["/api/pages/long.md?", "/api/pages?url=/long.md&scope=main&"])
def test_markdown_goes_on_by_a_link(long: Api, address: str) -> None:
    whole, part = long.get(address), long.get(f"{address}maxTokens=300")
    assert "link" not in whole.headers
    texts = [part.text]
    while more := part.headers.get("link"):
        assert more.endswith('>; rel="next"')
        part = long.get(address.partition("?")[0] + more[1:].partition(">")[0])
        texts.append(part.text)
    assert "".join(texts) == whole.text
    assert len(texts) > 5


def test_a_token_of_something_else_is_refused(long: Api) -> None:
    token = long.get("/api/pages/long?maxTokens=300").json()["continuationToken"]
    searched = long.get("/api/search?q=text&maxTokens=200").json()
    for path, status, code in (
        (f"/api/pages/other?continuationToken={token}", 400, "INVALID_REQUEST"),
        (f"/api/pages/long?continuationToken={token[:-3]}", 404, "CONTINUATION_GONE"),
        (f"/api/pages/long?continuationToken={searched.get('continuationToken', 'none')}", 404, "CONTINUATION_GONE"),
        ("/api/pages/long?maxTokens=199", 400, "INVALID_REQUEST"),
        ("/api/pages/long?maxTokens=100001", 400, "INVALID_REQUEST"),
        ("/api/pages/long?maxTokens=few", 400, "INVALID_REQUEST"),
    ):
        answer = long.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), path


def test_a_token_ends_with_its_generation(long: Api, tmp_path: Path) -> None:
    token = long.get("/api/pages/long?maxTokens=300").json()["continuationToken"]
    store = LocalStore(tmp_path / ".searchsocket" / "index", "site")
    Site(store).publish([Piece("/long", "New")], bodies=[body_of("main", "/long", f"{LONG} and more")])
    long.app.state.service.store.refresh()
    answer = long.get(f"/api/pages/long?continuationToken={token}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "CONTINUATION_GONE")
