"""`/api/search`: what goes in, what comes out (spec 14)."""

from typing import Any

import pytest
from api_client import Api

from searchsocket.errors import ConfigError


def test_an_answer_has_the_shape_of_the_specification(local: Api) -> None:
    """Spec 14.1, every key of it."""
    answer = local.post(
        {"q": "install controller", "topK": 3, "scope": "main", "pathPrefix": "/docs", "tags": ["guide"]}
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert (body["q"], body["scope"]) == ("install controller", "main")
    best = body["results"][0]
    assert best["url"] == "/docs/install"
    assert best["title"] == "Installation"
    assert best["sectionTitle"] == "Install the controller"
    assert "<mark>controller</mark>" in best["snippetHtml"]
    assert 0 < best["score"] <= 1
    assert best["routeFile"] == "src/routes/docs/install/+page.svelte"
    assert set(body["meta"]["timingsMs"]) == {"embed", "vector", "keyword", "rerank", "total"}
    assert body["meta"]["usedRerank"] is False
    assert body["meta"]["modelId"] == "hash-512-v1"
    assert body["meta"]["ageSeconds"] == 3600


def test_get_and_post_answer_alike(local: Api) -> None:
    query = "/api/search?q=battery&topK=2&pathPrefix=/docs&tag=guide&tag=power&groupBy=chunk&scope=main"
    body = {
        "q": "battery",
        "topK": 2,
        "pathPrefix": "/docs",
        "tags": ["guide", "power"],
        "groupBy": "chunk",
        "scope": "main",
    }
    assert local.get(query).json()["results"] == local.post(body).json()["results"] != []


def test_marks_are_code_points_into_the_snippet(local: Api) -> None:
    best = local.post({"q": "install controller"}).json()["results"][0]
    assert [best["snippet"][start:end] for start, end in best["marks"]] == ["Installing", "controller", "install"]


@pytest.mark.parametrize("q", ["install controller", "battery", "charging the battery"])
def test_sections_are_quoted_where_a_caller_asks_for_it(local: Api, q: str) -> None:
    """All else is the same: what they are called and where they open."""
    quoted = local.post({"q": q, "sectionSnippets": True}).json()["results"]
    assert quoted == local.get(f"/api/search?q={q}&sectionSnippets=true").json()["results"]
    sections = [section for result in quoted for section in result["sections"]]
    assert any(section["snippetHtml"] for section in sections)
    for section in sections:
        section |= {"snippet": "", "snippetHtml": "", "marks": []}
    assert quoted == local.post({"q": q}).json()["results"] == local.get(f"/api/search?q={q}").json()["results"]


def test_null_means_left_out(local: Api) -> None:
    assert local.post({"q": "battery", "scope": None, "pathPrefix": None, "tags": None}).status_code == 200


BAD_BODIES: list[Any] = [
    None, [], "battery", 7, {}, {"q": None}, {"q": 7}, {"q": ["battery"]}, {"q": ""}, {"q": "  \t "}, {"q": "\u0000"},
    {"q": "x" * 1001}, {"q": "battery", "topK": 0}, {"q": "battery", "topK": 101}, {"q": "battery", "topK": "5"},
    {"q": "battery", "topK": 1.5}, {"q": "battery", "topK": True}, {"q": "battery", "tags": "guide"},
    {"q": "battery", "tags": [1]}, {"q": "battery", "tags": [""]}, {"q": "battery", "tags": ["t"] * 21},
    {"q": "battery", "pathPrefix": 7}, {"q": "battery", "pathPrefix": "/\u0000"}, {"q": "battery", "groupBy": "site"},
    {"q": "battery", "scope": ""}, {"q": "battery", "rerank": True}, {"q": "battery", "rerank": 1},
    {"q": "battery", "limit": 5}, {"q": "battery", "top_K": 5},
]  # fmt: skip


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body)[:40])
def test_a_bad_body_is_the_callers_fault(api: Api, body: Any) -> None:
    """Failure mode 47: `null`, wrong types, unknown fields: 400, never 500."""
    answer = api.post(body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"{'q': 1}",
        b"\xff\xfe",
        b'{"q": "\xff"}',
        b'{"q": "\\ud800"}',
        b"[" * 60_000,
        b"NaN",
        b'{"q":"a","topK":1e999}',
    ],
)
def test_a_broken_body_is_the_callers_fault(api: Api, raw: bytes) -> None:
    answer = api.request("POST", "/api/search", content=raw, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "q=",
        "q=%00",
        "topK=5",
        "q=a&topK=x",
        "q=a&topK=0",
        "q=a&limit=5",
        "q=a&groupBy=x",
        "q=" + "x" * 1001,
        "q=a&tag=",
    ],
)
def test_a_bad_query_string_is_the_callers_fault(api: Api, query: str) -> None:
    answer = api.get(f"/api/search?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_a_body_must_say_that_it_is_json(api: Api, kind: str) -> None:
    """Failure mode 53: a form of another site must not get past the preflight."""
    answer = api.request(
        "POST", "/api/search", content=b'{"q": "battery"}', headers={"content-type": kind} if kind else {}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "INVALID_REQUEST")


def test_the_message_names_the_field_and_not_its_value(api: Api) -> None:
    message = api.post({"q": "battery", "topK": "<script>", "limt": 1}).json()["error"]["message"]
    assert "topK" in message
    assert "limt: is an unknown field" in message
    assert "<script>" not in message


@pytest.mark.parametrize(
    "path", ["/api", "/api/search/", "/api/nothing", "/docs/", "/redoc", "/../etc/passwd", "/api/search%00"]
)
def test_an_unknown_path_is_not_found_in_the_same_shape(api: Api, path: str) -> None:
    answer = api.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_another_method_is_refused(api: Api, method: str) -> None:
    answer = api.request(method, "/api/search", json={"q": "battery"})
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "METHOD_NOT_ALLOWED"
    assert "POST" in answer.headers["allow"] or "GET" in answer.headers["allow"]


def test_the_path_is_a_setting(configured: Any) -> None:
    """`api.path` moves the search, and what belongs to it."""
    api = configured(path="/suche/v1/query")
    assert api.post({"q": "battery"}, path="/suche/v1/query").status_code == 200
    assert api.get("/suche/v1/health").status_code == 200
    assert api.post({"q": "battery"}).status_code == 404


@pytest.mark.parametrize(
    "path", ["", "/", "search", "/api/", "/api/{q}", "/a b", "/api/health", "/pages", "//x", "/../x\n"]
)
def test_a_path_that_cannot_be_served_is_an_error_at_the_start(configured: Any, path: str) -> None:
    with pytest.raises(ConfigError, match=r"api\.path"):
        configured(path=path)
