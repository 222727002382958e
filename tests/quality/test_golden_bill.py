"""Golden queries over a paid provider: requests, and the estimate of them, by the provider's own counters."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from searchsocket.errors import BudgetExceeded, ConfigError, EmbedderRefused
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.quality.candidate import golden_texts, judge_candidate
from tests.models.embedders.openai_server import DIMENSIONS, Reply, Server, error, serve
from tests.pipeline.conftest import Site

QUERIES = [f"opening hours number {number}" for number in range(40)]
CONFIG = """
[embeddings]
provider = "openai"
model = "small"
base_url = "{url}"
dimensions = {dimensions}
api_key_env = ""
price_per_million_tokens_usd = 1000.0
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


@pytest.fixture
def site(tmp_path: Path, server: Server) -> Site:
    site = Site(tmp_path / "site")
    (site.root / "searchsocket.toml").write_text(CONFIG.format(url=server.url, dimensions=DIMENSIONS))
    entries = "".join(f'[[query]]\nquery = "{query}"\nmust_not = "/nowhere"\n' for query in QUERIES)
    (site.root / "golden-queries.toml").write_text(entries)
    return site


def run_of(site: Site, **options: object) -> ScopeRun:
    """A run that asks golden queries, as those of Dagster do."""
    run = site.run(options=RunOptions(**options))  # type: ignore[arg-type]
    return replace(run, judge=judge_candidate, golden_texts=golden_texts)


def sent_queries(server: Server) -> list[list[str]]:
    """The requests that contain golden queries."""
    return [body["input"] for body in server.requests if set(body["input"]) & set(QUERIES)]


def test_golden_queries_are_embedded_in_one_request(site: Site, server: Server) -> None:
    """Of the candidate and of the generation that is live: the second run judges both."""
    index_scope(run_of(site))
    assert sent_queries(server) == [QUERIES]
    site.write("docs/faq.html", "FAQ", "<p>Another answer, which is about winter.</p>")
    index_scope(run_of(site))
    assert sent_queries(server) == [QUERIES, QUERIES]
    assert sum(line.tokens for line in site.run().backends.ledger.lines()) == server.charged


def test_a_run_that_publishes_nothing_asks_nothing_and_plans_no_cost(site: Site, server: Server) -> None:
    index_scope(run_of(site))
    before = len(server.requests)
    assert plan_scope(run_of(site)).estimated_tokens == 0
    assert index_scope(run_of(site)).estimated_tokens == 0
    assert len(server.requests) == before


def test_the_plan_and_the_estimate_count_golden_queries(site: Site, server: Server) -> None:
    without = plan_scope(replace(run_of(site), golden_texts=lambda run: ()))
    planned = plan_scope(run_of(site))
    count = run_of(site).embedder.count_tokens
    assert planned.estimated_tokens - without.estimated_tokens == sum(map(count, QUERIES)) > 0
    assert planned.embeddings == without.embeddings
    assert not server.requests
    between = (planned.estimated_cost_usd + without.estimated_cost_usd) / 2
    with pytest.raises(BudgetExceeded):
        index_scope(run_of(site, max_cost_usd=between))
    assert not server.requests
    assert index_scope(run_of(site)).estimated_tokens == planned.estimated_tokens


def test_golden_queries_that_are_not_valid_are_found_before_a_text_is_paid_for(site: Site, server: Server) -> None:
    """Also by a dry run."""
    (site.root / "golden-queries.toml").write_text("[[query]]\nmust_be_first = 3\n")
    for do in (plan_scope, index_scope):
        with pytest.raises(ConfigError, match=r"golden-queries\.toml"):
            do(run_of(site))
    assert not server.requests


def test_a_provider_that_refuses_golden_queries_stops_the_switch(site: Site, server: Server) -> None:
    index_scope(run_of(site))
    live = site.run().backends.store.generation(site.run().scope)
    site.write("docs/faq.html", "FAQ", "<p>Another answer, which is about winter.</p>")
    server.replies.extend([Reply(), error(401, "invalid_api_key")])  # of the edited text, then of the queries
    with pytest.raises(EmbedderRefused):
        index_scope(run_of(site))
    assert site.run().backends.store.generation(site.run().scope) == live
