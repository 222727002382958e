"""Several projects in one service: one search over all, with the keys and limits of each, also if one is down."""

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from api_client import KEY, Api, make_project
from fastapi import FastAPI
from search_site import Piece, Site

from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.fleet.api import searcher
from searchsocket.extensions.fleet.api.app import create_sites_app, open_sites
from searchsocket.project.project import Project, open_project
from searchsocket.stores.local.store import LocalStore

BLOG_KEY = "another horse battery staple"
ENVIRON = {"SEARCHSOCKET_API_KEY": KEY, "BLOG_KEY": BLOG_KEY}
BLOG = (
    '[project]\nid = "blog"\nbase_url = "https://blog.example"\n[embeddings]\nprovider = "hash"\n'
    '[api]\nkey_env = "BLOG_KEY"\nscopes = ["main"]\n{more}[api.rate_limit]\nmax = {limit}\n'
    "[demand]\nenable = true\nmin_visitors = 2\n"
)


def make_blog(root: Path, limit: int = 0, more: str = "") -> Project:
    root.mkdir()
    (root / "searchsocket.toml").write_text(BLOG.format(limit=limit, more=more))
    project = open_project(root, {})
    store = LocalStore(project.state_dir / "index", project.id)
    pieces = [Piece(f"/posts/{n}", f"Charging the battery, part {n}.", title=f"Battery {n}") for n in (1, 2)]
    Site(store).publish(pieces, project.scope_named("main"))
    return project


def serve(projects: Sequence[Project], errors: list[BaseException] | None = None) -> Api:
    collected = [] if errors is None else errors
    sites = open_sites(
        projects, environ=ENVIRON, host="0.0.0.0", tokens=[""] * len(projects), dev=False, on_error=collected.append
    )
    return Api(create_sites_app(sites, "0.0.0.0", collected.append))


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> list[Project]:
    root = tmp_path_factory.mktemp("sites")
    return [make_project(root / "docs", '[api]\nscopes = ["main"]\n'), make_blog(root / "blog")]


@pytest.fixture(scope="module")
def api(projects: list[Project]) -> Api:
    return serve(projects)


def origins(answer: dict[str, Any]) -> list[str]:
    return [result["origin"]["project"] for result in answer["results"]]


def test_results_of_all_sites_come_by_confidence_with_their_origin(api: Api) -> None:
    answer = api.get("/api/search?q=battery&topK=20").json()
    assert set(origins(answer)) == {"site", "blog"}
    confidences = [result["confidence"] for result in answer["results"]]
    assert confidences == sorted(confidences, reverse=True)
    blog = next(result for result in answer["results"] if result["origin"]["project"] == "blog")
    assert blog["origin"] == {"project": "blog", "title": "blog", "site": "https://blog.example"}
    assert [site["project"] for site in answer["sites"]] == ["site", "blog"]
    assert answer["total"] == sum(site["total"] for site in answer["sites"])
    posted = api.post({"q": "battery", "topK": 20}).json()
    assert [result["ref"] for result in posted["results"]] == [result["ref"] for result in answer["results"]]


def test_pages_of_results_continue(api: Api) -> None:
    every = api.get("/api/search?q=battery&topK=4").json()
    parts = [api.get(f"/api/search?q=battery&topK=2&offset={offset}").json() for offset in (0, 2)]
    assert [result["url"] for part in parts for result in part["results"]] == [
        result["url"] for result in every["results"]
    ]
    assert {part["meta"]["generation"] for part in parts} == {every["meta"]["generation"]}


def test_a_project_is_below_its_name_as_if_it_were_alone(api: Api) -> None:
    alone = api.get("/sites/blog/api/search?q=battery").json()
    assert {result["url"] for result in alone["results"]} == {"/posts/1", "/posts/2"}
    assert "origin" not in alone["results"][0]
    assert api.get("/sites/blog/").status_code == 200
    assert api.get("/sites/site/api/health").json()["ready"] is True
    for path in ("/sites/nowhere/", "/sites/blog", "/sites/", "/elsewhere"):
        assert api.get(path).status_code == 404


def test_a_key_opens_the_project_that_it_belongs_to(api: Api) -> None:
    """To the other project its owner is a stranger, not an intruder."""
    answer = api.get("/api/search?q=battery&topK=20", headers={"authorization": f"Bearer {KEY}"}).json()
    sources = {result["origin"]["project"]: result["routeResolution"] for result in answer["results"]}
    assert sources["site"] is not None
    assert sources["blog"] is None
    secret = "/api/search?q=battery&scope=secret-branch"
    assert api.get(secret).status_code == 403
    headers = {"authorization": f"Bearer {KEY}"}
    assert set(origins(api.get(secret, headers=headers).json())) <= {"site"}
    assert api.get("/api/search?q=battery", headers={"authorization": "Bearer wrong"}).status_code == 200


