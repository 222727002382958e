"""Caching: validators, the data that they depend on, and the caches that may store an answer."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from search_site import NOW, Piece, Site

from search_api.app import create_app
from searchsocket.errors import EmbedderUnavailable
from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.project.settings.model import RankingSettings, RateLimitSettings
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Vectors

WITH_KEY = {"authorization": f"Bearer {KEY}"}
PATHS = ("/api/search?q=battery", "/api/related?url=/docs/battery", "/api/pages/docs/install",
         "/api/pages?url=/docs/install", "/api/pages/docs/install.md")  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("headers", [{}, WITH_KEY], ids=["anonymous", "trusted"])
def test_an_answer_that_is_held_is_not_sent_again(api: Api, path: str, headers: dict[str, str]) -> None:
    first = api.get(path, headers=headers)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    for validators in (tag, f'"other", {tag}', tag.removeprefix("W/")):
        again = api.get(path, headers=headers | {"if-none-match": validators})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert again.headers["cache-control"] == first.headers["cache-control"]
        assert "content-type" not in again.headers
    assert api.get(path, headers=headers | {"if-none-match": '"other"'}).status_code == 200


def test_a_validator_is_of_one_query_tier_and_form(api: Api) -> None:
    requests = [
        ("/api/search?q=battery", {}), ("/api/search?q=batteries", {}), ("/api/search?q=battery&topK=3", {}),
        ("/api/search?q=battery", WITH_KEY), ("/api/pages/docs/install", {}), ("/api/pages/docs/battery", {}),
        ("/api/pages/docs/install", {"accept": "text/markdown"}), ("/api/pages/docs/install", WITH_KEY),
        ("/api/pages/docs/install?scope=secret-branch", WITH_KEY),
    ]  # fmt: skip
    tags = [api.get(path, headers=headers).headers.get("etag") for path, headers in requests]
    assert None not in tags[:5]
    assert len(set(tags)) == len(tags)
    trusted = api.get("/api/search?q=battery", headers=WITH_KEY).headers["etag"]
    assert api.get("/api/search?q=battery", headers={"if-none-match": trusted}).status_code == 200


def test_a_new_generation_and_other_settings_end_it(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    tag = {"if-none-match": api.get(PATHS[0]).headers["etag"]}
    assert api.get(PATHS[0], headers=tag).status_code == 304
    changed = project.settings.model_copy(update={"ranking": RankingSettings(candidate_k=7)})
    other = Api(create_app(type(project)(project.root, changed, project.id), environ=ENVIRON, host="0.0.0.0"))
    assert other.get(PATHS[0], headers=tag).status_code == 200
    Site(LocalStore(project.state_dir / "index", "site")).publish([Piece("/new", "A new battery")])
    again = api.get(PATHS[0], headers=tag)
    assert again.status_code == 200
    assert "/new" in {result["url"] for result in again.json()["results"]}


def test_only_public_answers_are_for_shared_caches(configured: Callable[..., Api]) -> None:
    api = configured(max_age_s=30)
    for path in PATHS:
        anonymous, trusted = api.get(path), api.get(path, headers=WITH_KEY)
        assert anonymous.headers["cache-control"] == "public, max-age=30"
        assert trusted.headers["cache-control"] == "private, no-cache"
        for answer in (anonymous, trusted):
            assert {"Authorization", "Accept"} <= set(answer.headers["vary"].split(", "))
    for path in ("/api/health", "/api/pages/nope", "/api/search", "/", "/api/search?q=a&scope=secret-branch"):
        answer = api.get(path)
        assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", False)
    assert "etag" not in api.post({"q": "battery"}).headers


def test_a_validator_reveals_nothing_about_a_private_scope(api: Api) -> None:
    path = "/api/pages/docs/install?scope=secret-branch"
    tag = api.get(path, headers=WITH_KEY).headers["etag"]
    assert api.get(path, headers={"if-none-match": tag}).status_code == 403
    assert api.get(path, headers={"if-none-match": "*"}).status_code == 403


def test_an_answer_by_words_alone_is_not_kept(tmp_path: Path) -> None:
    """The provider may answer the next time."""

    class Gone(HashEmbedder):
        def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
            raise EmbedderUnavailable("gone")

    api = Api(create_app(make_project(tmp_path), environ={}, host="0.0.0.0", embedder=Gone(), clock=lambda: NOW))
    answer = api.get(PATHS[0])
    assert [note["code"] for note in answer.json()["meta"]["notes"]] == ["EMBEDDER_UNAVAILABLE"]
    assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", False)


def test_large_answers_are_compressed_for_those_who_read_gzip(api: Api) -> None:
    small, large = "/api/search?q=qzxjv", "/api/openapi.json"
    for path, compressed in ((small, False), (large, True)):
        plain = api.get(path, headers={"accept-encoding": "identity"})
        packed = api.get(path, headers={"accept-encoding": "gzip"})
        assert "content-encoding" not in plain.headers
        assert packed.headers.get("content-encoding") == ("gzip" if compressed else None)
    assert packed.json() == plain.json()
    assert "Accept-Encoding" in packed.headers["vary"]
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3


def test_the_rest_of_the_rate_is_reported(configured: Callable[..., Api]) -> None:
    api = configured(rate_limit=RateLimitSettings(max=3, window_ms=30_000))
    answers = [
        api.get(path) for path in ("/api/search?q=battery", "/api/pages/nope", "/api/nothing", "/api/search?q=a")
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 404, 429]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert {answer.headers["ratelimit-limit"] for answer in answers} == {"3"}
    assert all(0 < int(answer.headers["ratelimit-reset"]) <= 30 for answer in answers)
    assert "ratelimit-limit" not in api.get("/api/search?q=a", headers=WITH_KEY).headers


@pytest.mark.parametrize("path", ["/api/search?q=battery", "/api/nothing", "/", "/api/health"])
def test_each_answer_has_an_id_and_keeps_that_of_the_caller(api: Api, path: str) -> None:
    ids = {api.get(path).headers["x-request-id"] for _ in range(3)}
    assert len(ids) == 3
    assert api.get(path, headers={"x-request-id": "req_1.a:b"}).headers["x-request-id"] == "req_1.a:b"
    for bad in (b"a b", b"x" * 101, b"\xff", b"<script>"):
        assert api.get(path, headers={"x-request-id": bad}).headers["x-request-id"].isalnum()


def test_another_rule_of_the_owner_ends_it(tmp_path: Path) -> None:
    """`curation.toml` is read again without a restart, so a cached answer must not outlive a rule."""
    project = make_project(tmp_path)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    tag = {"if-none-match": api.get(PATHS[0]).headers["etag"]}
    assert api.get(PATHS[0], headers=tag).status_code == 304
    (project.root / "curation.toml").write_text('[[pin]]\nquery = "battery"\npages = "/docs/driving"\n')
    changed = api.get(f"{PATHS[0]}&explain=true", headers=tag).json()
    assert changed["results"][0]["url"] == "/docs/driving"
    assert "curation" not in changed or changed["curation"] is None
    trusted = api.get(f"{PATHS[0]}&explain=true", headers=WITH_KEY).json()
    assert trusted["curation"] == [
        {"rule": "curation.toml:1", "effect": "pin", "pages": ["/docs/driving"], "unavailable": []}
    ]
    assert api.get(PATHS[0], headers=tag).status_code == 200
