"""Cost of runs over a paid provider, by the provider's counters, and the reports before and after."""

import json
from collections.abc import Callable, Iterator

import pytest

from searchsocket.errors import BudgetExceeded, EmbedderRefused, EmbeddingModelMismatch
from searchsocket.models.paying.ledger import Ledger
from searchsocket.pipeline.run.index import index_scope, last_run_costs, plan_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from tests.models.embedders.openai_server import DIMENSIONS, Reply, Server, error, serve
from tests.pipeline.conftest import Site

CONFIG = """
[embeddings]
provider = "openai"
model = "{model}"
base_url = "{url}"
dimensions = {dimensions}
api_key_env = ""
price_per_million_tokens_usd = 1000.0
batch_size = 4
[costs.budget]
{budget}
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


class PaidSite:
    """A site whose provider is the server, and what the server was paid for by one run after the other."""

    def __init__(self, site: Site, server: Server) -> None:
        self.site, self.server = site, server
        self.configure()

    def configure(self, model: str = "small", budget: str = "") -> None:
        text = CONFIG.format(model=model, url=self.server.url, dimensions=DIMENSIONS, budget=budget)
        (self.site.root / "searchsocket.toml").write_text(text)

    def index(self, scope: str = "main", **options: object) -> tuple[IndexSummary, int, int]:
        """The summary; texts and tokens that the server was paid for."""
        texts, tokens = len(self.server.paid), self.server.charged
        summary = index_scope(self.site.run(scope, RunOptions(**options)))  # type: ignore[arg-type]
        return summary, len(self.server.paid) - texts, self.server.charged - tokens

    def plan(self) -> IndexSummary:
        return plan_scope(self.site.run())

    @property
    def ledger(self) -> Ledger:
        return self.site.run().backends.ledger


@pytest.fixture
def paid(make_site: Callable[[], Site], server: Server) -> PaidSite:
    return PaidSite(make_site(), server)


def test_only_new_texts_are_paid_and_all_are_in_the_ledger(paid: PaidSite) -> None:
    """Cold, unchanged, one edit, a new scope, another model; the ledger says what the server says."""
    cold, texts, tokens = paid.index()
    assert texts == cold.embeddings["created"] > 6
    assert (cold.charged_tokens, cold.charged_cost_usd) == (tokens, pytest.approx(tokens / 1000))
    assert paid.index()[1:] == (0, 0)
    paid.site.write("docs/faq.html", "FAQ", "<p>Opening hours are different in winter.</p>")
    assert paid.index()[1] == 1
    assert paid.index("preview")[1:] == (0, 0)
    paid.configure("large")
    moved, again, _ = paid.index(force=True)
    assert again == texts == moved.embeddings["created"]
    lines = paid.ledger.lines()
    assert {(line.used_for, line.model_id) for line in lines} == {
        ("index", "openai-small-512"),
        ("index", "openai-large-512"),
    }
    assert sum(line.tokens for line in lines) == paid.server.charged
    assert len(paid.server.paid) == len(set(paid.server.paid)) + texts


def test_a_plan_says_what_costs_most_and_calls_nobody(paid: PaidSite) -> None:
    """Ten pages by falling tokens, and what looks like the output of a build."""
    for number in range(12):
        paid.site.write(f"long/{number}.html", f"Page {number}", f"<p>{'word ' * 50 * number} number {number}</p>")
    paid.site.write("coverage/report.html", "Report", f"<p>{' '.join(map(hex, range(900)))}</p>")
    plan = paid.plan()
    assert paid.server.requests == []
    pages = plan.expensive_pages
    assert [page["url"] for page in pages[:3]] == ["/coverage/report", "/long/11", "/long/10"]
    assert len(pages) == 10
    assert [page["tokens"] for page in pages] == sorted((page["tokens"] for page in pages), reverse=True)
    assert sum(page["cost_usd"] for page in pages) < plan.estimated_cost_usd
    (built,) = plan.build_output
    assert (built["reason"], built["pages"], built["example"]) == ("in a folder `coverage`", 1, "/coverage/report")
    assert built["tokens"] == pages[0]["tokens"]
    report = json.loads(json.dumps(plan.to_json()))
    assert report["expensivePages"][0]["costUsd"] == pages[0]["cost_usd"]
    result, _, _ = paid.index()
    assert result.expensive_pages == pages
    costs = last_run_costs(paid.site.run().state, "main")
    assert costs["changedChunks"] == result.chunks["changed"]
    assert (costs["expensivePages"], costs["buildOutput"]) == (report["expensivePages"], report["buildOutput"])


def test_a_free_run_has_no_bill(make_site: Callable[[], Site]) -> None:
    site = make_site()
    plan = plan_scope(site.run())
    assert (plan.estimated_cost_usd, plan.expensive_pages, plan.build_output) == (0.0, [], [])
    site.index()
    assert not site.run().backends.ledger.path.exists()


def test_a_month_has_a_budget_too(paid: PaidSite) -> None:
    """Of all runs together: what is left of it stops the next one before its first call, and a free one never."""
    first, _, _ = paid.index()
    paid.configure(budget=f"month_usd = {first.charged_cost_usd + 0.001}")
    paid.site.write("docs/faq.html", "FAQ", "<p>Opening hours are different in winter, spring and autumn.</p>")
    calls = len(paid.server.requests)
    with pytest.raises(BudgetExceeded, match=r"of this month's budget of .* are spent; nothing was called"):
        paid.index()
    assert len(paid.server.requests) == calls
    paid.site.write("docs/faq.html", "FAQ", "<p>Questions about opening hours and tickets are answered here.</p>")
    assert paid.index()[1:] == (0, 0)


def test_the_limit_of_a_run_is_the_callers_before_the_settings(paid: PaidSite) -> None:
    paid.configure(budget="run_usd = 0.0001")
    with pytest.raises(BudgetExceeded, match=r"over the budget of \$0.0001; .*costs\.budget\.run_usd"):
        paid.index()
    assert paid.server.requests == []
    assert paid.index(max_cost_usd=100.0)[1] > 0


def test_another_model_is_priced_first_and_the_old_index_serves_until_it_is_there(paid: PaidSite) -> None:
    """Nothing switches by itself; a migration that fails on the way leaves the old generation live."""
    first, texts, _ = paid.index()
    paid.configure("large")
    with pytest.raises(EmbeddingModelMismatch, match="index --force"):
        paid.index()
    calls = len(paid.server.requests)
    plan = plan_scope(paid.site.run(options=RunOptions(force=True)))
    assert (plan.embeddings["created"], len(paid.server.requests)) == (texts, calls)
    assert plan.estimated_cost_usd == pytest.approx(first.estimated_cost_usd)
    paid.server.replies.extend([Reply(), error(401, "invalid_api_key")])
    with pytest.raises(EmbedderRefused):
        paid.index(force=True)
    run = paid.site.run()
    live = run.backends.store.generation(run.scope)
    assert live is not None
    assert (live.name, live.model_id) == (first.generation, f"openai-small-{DIMENSIONS}")
    moved, again, _ = paid.index(force=True)
    assert 0 < again < texts  # what was paid for before it failed is kept
    assert moved.generation != first.generation
