"""Secrets stay on the machine: they are stored, but never sent to a remote provider (spec 24)."""

import json
import socket
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from searchsocket.backends import Backends
from searchsocket.pipeline.run.index import plan_scope
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from tests.models.embedders.openai_server import DIMENSIONS, Server, serve
from tests.pipeline.conftest import Site

SECRET = "9f86d081884c7d659a2f"
WARNING = "2 values on 2 pages look like secrets and were not sent to the provider: /docs/faq (1), /docs/usage (1)"


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


def with_secrets(site: Site) -> Site:
    site.write("docs/faq.html", "FAQ", f"<p>The museum's robot.</p><pre><code>API_KEY={SECRET}</code></pre>")
    site.write("docs/usage.html", "Usage", f"<p>It reads the exhibits with TOKEN={SECRET} in its head.</p>")
    return site


def configure(site: Site, provider: str, server: Server | None = None, **redaction: object) -> None:
    lines = [f'embeddings.provider = "{provider}"', *(f"redaction.{k} = {json.dumps(v)}" for k, v in redaction.items())]
    if server:
        lines += [f'embeddings.base_url = "{server.url}"', f"embeddings.dimensions = {DIMENSIONS}",
                  'embeddings.api_key_env = ""']  # fmt: skip
    (site.root / "searchsocket.toml").write_text("\n".join(lines), encoding="utf-8")


def request_text(server: Server) -> str:
    return json.dumps(server.requests)


def test_no_secret_is_sent_and_what_is_kept_is_whole(site: Site, server: Server) -> None:
    configure(with_secrets(site), "openai", server)
    summary = site.index()
    assert WARNING in summary.warnings
    assert SECRET not in json.dumps(summary.to_json())
    assert len(server.paid) == summary.embeddings["created"] > 0
    assert SECRET not in request_text(server)
    assert "API_KEY=[redacted]" in request_text(server)
    assert any(SECRET in record.chunk.body.text for record in site.records())
    assert any(SECRET in text for text in site.mirror().values())


def test_no_secret_of_a_query_is_sent(site: Site, server: Server) -> None:
    configure(with_secrets(site), "openai", server)
    site.index()
    server.requests.clear()
    service = open_service(site.project, {})
    answer = service.search(SearchQuery(f"API_KEY={SECRET}"), service.scopes.find(None, trusted=True))
    assert [request["input"] for request in server.requests] == [["API_KEY=[redacted]"]]
    assert answer.results[0].url == "/docs/faq"  # the words look for all of it
    assert answer.q == f"API_KEY={SECRET}"


def test_a_run_without_changes_says_it_again_and_embeds_nothing(site: Site, server: Server) -> None:
    configure(with_secrets(site), "openai", server)
    site.index()
    request_count = len(server.requests)
    again = site.index()
    assert (WARNING in again.warnings, again.embeddings["created"], len(server.requests)) == (True, 0, request_count)
    site.write("docs/faq.html", "FAQ", "<p>The museum's robot.</p>")
    assert any(warning.startswith("1 value on 1 page looks like a secret") for warning in site.index().warnings)


def test_another_secret_of_the_same_length_embeds_nothing(site: Site, server: Server) -> None:
    """The text that is sent is what is hashed, and that did not change."""
    configure(with_secrets(site), "openai", server)
    site.index()
    site.write("docs/usage.html", "Usage", "<p>It reads the exhibits with TOKEN=another0secret in its head.</p>")
    changed = site.index()
    assert (changed.records["upserted"] > 0, changed.embeddings["created"]) == (True, 0)
    assert any("another0secret" in record.chunk.body.text for record in site.records())


def test_a_dry_run_says_it_too(site: Site, server: Server) -> None:
    configure(with_secrets(site), "openai", server)
    plan = plan_scope(site.run())
    assert WARNING in plan.warnings
    assert server.requests == []


def hashes(site: Site) -> dict[str, str]:
    return {record.id: record.content_hash for record in site.records()}


def test_a_model_of_this_machine_sees_texts_as_they_are(site: Site) -> None:
    """Its hashes, and so its cache, are those that they always were."""
    configure(with_secrets(site), "hash")
    summary = site.index()
    before = hashes(site)
    assert not any("secret" in warning for warning in summary.warnings)
    configure(site, "hash", enabled=False)
    assert (site.index().chunks["changed"], hashes(site)) == (0, before)
    assert Backends(site.project, {}).redactor is None


def refuse(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("a connection was opened")


def test_nothing_leaves_the_machine_with_a_model_of_its_own(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network is closed: an index and a search with the settings that one has without a file."""
    for name in ("connect", "connect_ex", "sendto", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    with_secrets(site)
    assert site.index().records["upserted"] > 0
    service = open_service(site.project, {})
    assert service.search(SearchQuery(f"API_KEY={SECRET}"), service.scopes.find(None, trusted=True)).results
