"""Anonymous callers read public pages at every endpoint, and never the sources of these pages."""

from pathlib import Path
from typing import Any

import pytest
from api_client import ENVIRON, KEY, Api, make_project

from search_api.app import create_app
from searchsocket.project.project import Project

REQUESTS: list[tuple[str, str, Any]] = [
    ("POST", "/api/search", {"q": "battery", "explain": True}),
    ("POST", "/api/search", {"q": "battery", "scope": "secret-branch"}),
    ("POST", "/api/search", {"q": "src/routes +page.svelte", "groupBy": "chunk", "topK": 100}),
    ("POST", "/api/search", {"q": "x", "pathPrefix": "/../../.."}),
    ("POST", "/api/search", {"topK": {}}),
    ("GET", "/api/search?q=battery", None),
    ("GET", "/api/search?q=battery&scope=..%2Fsecret-branch", None),
    ("GET", "/api/pages/docs/install", None),
    ("GET", "/api/pages/docs/install.md", None),
    ("GET", "/api/pages/docs/nothing-here", None),
    ("GET", "/api/pages/docs/install?scope=secret-branch", None),
    ("GET", "/api/pages/%2e%2e/%2e%2e/searchsocket.toml", None),
    ("GET", "/api/related?url=/docs/install", None),
    ("GET", "/api/related?url=/docs/install&scope=secret-branch", None),
    ("GET", "/api/health", None),
    ("GET", "/api/health?scope=secret-branch", None),
    ("GET", "/api/openapi.json", None),
    ("GET", "/", None),
    ("OPTIONS", "/api/search", None),
    ("GET", "/.searchsocket/state.db", None),
    ("GET", "/searchsocket.toml", None),
]


def ask(api: Api, method: str, path: str, body: Any, headers: dict[str, str]) -> str:
    answer = api.post(body, path, headers=headers) if body is not None else api.request(method, path, headers=headers)
    return answer.text + repr(sorted(answer.headers.items()))


@pytest.mark.parametrize(
    "claim", [{}, {"x-forwarded-for": "127.0.0.1"}, {"host": "localhost"}, {"authorization": "Basic x"}], ids=str
)
@pytest.mark.parametrize(("method", "path", "body"), REQUESTS, ids=lambda value: str(value)[:40])
def test_nothing_inside_is_told(
    api: Api, project: Project, claim: dict[str, str], method: str, path: str, body: Any
) -> None:
    """No source path, file path, secret or environment name; and other scopes only as what the caller said itself."""
    reply = ask(api, method, path, body, claim)
    for secret in (
        "src/routes/docs",
        "src/routes/secret",
        str(project.root),
        KEY,
        "SEARCHSOCKET",
        "Traceback",
        "sqlite",
    ):
        assert secret not in reply
    if "secret-branch" not in path and "secret-branch" not in repr(body):
        assert "secret-branch" not in reply


def test_a_broken_index_tells_nothing_either(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    for file in (project.state_dir / "index" / "main").rglob("*"):
        if file.is_file():
            file.write_bytes(b"junk")
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    for method, path, body in REQUESTS:
        reply = ask(api, method, path, body, {})
        assert str(tmp_path) not in reply
        assert "Traceback" not in reply


def test_the_openapi_document_is_the_same_for_everybody(api: Api, local: Api) -> None:
    assert api.get("/api/openapi.json").json() == local.get("/api/openapi.json").json()
