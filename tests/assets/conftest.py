"""A small project, and the graph run over it on an instance in memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph
from small_site import write_site

from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import BRANCH_TAG
from searchsocket_assets.site import ensure_scope


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "harbour")


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


@pytest.fixture
def run_graph(site: Path, instance: dg.DagsterInstance) -> RunGraph:
    """Run `index_site`, or some of its assets, over one scope with some options."""
    job = build_definitions(str(site)).resolve_job_def("index_site")

    def run(scope: str = "main", only: list[str] | None = None, **options: Any) -> dg.ExecuteInProcessResult:
        ensure_scope(instance, scope)
        config: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        if options:
            config["resources"] = {"options": {"config": options}}
        return job.execute_in_process(
            config,
            instance=instance,
            partition_key=scope,
            tags={BRANCH_TAG: scope},  # requests the scope, which need not be a branch
            raise_on_error=False,
            asset_selection=[dg.AssetKey(name) for name in only] if only else None,
        )

    return run
