"""Answers of no more than so many tokens: the best results that fit, and a word to go on with."""

from pathlib import Path
from typing import Any

import pytest
from api_client import KEY, Api

from search_api.app import create_app
from searchsocket.project.project import Project
from searchsocket.search import continuation
from tests.agents.agent_project import make_agent_project
from tests.api_client import ENVIRON

TRUSTED = {"authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "path", ["/api/search?q=battery&topK=5", "/api/related?url=/docs/battery&topK=5"], ids=["search", "related"]
)
def test_parts_are_the_whole_in_order(api: Api, path: str) -> None:
    whole = api.get(path).json()
    assert "truncated" not in whole  # nobody asked
    assert "continuationToken" not in whole
    part = api.get(f"{path}&maxTokens=200").json()
    assert part["truncated"]
    results = [result["url"] for result in part["results"]]
    while token := part.get("continuationToken"):
        part = api.get(f"{path.split('&')[0]}&continuationToken={token}").json()
        results += [hit["url"] for hit in part["results"]]
    assert results == [item["url"] for item in whole["results"]]
    assert len(results) > 1


def test_a_body_takes_them_too(api: Api) -> None:
    request = {"q": "battery", "filters": {"kind": "section"}, "pathPrefix": "/docs"}
    first = api.post(request | {"maxTokens": 200}).json()
    rest = api.post({"q": "battery", "continuationToken": first["continuationToken"]}).json()
    both = [hit["url"] for hit in (*first["results"], *rest["results"])]
    assert both == [result["url"] for result in api.post(request).json()["results"]][: len(both)]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"maxTokens": 199}, 400, "INVALID_REQUEST"),
        ({"continuationToken": "eyJhIjoxfQ"}, 404, "CONTINUATION_GONE"),
        ({"q": "dock"}, 400, "INVALID_REQUEST"),
        ({"scope": "secret-branch"}, 404, "CONTINUATION_GONE"),
    ],
)
def test_an_error_names_the_wrong_value(api: Api, change: dict[str, Any], status: int, code: str) -> None:
    token = api.post({"q": "battery", "maxTokens": 200}).json()["continuationToken"]
    refused = api.post({"q": "battery", "continuationToken": token} | change, headers=TRUSTED)
    assert refused.json()["error"]["code"] == code
    assert refused.status_code == status


def test_a_token_of_an_earlier_version_is_gone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that was upgraded meanwhile reads no token whose content has another form."""
    with monkeypatch.context() as earlier:
        earlier.setattr(continuation, "_LABEL", b"searchsocket continuation 1")
        api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
        token = api.post({"q": "battery", "maxTokens": 200}).json()["continuationToken"]
        assert api.post({"q": "battery", "continuationToken": token}).status_code == 200
    upgraded = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    refused = upgraded.post({"q": "battery", "continuationToken": token})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "CONTINUATION_GONE")


def test_code_is_given_in_parts_to_the_trusted(tmp_path: Path) -> None:
    api = Api(create_app(make_agent_project(tmp_path / "robot"), environ=ENVIRON, host="0.0.0.0"))

    def post(path: str, **request: Any) -> Any:
        return api.post(request, f"/api/code/{path}", headers=TRUSTED).json()

    def ask(**request: Any) -> Any:
        return post("search", query="step", **request)

    near = post("related", file="src/steps.py", limit=4)
    part = post("related", file="src/steps.py", limit=4, maxTokens=200)
    assert part["truncated"]
    result = part["code"] + part["pages"]
    while token := part.get("continuationToken"):
        part = post("related", file="src/steps.py", continuationToken=token)
        result += part["code"] + part["pages"]
    assert result == near["code"] + near["pages"]
    wrong = post("related", file="src/other.py", continuationToken=ask(limit=6, maxTokens=200)["continuationToken"])
    assert wrong["error"]["code"] == "CONTINUATION_GONE"

    lines = post("fetch", file="src/steps.py", maxTokens=200)
    assert lines["truncated"]
    [remaining] = lines["left"]
    assert remaining["firstLine"] == 1 + len(lines["fetched"][0]["text"])

    whole, first = ask(limit=6), ask(limit=6, maxTokens=200)
    rest = ask(continuationToken=first["continuationToken"], maxTokens=5_000)
    assert first["truncated"]
    assert [item["id"] for item in (*first["results"], *rest["results"])] == [entry["id"] for entry in whole["results"]]
