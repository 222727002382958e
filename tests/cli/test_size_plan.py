"""What a site of some size costs."""

import json
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.cli.main import cli
from searchsocket.models.embedders import installed
from searchsocket.quality.size_plan import SiteShape, SizePlan, plan_size, unit_costs
from searchsocket.system import plugins

COSTS = unit_costs()
SHAPE = SiteShape(COSTS.chunks_per_page, COSTS.tokens_per_chunk)


def plan(pages: int, branches: int = 1, shape: SiteShape = SHAPE, price: float = 0.0) -> SizePlan:
    return plan_size(
        COSTS, shape, pages=pages, branches=branches, max_local_chunks=200_000, usd_per_million_tokens=price
    )


@given(st.integers(1, 10_000_000), st.integers(1, 1_000))
def test_more_pages_and_branches_never_cost_less(pages: int, branches: int) -> None:
    small, large = plan(pages, branches), plan(2 * pages, branches + 1)
    for name in ("chunks", "first_run_core_hours", "disk_gb", "index_memory_gb", "tokens", "service_memory_gb"):
        assert getattr(small, name) <= getattr(large, name)


def test_the_first_limit_is_that_of_the_embedded_index() -> None:
    assert plan(1_000).first_limit == "none at this size"
    assert plan(1_000).query_ms is not None
    large = plan(1_000_000)
    assert (large.query_ms, "200,000 chunks" in large.first_limit) == (None, True)


def test_pages_of_twice_the_text_cost_nearly_twice_as_much() -> None:
    double = SiteShape(2 * SHAPE.chunks_per_page, SHAPE.tokens_per_chunk)
    one, two = plan(10_000, price=0.02), plan(10_000, shape=double, price=0.02)
    assert two.embedding_usd == pytest.approx(2 * one.embedding_usd, rel=1e-6)
    assert two.first_run_core_hours == pytest.approx(plan(20_000).first_run_core_hours, rel=0.1)


def test_a_page_with_hardly_any_text_has_a_cost_of_its_own() -> None:
    empty = plan(10_000, shape=SiteShape(1.0, 1.0))
    assert 0.05 < empty.disk_gb / plan(10_000).disk_gb < 0.15


def test_without_an_index_pages_must_be_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["plan", "--project", str(tmp_path)])
    assert (done.exit_code, "pass --pages" in done.output) == (2, True)


def test_a_model_is_priced(tmp_path: Path) -> None:
    arguments = ["plan", "--pages", "1000", "--model", "text-embedding-3-large", "--json", "--project", str(tmp_path)]
    answer = json.loads(CliRunner().invoke(cli, arguments).output)
    assert answer["embeddingUsd"] == pytest.approx(answer["tokens"] * 0.13 / 1e6)
    done = CliRunner().invoke(cli, ["plan", "--pages", "10", "--model", "tides-9", "--project", str(tmp_path)])
    assert "'tides-9'" in done.output


def test_an_embedder_of_a_package_is_priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cost nothing in every plan, whatever the package charges."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples" / "voyage"))
    monkeypatch.setenv("VOYAGE_API_KEY", "any")
    points = EntryPoints([EntryPoint("voyage", "searchsocket_voyage:make", installed.GROUP)])
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    (tmp_path / "searchsocket.toml").write_text('embeddings.provider = "voyage"\n')
    arguments = ["plan", "--pages", "1000", "--json", "--project", str(tmp_path)]
    answer = json.loads(CliRunner().invoke(cli, arguments).output)
    assert answer["embeddingUsd"] == pytest.approx(answer["tokens"] * 0.06 / 1e6)


def test_the_index_of_the_project_says_what_a_page_is(indexed: Path) -> None:
    done = CliRunner().invoke(cli, ["plan", "--json", "--project", str(indexed)])
    status = json.loads(CliRunner().invoke(cli, ["status", "--json", "--project", str(indexed)]).output)
    answer = json.loads(done.output)
    assert answer["chunks"] == status["scopes"][0]["records"]
