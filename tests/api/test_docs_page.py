"""The page at `/docs`: the description as people read it."""

import re
import shlex

import pytest
from api_client import ENVIRON
from starlette.testclient import TestClient

from search_api.app import create_app
from search_api.page.docs import CSP, curl
from searchsocket.project.project import Project

EVIL = "<img src=x onerror=alert(1)>"


def client(project: Project) -> TestClient:
    app = create_app(project, environ=ENVIRON, host="127.0.0.1")
    return TestClient(app, base_url="http://127.0.0.1:8181")


def test_every_path_type_and_error_is_named_within_a_strict_policy(project: Project) -> None:
    api = client(project)
    answer = api.get("/docs")
    assert answer.headers["content-security-policy"] == CSP
    assert "script" not in CSP
    assert "unsafe" not in CSP
    assert len(answer.content) < 100_000
    document = api.get("/api/openapi.json").json()
    for path, methods in document["paths"].items():
        assert f"<code>{path}</code>" in answer.text
        for operation in methods.values():
            assert f'<section id="{operation["operationId"]}">' in answer.text
            assert all(f'<th scope="row">{status}</th>' in answer.text for status in operation["responses"])
    for name, schema in document["components"]["schemas"].items():
        assert f'<section id="{name}">' in answer.text
        assert all(f"<code>{field}</code>" in answer.text for field in schema["properties"])
    anchors = set(re.findall(r'href="#([^"]+)"', answer.text))
    assert anchors <= set(re.findall(r'id="([^"]+)"', answer.text))
    assert "Authorization: Bearer" in answer.text
    assert '<a href="docs">API</a>' in api.get("/").text


def test_its_commands_are_answered(project: Project) -> None:
    """As typed, but for the pages that they name, which this site does not have."""
    api = client(project)
    document = api.get("/api/openapi.json").json()
    schemas = document["components"]["schemas"]
    statuses = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            *options, url = shlex.split(curl("http://127.0.0.1:8181", path, method, operation, schemas))[1:]
            body = options[options.index("-d") + 1] if options else None
            answer = api.request(method, url, content=body, headers={"content-type": "application/json"})
            statuses[operation["operationId"]] = answer.status_code
    assert statuses == {
        "search": 200, "searchByUrl": 200, "find": 200, "findByUrl": 200,
        "relatedPages": 404, "getPageByUrl": 404, "getPage": 404, "health": 200,
        "searchContent": 200, "findDocuments": 200, "getDocumentText": 200, "getDocumentData": 200, "ask": 200,
    }  # fmt: skip


def test_foreign_text_is_escaped(project: Project) -> None:
    api = client(Project(project.root, project.settings, EVIL))
    assert EVIL not in api.get("/docs").text
    assert "&lt;img" in api.get("/docs").text
    assert api.get("/docs", headers={"host": 'a"><script>'}).status_code == 400


@pytest.mark.parametrize("page", [True, False])
def test_it_goes_with_the_search_page(project: Project, page: bool) -> None:
    api = project.settings.api.model_copy(update={"page": page})
    changed = Project(project.root, project.settings.model_copy(update={"api": api}), project.id)
    assert client(changed).get("/docs").status_code == (200 if page else 404)
