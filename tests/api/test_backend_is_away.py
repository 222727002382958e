"""Answers while the machine with the vectors cannot be reached."""

from pathlib import Path

import pytest
from api_client import ENVIRON, KEY, Api
from remote_vectors import Machine, remote_site
from search_site import NOW

from search_api.app import create_app
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.project.project import open_project

TRUSTED = {"authorization": f"Bearer {KEY}"}


def api(root: Path, machine: Machine, toml: str = "") -> Api:
    (root / "searchsocket.toml").write_text(f'[project]\nid = "site"\n[embeddings]\nprovider = "hash"\n{toml}')
    store = remote_site(root / ".searchsocket" / "index", machine).store
    app = create_app(
        open_project(root, {}), environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW, store=store, embedder=HashEmbedder()
    )
    served = Api(app)
    assert served.get("/api/search?q=battery").json()["meta"]["notes"] == []
    return served


def test_words_alone_answer_with_a_note_and_no_cache_keeps_it(tmp_path: Path) -> None:
    machine = Machine()
    served = api(tmp_path, machine)
    assert "etag" in served.get("/api/search?q=battery").headers
    machine.is_away = True
    answer = served.get("/api/search?q=battery")
    assert (answer.status_code, answer.json()["results"][0]["url"]) == (200, "/docs/battery")
    [note] = answer.json()["meta"]["notes"]
    assert (note["code"], "words only" in note["message"]) == ("VECTOR_BACKEND_UNAVAILABLE", True)
    assert "etag" not in answer.headers
    nothing = served.get("/api/search?q=xylophone")
    assert (nothing.status_code, nothing.json()["error"]["code"]) == (503, "VECTOR_BACKEND_UNAVAILABLE")
    assert int(nothing.headers["retry-after"]) >= 1


@pytest.mark.parametrize("path", ["/api/search?q=battery", "/api/related?url=/docs/battery"])
def test_an_error_says_when_to_come_again_and_nothing_of_the_machine(tmp_path: Path, path: str) -> None:
    machine = Machine()
    served = api(tmp_path, machine, '[search]\non_backend_failure = "error"\n')
    machine.is_away = True
    answer = served.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "VECTOR_BACKEND_UNAVAILABLE")
    assert int(answer.headers["retry-after"]) >= 1
    assert "10.0.0.9" not in answer.text


@pytest.mark.parametrize(
    ("policy", "status", "what"),
    [("words", 200, "queries match words only"), ("error", 503, "no queries are answered")],
)
def test_health_says_what_queries_get(tmp_path: Path, policy: str, status: int, what: str) -> None:
    machine = Machine()
    served = api(tmp_path, machine, f'[search]\non_backend_failure = "{policy}"\n')
    machine.is_away = True
    health = served.get("/api/health")
    assert health.status_code == status
    assert health.json()["scopes"][0]["degraded"].startswith(what)
    assert health.json()["scopes"][0]["degradedBy"] == (["words_only"] if policy == "words" else [])
    assert "10.0.0.9" not in health.text
    assert "10.0.0.9: connection refused" in served.get("/api/health", headers=TRUSTED).text
