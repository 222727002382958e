"""The access log and the numbers for Prometheus: what they say of requests, and what they never say."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from api_client import ENVIRON, KEY, Api
from prometheus_client.parser import text_string_to_metric_families
from search_site import NOW

from search_api.app import create_app
from searchsocket import __version__
from searchsocket.commit import COMMIT
from searchsocket.project.project import Project

WITH_KEY = {"authorization": f"Bearer {KEY}"}
SECRETS = ("battery", "secretword", "203.0.113", KEY, "no-such-page", "src/routes")


@pytest.fixture
def logged(project: Project, capsys: pytest.CaptureFixture[str]) -> tuple[Api, Callable[[], list[dict[str, Any]]]]:
    """An application with an access log, and its lines so far."""
    api = project.settings.api.model_copy(update={"access_log": True})
    changed = Project(project.root, project.settings.model_copy(update={"api": api}), project.id)
    app = create_app(changed, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW)
    return Api(app), lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_each_request_leaves_one_line_without_what_was_asked(
    logged: tuple[Api, Callable[[], list[dict[str, Any]]]],
) -> None:
    api, lines = logged
    api.get("/api/search?q=battery&topK=2", headers={"x-request-id": "mine"})
    api.post({"q": "battery secretword"}, headers=WITH_KEY)
    api.get("/?q=battery")
    api.get("/api/pages/no-such-page")
    api.get("/secretword/battery")
    api.get("/api/search?q=battery", headers={"authorization": "Bearer secretword"})
    api.request("PROPFIND", "/api/search")
    api.request("HEAD", "/api/health")
    api.get("/api/documents/text?url=/docs")
    texts = lines()
    assert [(item["method"], item["endpoint"], item["status"]) for item in texts] == [
        ("GET", "search", 200), ("POST", "search", 200), ("GET", "page", 200), ("GET", "pages", 404),
        ("GET", "other", 404), ("GET", "search", 401), ("other", "search", 405), ("HEAD", "health", 200),
        ("GET", "documents", 405),
    ]  # fmt: skip
    assert [(entry["scope"], entry["hits"], entry["trusted"]) for entry in texts[:2]] == [
        ("main", 2, False), ("main", texts[1]["hits"], True),
    ]  # fmt: skip
    assert texts[0]["id"] == "mine"
    assert all(element["ms"] > 0 and element["time"].endswith("+00:00") for element in texts)
    assert texts[3]["hits"] is None
    text = json.dumps(texts)
    assert not [secret for secret in SECRETS if secret in text]


def test_a_line_is_one_line_whatever_a_caller_sends(
    logged: tuple[Api, Callable[[], list[dict[str, Any]]]],
) -> None:
    api, lines = logged
    api.get("/api/search?q=a%0Ab", headers={"x-request-id": b"a\tb"})
    [line] = lines()
    assert line["id"].isalnum()


def numbers(api: Api) -> dict[str, float]:
    answer = api.get("/metrics", headers=WITH_KEY)
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert answer.headers["cache-control"] == "no-store"
    return {
        f"{sample.name}{sorted(sample.labels.items())}": sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_prometheus_reads_what_was_answered(api: Api) -> None:
    for path in ("/api/search?q=battery", "/api/search?q=qzxjv", "/api/pages/nope", "/secretword"):
        api.get(path)
    values = numbers(api)

    def value(name: str, **labels: str) -> float:
        return values[f"searchsocket_{name}{sorted({'project': 'site', **labels}.items())}"]

    assert value("requests_total", endpoint="search", scope="main", status="200") == 2
    assert value("requests_total", endpoint="pages", scope="", status="404") == 1
    assert value("request_seconds_count", endpoint="search") == 2
    assert value("searches_without_results_total") == 1
    assert value("index_records", scope="main") == 7
    assert value("index_age_seconds", scope="secret-branch") == 3600
    assert value("ready") == 1
    assert not any(name.startswith("searchsocket_backend_up") for name in values), "the vectors are in the folder"
    assert value("degraded", scope="main", reason="older_generation") == 0
    assert values[f"searchsocket_build_info{sorted({'version': __version__, 'commit': COMMIT}.items())}"] == 1
    assert "secretword" not in str(values)


def test_numbers_are_for_the_trusted(api: Api) -> None:
    """They name every scope (spec 14.3)."""
    answer = api.get("/metrics")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert api.get("/metrics", headers={"authorization": "Bearer wrong"}).status_code == 401
