"""Checks before the endpoints: sizes, rates, other origins, headers."""

from collections.abc import AsyncIterator, Callable

import pytest
from api_client import KEY, Api

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.project.settings.model import CorsSettings, RateLimitSettings
from searchsocket.serving.service import SearchService

WITH_KEY = {"authorization": f"Bearer {KEY}"}


async def drip(total: int) -> AsyncIterator[bytes]:
    """A body whose length is not declared."""
    for _ in range(total // 1000):
        yield b"x" * 1000


async def split(body: bytes) -> AsyncIterator[bytes]:
    """A body in two pieces whose length is not declared."""
    yield body[:5]
    yield body[5:]


@pytest.mark.parametrize("size", [65_537, 10_000_000])
def test_a_large_body_is_refused_however_it_comes(api: Api, size: int) -> None:
    """Failure mode 48: declared or chunked, bytes are counted."""
    json = {"content-type": "application/json"}
    for content in (b"x" * size, drip(size + 1000)):
        answer = api.request("POST", "/api/search", content=content, headers=json)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "INVALID_REQUEST")
        assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("length", ["-1", "1e3", "99999999999999999999999", "0x10", "٣"])
def test_a_strange_length_is_refused(api: Api, length: str) -> None:
    headers = {"content-type": "application/json", "content-length": length.encode()}
    answer = api.request("POST", "/api/search", content=b'{"q":"battery"}', headers=headers)
    assert answer.status_code == 413


def test_a_lying_length_is_not_believed(api: Api) -> None:
    headers = {"content-type": "application/json", "content-length": "5"}
    assert api.request("POST", "/api/search", content=b"x" * 100_000, headers=headers).status_code == 413


def test_the_body_limit_is_a_setting(configured: Callable[..., Api]) -> None:
    assert configured(max_body_bytes=20).post({"q": "x" * 50}).status_code == 413


def test_a_body_of_exactly_the_limit_is_taken(configured: Callable[..., Api]) -> None:
    body = b'{"q":"battery"}'
    for limit, status in ((len(body), 200), (len(body) - 1, 413)):
        api = configured(max_body_bytes=limit)
        for content in (body, split(body)):
            answer = api.request("POST", "/api/search", content=content, headers={"content-type": "application/json"})
            assert answer.status_code == status


@pytest.mark.parametrize("method", ["TRACE", "PUT", "DELETE", "PATCH", "PROPFIND"])
def test_a_method_that_nobody_takes_is_told_which_there_are(api: Api, method: str) -> None:
    reading = {"GET", "HEAD"}
    for path, allowed in (
        ("/api/search", {*reading, "POST"}),
        ("/api/health", reading),
        ("/api/related?url=/", reading),
    ):
        answer = api.request(method, path, content=b"x" * 100_000)
        assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")
        assert set(answer.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize("path", ["/api/health", "/api/related?url=/", "/api/pages/docs/install", "/api/openapi.json"])
def test_a_post_where_none_is_taken_is_told_so_whatever_it_brings(api: Api, path: str) -> None:
    """415 would promise that a body of another type is read."""
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "application/json"}):
        answer = api.request("POST", path, content=b"x" * 100_000, headers=headers)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "path", ["/api/search?q=battery", "/api/health", "/api/pages/docs/install", "/api/pages/none", "/api/related?url=/"]
)
def test_head_is_answered_like_get_without_the_body(api: Api, path: str) -> None:
    full, head = api.get(path), api.request("HEAD", path)
    assert (head.status_code, head.content) == (full.status_code, b"")
    assert head.headers["content-type"] == full.headers["content-type"]
    assert "content-length" in head.headers


def test_get_takes_no_body(api: Api) -> None:
    assert api.request("GET", "/api/search?q=battery", content=b"x").status_code == 400


