"""What Dagster loads."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import dagster as dg
import pytest
import yaml

from searchsocket.cli.index import index
from searchsocket.pipeline.run.checks import CHECKS
from searchsocket.pipeline.run.options import OPTIONS, SOURCES, RunOptions
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.settings.model import SourceMode
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.resources import IndexOptions
from searchsocket_assets.run.runs import JOB, LOCATION

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    return build_definitions()


@pytest.fixture(scope="module")
def specs(definitions: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}


def test_there_is_an_asset_for_every_stage(specs: dict[str, dg.AssetSpec]) -> None:
    """The assets are named after the stages that they run."""
    assert set(specs) == set(STAGES)


def test_assets_depend_on_each_other_in_the_order_of_the_data(specs: dict[str, dg.AssetSpec]) -> None:
    deps = {name: sorted(dep.asset_key.to_user_string() for dep in spec.deps) for name, spec in specs.items()}
    assert deps == {
        "site_pages": [],
        "page_mirror": ["site_pages"],
        "page_chunks": ["page_mirror"],
        "chunk_embeddings": ["page_chunks"],
        "search_index": ["chunk_embeddings", "page_chunks"],
    }


@pytest.mark.parametrize("name", list(STAGES))
def test_every_asset_tells_what_it_is(specs: dict[str, dg.AssetSpec], name: str) -> None:
    """A person who opens the graph sees a description, an owner, a group, kinds, a version and the scopes."""
    spec = specs[name]
    assert spec.description
    assert spec.owners == ["team:searchsocket"]
    assert spec.group_name == "site"
    assert spec.kinds
    assert spec.code_version
    assert isinstance(spec.partitions_def, dg.DynamicPartitionsDefinition)
    assert spec.partitions_def.name == "searchsocket_scope"


def test_the_checks_of_the_library_are_asset_checks(definitions: dg.Definitions) -> None:
    found = {
        spec.name: (spec.asset_key.to_user_string(), spec.blocking)
        for check in definitions.asset_checks or ()
        for spec in check.check_specs  # type: ignore[union-attr]  # built by @asset_check
    }
    assert found == {name: (check.stage.name, check.blocking) for name, check in CHECKS.items()}


def test_cost_is_checked_before_anything_is_embedded() -> None:
    """Over the budget nothing is called (spec 21)."""
    assert CHECKS["cost_within_budget"].blocking
    assert CHECKS["cost_within_budget"].stage.name == "page_chunks"


def test_the_command_runs_the_same_job_as_the_ui(definitions: dg.Definitions, tmp_path: Path) -> None:
    """The UI warns before it executes a run of another version of a job again."""
    in_process = build_definitions(str(tmp_path), lambda _: None)
    snapshots = {each.resolve_job_def(JOB).get_job_snapshot_id() for each in (definitions, in_process)}
    assert len(snapshots) == 1


def test_steps_share_one_process(definitions: dg.Definitions) -> None:
    """A process for each step would cost five times the work."""
    assert definitions.executor is dg.in_process_executor


def test_no_stage_is_tried_again_by_dagster(definitions: dg.Definitions) -> None:
    """Dagster's retry policies take an interruption for a failure that may be tried again."""
    for assets in definitions.assets or ():
        assert isinstance(assets, dg.AssetsDefinition)
        assert assets.op.retry_policy is None


def test_sources_of_a_launch_are_those_of_the_configuration() -> None:
    offered = set(get_args(IndexOptions.model_fields["source"].annotation))
    assert offered == {"as-configured", *get_args(SourceMode)}
    assert get_args(SourceMode) == SOURCES


def test_every_option_of_a_run_is_one_of_a_launch_and_of_the_command() -> None:
    """They are said in one place; what is asked for in either form reaches the run."""
    asked = {"force": True, "max_pages": 3, "max_cost_usd": 0.5, "source": "crawl"}
    assert {option.name for option in OPTIONS} <= set(IndexOptions.model_fields)
    assert {option.name for option in OPTIONS} <= {parameter.name for parameter in index.params}
    assert IndexOptions(**asked).to_run_options() == RunOptions(**asked)  # type: ignore[arg-type]
    assert IndexOptions().to_run_options() == RunOptions()
    assert RunOptions(**asked).asked() == asked  # type: ignore[arg-type]


def test_both_ways_to_start_dagster_name_the_location_that_runs_name() -> None:
    """Else runs of the command would be strangers in the UI: neither filtered by their job nor re-executable."""
    workspace = ROOT / "searchsocket_assets" / "workspace.yaml"
    (location,) = yaml.safe_load(workspace.read_text(encoding="utf-8"))["load_from"]
    assert location["python_module"] == {
        "module_name": "searchsocket_assets.definitions",
        "attribute": "defs",
        "location_name": LOCATION,
    }
    dg = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["dg"]
    assert dg["directory_type"] == "project"  # without it `dg` refuses the checkout
    assert dg["project"]["code_location_name"] == LOCATION
    assert dg["project"]["code_location_target_module"] == "searchsocket_assets.definitions"


def test_loading_reads_no_environment_and_no_configuration(tmp_path: Path) -> None:
    """The code server starts in any folder, also one whose configuration is broken."""
    (tmp_path / "searchsocket.toml").write_text("nonsense = [")
    code = (
        "from searchsocket_assets.definitions import build_definitions, defs\n"
        f"assert defs and build_definitions().resolve_job_def({JOB!r})"
    )
    environ = {"SEARCHSOCKET_PROJECT": "/nowhere", "DAGSTER_HOME": "not/absolute", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
