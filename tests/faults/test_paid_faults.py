"""Faults of a paid provider, at the socket: the report, the cost, and the next run."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from small_site import write_site

from searchsocket.errors import BadVectors, EmbedderRefused, EmbedderUnavailable
from searchsocket.models.embedders import openai
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.pipeline.stages import chunk_embeddings
from searchsocket.project.project import open_project
from tests.models.embedders.openai_server import DIMENSIONS, KEY, Reply, Server, error, serve, with_vectors
from tests.models.embedders.passing import Fake

CONFIG = """
[embeddings]
provider = "openai"
base_url = "{url}"
dimensions = {dimensions}
batch_size = 2
concurrency = 1
"""


@dataclass
class Paid:
    """A project at a paid provider, in a time that only passes when somebody waits."""

    root: Path
    server: Server

    def index(self) -> IndexSummary:
        project = open_project(self.root, {})
        environ = {"OPENAI_API_KEY": KEY}
        return index_scope(ScopeRun(project, project.scope_named("main"), f"run-{id(object())}", environ=environ))

    def ledger_tokens(self) -> int:
        project = open_project(self.root, {})
        run = ScopeRun(project, project.scope_named("main"), "look", environ={"OPENAI_API_KEY": KEY})
        return sum(line.tokens for line in run.backends.ledger.lines())


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Fake:
    fake = Fake()
    usual = chunk_embeddings.embed_missing

    def embed_missing(*arguments: object, **options: object) -> object:
        return usual(*arguments, **options, passing=fake.time)  # type: ignore[arg-type]

    monkeypatch.setattr(chunk_embeddings, "embed_missing", embed_missing)
    return fake


@pytest.fixture
def paid(tmp_path: Path, passing: Fake) -> Iterator[Paid]:
    with serve() as server:
        root = write_site(tmp_path / "site")
        (root / "searchsocket.toml").write_text(CONFIG.format(url=server.url, dimensions=DIMENSIONS))
        yield Paid(root, server)


def limited(answer: dict[str, object]) -> dict[str, object]:
    return answer | {"data": answer["data"][:-1]}  # type: ignore[index]


LASTING = {
    "429 storm": (error(429, "rate_limit_exceeded"), EmbedderUnavailable, "429 rate_limit_exceeded"),
    "500": (error(500, "oops"), EmbedderUnavailable, "500 oops"),
    "503": (error(503, "overloaded"), EmbedderUnavailable, "503 overloaded"),
    "cut": (Reply(cut=True), EmbedderUnavailable, "cannot be reached"),
    "stuck": (Reply(hang=threading.Event()), EmbedderUnavailable, "did not answer within"),
    "no JSON": (Reply(body=b"<html>"), BadVectors, "did not answer with JSON"),  # type: ignore[arg-type]
    "count": (Reply(spoil=limited), BadVectors, "vectors for 2 texts"),
    "dimension": (Reply(spoil=with_vectors(lambda row: row[:-1])), BadVectors, "shape"),
    "NaN": (Reply(spoil=with_vectors(lambda row: row * np.nan)), BadVectors, "infinite"),
    "zeros": (Reply(spoil=with_vectors(lambda row: row * 0)), BadVectors, "zero"),
    "quota": (error(429, "insufficient_quota"), EmbedderRefused, "no credit left"),
    "expired key": (error(401, "invalid_api_key", KEY), EmbedderRefused, "rejects the key"),
    "unknown model": (error(404, "model_not_found"), EmbedderRefused, "404 model_not_found"),
}
PAID_FOR_NOTHING = {"count", "dimension", "NaN", "zeros", "cut"}


@pytest.mark.parametrize("name", LASTING)
def test_a_fault_that_lasts_ends_the_run_and_costs_no_text_twice(
    paid: Paid, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """After two good answers. The ledger holds what the server charged, and the next run pays for the rest alone."""
    reply, kind, words = LASTING[name]
    paid.server.always = reply
    with monkeypatch.context() as patch:
        if name == "stuck":  # from the first on: a good answer might come too late where much is going on
            patch.setattr(openai, "_TIMEOUT_S", 0.1)
        else:
            paid.server.replies.extend([Reply(), Reply()])
        with pytest.raises(kind, match=words) as raised:
            paid.index()
    assert KEY not in str(raised.value)
    good = paid.server.paid[: 0 if name == "stuck" else 4]
    request_count = len(paid.server.requests) - len(good) // 2
    assert request_count == (8 if raised.value.retryable else 1) or (name == "stuck" and request_count <= 8)
    if name not in ("cut", "stuck"):  # whose charge never came to us
        assert paid.ledger_tokens() == paid.server.charged
    if name not in PAID_FOR_NOTHING | {"stuck"}:
        assert paid.server.paid == good
    before = len(paid.server.paid)
    paid.server.always = Reply()
    result = paid.index()
    again = paid.server.paid[before:]
    assert result.generation
    assert not set(again) & set(good)
    assert len(again) == len(set(again)) == result.embeddings["created"]
    if reply.hang:
        reply.hang.set()


PASSING = {
    "429 storm": [error(429, "rate_limit_exceeded", Retry_After="2")] * 5,
    "500": [error(500, "oops")] * 5,
    "503": [error(503, "overloaded")] * 5,
    "cut": [Reply(cut=True)] * 2,
}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_is_waited_out(paid: Paid, passing: Fake, name: str) -> None:
    """Nothing is paid for but what was answered, and an answer that was cut on the way."""
    paid.server.replies.extend(PASSING[name])
    result = paid.index()
    assert result.generation
    assert len(set(paid.server.paid)) == result.embeddings["created"]
    assert len(paid.server.paid) - result.embeddings["created"] == (4 if name == "cut" else 0)
    assert len(passing.slept) == len(PASSING[name])


@pytest.mark.parametrize("url", ["http://nobody.invalid/v1", "http://127.0.0.1:1/v1"])
def test_nobody_is_there(paid: Paid, url: str) -> None:
    """A name that no server has, and a port that nothing listens on."""
    (paid.root / "searchsocket.toml").write_text(CONFIG.format(url=url, dimensions=DIMENSIONS))
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        paid.index()
