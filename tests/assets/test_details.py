"""The details of a stage's result in Dagster's pages."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph
from small_site import write_page

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import EmbeddingNumbers, StageResult
from searchsocket.project.project import open_project
from searchsocket_assets.run.details import public
from searchsocket_assets.run.translate import materialized

RESULT = StageResult(
    stage="chunk_embeddings",
    total=2,
    numbers=EmbeddingNumbers.of({"created": 2, "estimated_cost_usd": 0.25}),
    version="abc",
    seconds=1.23456,
    facts={"model": "hash-64"},
    warnings=("one page is odd",),
    tables={"Biggest pages": [{"url": "/a", "bytes": 12}, {"url": "/b", "note": ["x"]}], "Nothing": []},
    preview="# Home",
)


@pytest.fixture
def metadata(site: Path, instance: dg.DagsterInstance) -> dict[str, Any]:
    project = open_project(site, {})
    key = dg.AssetKey("chunk_embeddings")
    materialization = materialized(instance, key, ScopeRun(project, project.scope_named("main"), "run"), RESULT)
    assert materialization.data_version == dg.DataVersion("abc")
    return dict(materialization.metadata or {})


def test_numbers_stay_plain_so_that_dagster_plots_them(metadata: dict[str, Any]) -> None:
    assert {key: value for key, value in metadata.items() if isinstance(value, int | float)} == {
        "dagster/row_count": 2, "unique_texts": 0, "created": 2, "reused": 0, "estimated_tokens": 0,
        "estimated_cost_usd": 0.25, "charged_tokens": 0, "charged_cost_usd": 0, "dimensions": 0,
        "cut": 0, "left_out": 0, "seconds": 1.235, "warnings": 1,
    }  # fmt: skip


def test_a_table_keeps_its_columns_where_rows_differ(metadata: dict[str, Any]) -> None:
    table = metadata["biggest_pages"]
    assert isinstance(table, dg.TableMetadataValue)
    columns = [(column.name, column.type) for column in table.schema.columns]
    assert columns == [("url", "string"), ("bytes", "int"), ("note", "string")]
    assert [record.data for record in table.records] == [
        {"url": "/a", "bytes": 12, "note": None},
        {"url": "/b", "bytes": None, "note": "['x']"},
    ]
    assert "nothing" not in metadata


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("crawled https://ann:secret@example.com/docs", "crawled https://example.com/docs"),
        ("(https://example.com/map.xml?token=secret) was read", "(https://example.com/map.xml?…) was read"),
        ("what? nothing@all", "what? nothing@all"),
    ],
)
def test_addresses_are_shown_without_what_may_be_secret(text: str, expected: str) -> None:
    assert public(text) == expected


@pytest.mark.dagster
def test_the_numbers_come_first_and_then_the_source(run_graph: RunGraph, site: Path) -> None:
    """An engineer sees at once what was read and what was left out, and can look at what was made."""
    (site / "build" / "404.html").write_text("<h1>Nothing here</h1>")
    result = run_graph()
    materializations = {
        event.materialization.asset_key.to_user_string(): dict(event.materialization.metadata)
        for event in result.get_asset_materialization_events()
    }
    for metadata in materializations.values():
        names = list(metadata)
        assert names[0] == "dagster/row_count"
        source = names.index("source")
        assert names[source - 2 : source + 5] == [
            "seconds", "warnings", "source", "folder", "addresses", "skipped", "project",
        ]  # fmt: skip
        numbers = [value.value for value in list(metadata.values())[:source]]
        assert all(isinstance(value, int | float) for value in numbers)
        assert metadata["skipped"].value == "404.html (error page)"
        assert metadata["project"].value == "harbour"
    index = materializations["search_index"]
    after = list(index).index("project") + 1
    assert list(index)[after : after + 4] == ["generation", "published_at", "model", "sample_queries"]
    name, folder = index["generation"].value, site.resolve() / ".searchsocket" / "index" / "main"
    assert index["dagster/uri"].value == (folder / name).as_uri()
    assert Path(index["generation_folder"].value).is_dir()
    assert Path(index["mirror_folder"].value).is_dir()
    assert "searchsocket serve" in index["search_page"].value
    assert "skipped_list" in materializations["site_pages"]
    assert materializations["page_mirror"]["preview"].value.startswith("`docs/install.md`\n\n")


def sample_queries(result: dg.ExecuteInProcessResult) -> list[dict[str, Any]]:
    (materialization,) = [
        event.materialization
        for event in result.get_asset_materialization_events()
        if event.materialization.asset_key == dg.AssetKey("search_index")
    ]
    table = materialization.metadata["sample_queries"]
    assert isinstance(table, dg.TableMetadataValue)
    return [dict(record.data) for record in table.records]


@pytest.mark.dagster
def test_titles_of_pages_are_asked_of_the_live_generation(run_graph: RunGraph, site: Path) -> None:
    """Again when it is another one, and not when it stays."""
    first = sample_queries(run_graph())
    assert [(row["query"], row["first_result"]) for row in first] == [
        ("Home", "/"),
        ("Install", "/docs/install"),
        ("Tides", "/docs/tides"),
    ]
    (site / "searchsocket.toml").write_text("[ranking]\ncandidate_k = 20\n")
    assert sample_queries(run_graph()) == first
    write_page(site, "docs/tides", "Currents", "The current table lists where water goes.")
    assert sample_queries(run_graph())[2]["query"] == "Currents"