def test_too_many_requests_are_told_when_to_come_back(configured: Callable[..., Api]) -> None:
    """Spec 24; `rate_limit.max` and `window_ms` have an effect."""
    api = configured(rate_limit=RateLimitSettings(max=3, window_ms=30_000))
    assert [api.get("/api/search?q=battery").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = api.post({"q": "battery"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["retry-after"]) <= 30


def test_the_limit_is_per_client_and_leaves_the_trusted_and_health_alone(configured: Callable[..., Api]) -> None:
    api = configured(rate_limit=RateLimitSettings(max=1, window_ms=30_000))
    api.get("/api/search?q=battery")
    assert api.get("/api/search?q=battery").status_code == 429
    assert api.get("/api/search?q=battery", headers=WITH_KEY).status_code == 200
    assert api.get("/api/health").status_code == 200
    api.client = "203.0.113.10"
    assert api.get("/api/search?q=battery").status_code == 200


def test_health_has_a_limit_of_its_own(configured: Callable[..., Api]) -> None:
    """A flood of probes ends, and takes nothing from searches; probes every second by a few load balancers pass."""
    api = configured(rate_limit=RateLimitSettings(max=2, window_ms=30_000))
    codes = [api.get("/api/health").status_code for _ in range(11)]
    assert codes == [200] * 10 + [429]
    assert api.get("/api/health", headers=WITH_KEY).status_code == 200
    assert api.get("/api/search?q=battery").status_code == 200


def test_a_forged_address_is_no_way_around_the_limit(configured: Callable[..., Api]) -> None:
    api = configured(rate_limit=RateLimitSettings(max=1, window_ms=30_000))
    codes = [api.get("/api/search?q=a", headers={"x-forwarded-for": f"198.51.100.{n}"}).status_code for n in range(3)]
    assert codes == [200, 429, 429]


def test_behind_a_trusted_proxy_each_client_counts(configured: Callable[..., Api]) -> None:
    """`api.trusted_proxies` has an effect."""
    api = configured(rate_limit=RateLimitSettings(max=1, window_ms=30_000), trusted_proxies=("203.0.113.0/24",))
    codes = [
        api.get("/api/search?q=a", headers={"x-forwarded-for": f"198.51.100.{n % 2}"}).status_code for n in range(4)
    ]
    assert codes == [200, 200, 429, 429]


def test_wrong_keys_are_limited_too(configured: Callable[..., Api]) -> None:
    """Nobody tries keys at will."""
    api = configured(rate_limit=RateLimitSettings(max=2, window_ms=30_000))
    codes = [api.post({"q": "a"}, headers={"authorization": f"Bearer {n}"}).status_code for n in range(4)]
    assert codes == [401, 401, 429, 429]


ORIGIN = "https://docs.example"


def test_a_listed_origin_may_read_answers(configured: Callable[..., Api]) -> None:
    """`cors.allow_origins` has an effect; errors and refusals are readable too."""
    api = configured(cors=CorsSettings(allow_origins=(ORIGIN,)), rate_limit=RateLimitSettings(max=2))
    for _ in range(3):
        answer = api.post({"q": "battery"}, headers={"origin": ORIGIN})
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert "Origin" in answer.headers["vary"]
    assert answer.status_code == 429


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "https://docs.example.evil.example", "null", "http://docs.example"]
)
def test_another_origin_may_not_and_caches_know_it_matters(configured: Callable[..., Api], origin: str) -> None:
    """Failure mode 53: without `Vary` a cache gives one origin's answer to another."""
    api = configured(cors=CorsSettings(allow_origins=(ORIGIN,)))
    for headers in ({"origin": origin}, {}):
        answer = api.post({"q": "battery"}, headers=headers)
        assert "access-control-allow-origin" not in answer.headers
        assert "Origin" in answer.headers["vary"]


def test_the_preflight_is_answered_before_any_limit(configured: Callable[..., Api]) -> None:
    api = configured(cors=CorsSettings(allow_origins=(ORIGIN,)), rate_limit=RateLimitSettings(max=1))
    preflight_headers = {
        "origin": ORIGIN,
        "access-control-request-method": "POST",
        # A page whose agent speaks MCP sends all of these.
        "access-control-request-headers": "authorization,content-type,last-event-id,mcp-method,mcp-name,"
        "mcp-protocol-version,mcp-session-id",
    }
    for _ in range(3):
        answer = api.request("OPTIONS", "/api/search", headers=preflight_headers)
        assert answer.status_code == 200
        assert "POST" in answer.headers["access-control-allow-methods"]
    assert (
        api.request(
            "OPTIONS", "/api/search", headers=preflight_headers | {"origin": "https://evil.example"}
        ).status_code
        == 400
    )


def test_without_the_setting_no_origin_may(api: Api) -> None:
    assert "access-control-allow-origin" not in api.post({"q": "battery"}, headers={"origin": ORIGIN}).headers


@pytest.mark.parametrize(
    "path", ["/api/search?q=battery", "/api/search", "/nothing", "/api/health", "/api/openapi.json"]
)
def test_every_answer_carries_security_headers(api: Api, path: str) -> None:
    headers = api.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["cache-control"] == ("public, no-cache" if "q=" in path else "no-store")
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_a_defect_is_answered_without_a_word_about_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failure mode 50: no raw exception text; headers stay."""

    def broken(*_: object) -> None:
        raise RuntimeError("sk-secret at /home/me/project")

    monkeypatch.setattr(SearchService, "search", broken)
    answer = api.post({"q": "battery"})
    assert answer.status_code == 500
    assert answer.json()["error"] == {
        "code": "INTERNAL_ERROR", "message": "internal error in the search service",
    }  # fmt: skip
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_an_outage_is_503_without_a_word_about_where(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failure modes 45 and 50; also for the trusted: logs are the place for more."""

    def down(*_: object, **__: object) -> None:
        raise VectorBackendUnavailable("10.0.0.7:19530 refused MILVUS_TOKEN=abc")

    monkeypatch.setattr(SearchService, "search", down)
    for headers in ({}, WITH_KEY):
        answer = api.post({"q": "battery"}, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "VECTOR_BACKEND_UNAVAILABLE")
        assert "10.0.0.7" not in answer.text
        assert "MILVUS" not in answer.text
