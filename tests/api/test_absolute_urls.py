"""An absolute URL of the site is understood wherever a path is, over HTTP and by agents."""

from pathlib import Path
from typing import Any

import pytest
from api_client import ENVIRON, Api, make_project
from search_site import NOW

from search_api.app import create_app
from searchsocket.project.project import Project, open_project
from tests.agents.agent_project import call, server_of

HOST = "https://docs.example"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root: Path = tmp_path_factory.mktemp("absolute")
    make_project(root)
    toml = root / "searchsocket.toml"
    text = toml.read_text().replace('id = "site"', f'id = "site"\nbase_url = "{HOST}"')
    toml.write_text(f'{text}\n[mcp]\ntools = "all"\nstructured_content = true\n')
    return open_project(root, {})


@pytest.fixture(scope="module")
def api(project: Project) -> Api:
    return Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))


ABSOLUTE = [f"{HOST}/docs/install", f"  {HOST}/docs/install/#part ", f"{HOST}/docs/install.md", " /docs/install "]


@pytest.mark.parametrize("url", ABSOLUTE)
def test_pages_and_their_neighbours_are_named_by_url(api: Api, url: str) -> None:
    page = api.get("/api/pages", params={"url": url, "scope": "main"}, headers={"accept": "application/json"})
    assert "docs/install" in page.text
    assert page.status_code == 200
    if ".md" not in url:
        near = api.get("/api/related", params={"url": url}).json()
        assert near == api.get("/api/related", params={"url": "/docs/install"}).json()


def test_a_link_of_llms_txt_opens_its_page(api: Api) -> None:
    """An agent pastes what the list says."""
    links = [word[1:-1] for word in api.get("/llms.txt").text.replace("](", "] (").split() if word.startswith("(")]
    link = next(link.rstrip(":)") for link in links if "install" in link)
    link = link if "://" in link else HOST + link
    assert api.get("/api/pages", params={"url": link}).status_code == 200


def test_a_path_filter_takes_a_url(api: Api) -> None:
    answer = api.get("/api/search", params={"q": "install", "pathPrefix": f" {HOST}/docs/ "}).json()
    same = api.get("/api/search", params={"q": "install", "pathPrefix": "/docs"}).json()
    assert [result["url"] for result in answer["results"]] == [hit["url"] for hit in same["results"]] != []
    occurrences = api.get("/api/find", params={"q": "install", "pathPrefix": f"{HOST}/docs"}).json()
    assert occurrences["total"] == api.get("/api/find", params={"q": "install", "pathPrefix": "/docs"}).json()["total"]


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/api/pages", {"url": "https://other.example/docs/install"}),
        ("/api/related", {"url": "https://other.example/docs/install"}),
        ("/api/search", {"q": "install", "pathPrefix": "https://other.example/docs"}),
        ("/api/find", {"q": "install", "pathPrefix": "https://other.example/docs"}),
    ],
)
def test_another_host_is_an_error_that_says_so(api: Api, path: str, params: dict[str, str]) -> None:
    answer = api.get(path, params=params)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST")
    assert "'other.example' is not the host of this site" in answer.json()["error"]["message"]


@pytest.mark.parametrize("tool", ["get_page", "related"])
def test_agents_name_pages_by_url(project: Project, tool: str) -> None:
    server: Any = server_of(project)
    same = call(server, tool, pathOrUrl="/docs/install")
    answer = call(server, tool, pathOrUrl=f" {HOST}/docs/install")
    assert not answer.is_error
    assert answer.structured_content
    assert answer.structured_content == same.structured_content
    assert call(server, tool, pathOrUrl="https://other.example/docs/install").is_error