def test_the_limit_of_one_project_leaves_the_others(projects: list[Project], tmp_path: Path) -> None:
    limited = serve([projects[0], make_blog(tmp_path / "blog", limit=1)])
    first, second = (limited.get("/api/search?q=battery&topK=20") for _ in range(2))
    assert set(origins(first.json())) == {"site", "blog"}
    assert first.headers["ratelimit-remaining"] == "0"
    assert set(origins(second.json())) == {"site"}
    assert second.json()["meta"]["notes"][0] == {"code": "SITE_UNAVAILABLE", "message": "blog did not answer"}


def test_a_project_that_is_down_leaves_the_others(projects: list[Project], tmp_path: Path) -> None:
    """Without an index, or with settings that cannot be used."""
    shutil.copytree(projects[1].root, tmp_path / "empty", ignore=shutil.ignore_patterns(".searchsocket"))
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "searchsocket.toml").write_text('[api]\npath = "nowhere"\n')
    errors: list[BaseException] = []
    api = serve([projects[0], open_project(tmp_path / "empty", {}), open_project(tmp_path / "wrong", {})], errors)
    answer = api.get("/api/search?q=battery").json()
    assert set(origins(answer)) == {"site"}
    assert {note["message"] for note in answer["meta"]["notes"]} == {"blog did not answer", "wrong did not answer"}
    assert any(isinstance(error, ConfigError) for error in errors)
    health = api.get("/api/health")
    assert (health.status_code, health.json()["sites"]["blog"]["ready"]) == (200, False)
    assert api.get("/sites/wrong/").status_code == 503
    with pytest.raises(SearchSocketError):
        serve([open_project(tmp_path / "wrong", {})])


def test_a_project_that_hangs_is_left_out(projects: list[Project], monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = FastAPI()
    hanging.state.numbers = []

    @hanging.post("/api/search")
    @hanging.get("/api/search")
    async def hang() -> None:
        await asyncio.Event().wait()

    options: dict[str, Any] = {"environ": ENVIRON, "host": "0.0.0.0", "tokens": ["", ""], "dev": False}
    first, second = open_sites(projects, on_error=lambda _: None, **options)
    api = Api(create_sites_app([first, replace(second, app=hanging)], "0.0.0.0", lambda _: None))
    monkeypatch.setattr(searcher, "TIMEOUT_S", 0.2)
    answer = api.get("/api/search?q=battery").json()
    assert set(origins(answer)) == {"site"}
    assert answer["meta"]["notes"][0]["message"] == "blog did not answer"


def test_host_names_are_those_of_the_first_project(tmp_path: Path) -> None:
    """A page of another site may not ask by a name of its own; the other project is not asked by it at all."""
    docs = make_project(tmp_path / "docs", '[api]\nscopes = ["main"]\nallowed_hosts = ["search.example"]\n')
    blog = make_blog(tmp_path / "blog", more='allowed_hosts = ["blog.example"]\n')
    api = serve([docs, blog])
    assert set(origins(api.get("/api/search?q=battery&topK=20").json())) == {"site", "blog"}
    assert api.get("/api/search?q=battery", headers={"host": "evil.example"}).status_code == 421
    assert api.get("/sites/blog/api/search?q=battery").status_code == 421


def test_two_projects_of_one_id_are_refused(projects: list[Project]) -> None:
    with pytest.raises(ConfigError, match=r"id 'site'; set project\.id"):
        serve([projects[0], projects[0]])


@pytest.mark.parametrize(
    "query", ["", "q=", "q=a&topK=0", "q=a&topK=x", "q=a&offset=-1", "q=a&maxTokens=500", "q=a&no=1"]
)
def test_a_malformed_search_is_an_error(api: Api, query: str) -> None:
    refused = api.get(f"/api/search?{query}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_REQUEST")


def test_a_filter_that_one_site_lacks_is_no_outage(api: Api) -> None:
    answer = api.get("/api/search?q=battery&version=9.9")
    assert answer.status_code == 404
    nonsense = api.get("/api/search?q=snazzlewick+trombulator").json()
    assert (nonsense["results"], nonsense["quality"]) == ([], "rejected")


def test_demand_is_recorded_by_the_project_of_the_page(projects: list[Project], api: Api) -> None:
    for number in range(4):  # two may count as the same visitor
        visitor = Api(api.app, client=f"198.51.100.{number}")
        visitor.get("/api/search?q=charging")
        body = {"q": "charging", "url": "/posts/1", "project": "blog"}
        assert visitor.post(body, "/api/beacon").status_code == 204
    blog = next(route for route in api.app.user_middleware if "sites" in route.kwargs).kwargs["sites"][1]
    blog.app.state.demand.close()
    rows = {(row.query, row.url) for row in DemandLog(projects[1].state_dir).rows("main", "2000-01-01")}
    assert {("charging", ""), ("charging", "/posts/1")} <= rows


def test_the_page_searches_all_sites(api: Api) -> None:
    page = api.get("/?q=battery").text
    assert 'data-project="blog"' in page
    assert 'href="https://blog.example/posts/1' in page
    assert 'href="sites/site/?page=' in page  # nobody said where the site is
    assert api.get("/api/page/search.css?v=1").status_code == 200


def test_paths_without_an_endpoint_get_an_error_of_the_api(api: Api) -> None:
    answer = api.get("/api/nothing")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")
