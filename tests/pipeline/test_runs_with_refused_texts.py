"""An index run over a provider that refuses some texts: the rest is published, and the run says what is missing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from searchsocket.cli import exits
from searchsocket.pipeline.run.checks import embeddings_sane
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from tests.models.embedders.openai_server import DIMENSIONS, Reply, Server, error, serve
from tests.pipeline.conftest import Site

CONFIG = """
[embeddings]
base_url = "{url}"
model = "small"
dimensions = {dimensions}
api_key_env = ""
price_per_million_tokens_usd = 0.0
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


@pytest.fixture
def site(make_site: Callable[[], Site], server: Server) -> Site:
    site = make_site()
    (site.root / "searchsocket.toml").write_text(CONFIG.format(url=server.url, dimensions=DIMENSIONS))
    site.write("docs/birds.html", "Birds", "<h2 id='tern'>Terns</h2><p>The forbidden zugunruhe of terns.</p>")
    return site


def forbidden(body: dict[str, Any]) -> Reply | None:
    return error(400, "policy", "this input is refused") if any("forbidden" in text for text in body["input"]) else None


def index(site: Site, **options: object) -> IndexSummary:
    return index_scope(site.run("main", RunOptions(**options)))  # type: ignore[arg-type]


def warnings_about(summary: IndexSummary, words: str) -> list[str]:
    return [warning for warning in summary.warnings if words in warning]


def test_a_refused_text_is_published_without_a_vector_and_named_by_every_run(site: Site, server: Server) -> None:
    server.judge = forbidden
    first = index(site)
    assert (first.embeddings["leftOut"], first.embeddings["cut"]) == (1, 0)
    [warning] = warnings_about(first, "have no vector")
    assert "/docs/birds#tern (this input is refused)" in warning
    assert first.is_incomplete  # one of ten texts is more than one in a hundred
    hits = site.run("main").backends.store.reader(site.run("main").scope).words.search("zugunruhe", top_k=3)
    assert len(hits) == 1
    assert embeddings_sane(site.run("main")).passed

    server.requests.clear()
    again = index(site)
    assert server.requests == []
    assert again.embeddings["leftOut"] == 1
    assert warnings_about(again, "have no vector") == [warning]

    server.judge = lambda body: None
    accepted = index(site, force=True)
    assert accepted.embeddings["leftOut"] == 0
    assert not warnings_about(accepted, "have no vector")


def test_a_text_that_was_edited_is_sent_again(site: Site, server: Server) -> None:
    server.judge = forbidden
    index(site)
    site.write("docs/birds.html", "Birds", "<h2 id='tern'>Terns</h2><p>The zugunruhe of terns.</p>")
    assert index(site).embeddings["leftOut"] == 0


def test_a_text_that_is_too_long_is_cut_and_named(site: Site, server: Server) -> None:
    server.judge = lambda body: error(400, "", "too long") if max(map(len, body["input"])) > 200 else None
    site.write("docs/long.html", "Long", f"<h2 id='rows'>Rows</h2><p>{'one row of the table, ' * 30}</p>")
    summary = index(site)
    assert summary.embeddings["cut"] >= 1
    assert summary.embeddings["leftOut"] == 0
    [warning] = warnings_about(summary, "were cut to what the provider takes")
    assert "/docs/long#rows" in warning
    assert not summary.is_incomplete


def test_a_scope_with_the_same_text_reports_it_too(site: Site, server: Server) -> None:
    """The cache remembers the refusal for every scope and clone."""
    server.judge = forbidden
    index(site)
    server.requests.clear()
    other = index_scope(site.run("preview"))
    assert (server.requests, other.embeddings["leftOut"]) == ([], 1)


def test_a_vector_that_is_only_a_placeholder_is_not_taken_for_one_after_the_cache_was_lost(
    site: Site, server: Server
) -> None:
    """Vectors of published scopes replace a lost cache."""
    server.judge = forbidden
    index(site)
    site.run("main").backends.cache_file.unlink()
    site.write("docs/more.html", "More", "<p>Another page about the sea.</p>")
    assert index(site).embeddings["leftOut"] == 1


def test_the_command_fails_only_if_more_than_one_in_a_hundred_is_missing(
    site: Site, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from searchsocket.cli.main import cli

    server.judge = forbidden
    arguments = ["index", "--project", str(site.root)]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == exits.FAILED, result.output
    assert "1 left out, as the provider refused them" in result.output
    assert "/docs/birds#tern" in result.output
    monkeypatch.setattr(IndexSummary, "is_incomplete", property(lambda _: False))
    assert CliRunner().invoke(cli, arguments).exit_code == 0
