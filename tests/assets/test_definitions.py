"""The definitions that Dagster loads."""

import os
import subprocess
import sys
import tomllib
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import get_args

import dagster as dg
import pytest
import yaml
from small_site import write_site

from searchsocket.cli.index import index
from searchsocket.pipeline.run.options import OPTIONS, RunOptions
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.project.settings.source_kinds import source_modes
from searchsocket.quality.checks import ALL_CHECKS
from searchsocket.sources.base import SourceOrigin
from searchsocket_assets import site_definitions
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.jobs import INDEX_SITE
from searchsocket_assets.resources import IndexOptions
from searchsocket_assets.run.dev import workspace_file
from searchsocket_assets.run.tags import HIDDEN
from searchsocket_assets.show_now import LOCATION
from searchsocket_assets.site import NAME, ProjectTraits, source_kinds, traits_of_project

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    return build_definitions()


@pytest.fixture(scope="module")
def specs(definitions: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}


def test_there_is_an_asset_for_every_stage(specs: dict[str, dg.AssetSpec]) -> None:
    """The assets are named after the stages that they run."""
    assert set(specs) == {*STAGES, "scopes"}
    assert specs["scopes"].group_name == "branches"


def test_assets_depend_on_each_other_in_the_order_of_the_data(specs: dict[str, dg.AssetSpec]) -> None:
    deps = {
        name: sorted(dep.asset_key.to_user_string() for dep in spec.deps)
        for name, spec in specs.items()
        if name in STAGES
    }
    assert deps == {
        "site_pages": [],
        "page_mirror": ["site_pages"],
        "page_chunks": ["page_mirror"],
        "chunk_embeddings": ["page_chunks"],
        "search_index": ["chunk_embeddings", "page_chunks"],
    }


@pytest.mark.parametrize("name", list(STAGES))
def test_every_asset_tells_what_it_is(specs: dict[str, dg.AssetSpec], name: str) -> None:
    """A person who opens the graph sees a description, a group, kinds, a version, the scopes and the columns."""
    spec = specs[name]
    assert spec.description
    assert list(spec.owners) == []  # whose they are, a setting says
    assert len(spec.metadata["dagster/column_schema"].columns) >= 3
    assert spec.group_name == "site"
    assert spec.kinds
    assert spec.code_version
    assert isinstance(spec.partitions_def, dg.DynamicPartitionsDefinition)
    assert spec.partitions_def.name == "searchsocket_scope"


def test_the_checks_of_the_library_are_asset_checks(definitions: dg.Definitions) -> None:
    results = {
        spec.name: (spec.asset_key.to_user_string(), spec.blocking)
        for check in definitions.asset_checks or ()
        for spec in check.check_specs  # type: ignore[union-attr]  # built by @asset_check
    }
    assert results == {name: (check.stage.name, check.blocking) for name, check in ALL_CHECKS.items()}


def test_cost_is_checked_before_anything_is_embedded() -> None:
    """Over the budget nothing is called (spec 21)."""
    assert ALL_CHECKS["cost_within_budget"].blocking
    assert ALL_CHECKS["cost_within_budget"].stage.name == "page_chunks"


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
    assert offered == {"as-configured", *source_modes()}


def test_every_option_of_a_run_is_one_of_a_launch_and_of_the_command() -> None:
    """The options are defined once, and reach the run in either form."""
    options = {"force": True, "max_pages": 3, "max_cost_usd": 0.5, "source": "crawl"}
    assert {option.name for option in OPTIONS} <= set(IndexOptions.model_fields)
    assert {option.name for option in OPTIONS} <= {parameter.name for parameter in index.params}
    assert IndexOptions(**options).to_run_options() == RunOptions(**options)  # type: ignore[arg-type]
    assert IndexOptions().to_run_options() == RunOptions()
    assert RunOptions(**options).stated() == options  # type: ignore[arg-type]


def test_both_ways_to_start_dagster_name_the_location_that_runs_name() -> None:
    """Else runs of the command would be strangers in the UI: neither filtered by their job nor re-executable."""
    (location,) = yaml.safe_load(workspace_file().read_text(encoding="utf-8"))["load_from"]
    assert location["python_module"] == {
        "module_name": "searchsocket_assets.definitions",
        "attribute": "defs",
        "location_name": LOCATION,
    }
    dg = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["dg"]
    assert dg["directory_type"] == "project"  # without it `dg` refuses the checkout
    assert dg["project"]["code_location_name"] == LOCATION
    assert dg["project"]["code_location_target_module"] == "searchsocket_assets.definitions"


def test_dagster_loads_the_workspace_of_the_top_level(tmp_path: Path) -> None:
    """`dagster dev -w workspace.yaml` works in a checkout: the location loads, under the name that runs use."""
    assert workspace_file() == ROOT / "workspace.yaml"
    environ = {**os.environ, "DAGSTER_HOME": str(tmp_path), "DAGSTER_DISABLE_TELEMETRY": "yes"}
    validate = [sys.executable, "-m", "dagster", "definitions", "validate", "-w", "workspace.yaml"]
    result = subprocess.run(validate, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert f"Validation successful for code location {LOCATION}" in result.stderr + result.stdout


def test_a_wheel_holds_the_one_workspace_file(tmp_path: Path) -> None:
    """`searchsocket dagster` of an installed package starts the same location."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        names = [name for name in files.namelist() if name.endswith("workspace.yaml")]
        assert names == ["searchsocket_assets/workspace.yaml"]
        assert files.read(names[0]) == (ROOT / "workspace.yaml").read_bytes()


@pytest.mark.parametrize(("setting", "days"), [("", 0.0), ("max_age_days = 7", 7.0), ("max_age_days = 0.5", 0.5)])
def test_the_index_has_the_freshness_policy_of_the_settings(tmp_path: Path, setting: str, days: float) -> None:
    """Dagster then shows the age of the index where its users look for it, and no other asset claims one."""
    root = write_site(tmp_path / "harbour")
    (root / "searchsocket.toml").write_text(f"[dagster]\n{setting}\n")
    specs = {spec.key.path[-1]: spec for spec in site_definitions(root).resolve_all_asset_specs()}
    policies = {name: spec.freshness_policy for name, spec in specs.items() if spec.freshness_policy is not None}
    window = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=days)) if days else None
    assert policies == ({"search_index": window} if window else {})


def test_options_that_ask_for_nothing_are_offered(definitions: dg.Definitions) -> None:
    """The launchpad scaffolds what has a value; `max_pages: null` could not be seen there."""
    fields = IndexOptions.to_fields_dict()
    for name in ("max_pages", "max_chunks", "max_cost_usd"):
        assert fields[name].default_provided
        assert fields[name].default_value == -1
    assert IndexOptions(max_cost_usd=0.0).to_run_options().max_cost_usd == 0.0


def test_the_settings_of_the_project_say_how_its_assets_look(tmp_path: Path) -> None:
    """Whose they are, and what the pages of this very site are made of."""
    (tmp_path / "searchsocket.toml").write_text('[dagster]\nowners = ["team:docs", "ann@example.com"]\n')
    environ = {"SEARCHSOCKET_PROJECT": str(tmp_path)}
    assert traits_of_project(environ) == ProjectTraits(("team:docs", "ann@example.com"))  # nothing to index yet
    (tmp_path / "svelte.config.js").write_text("export default {}")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "index.html").write_text("<h1>Home</h1>")
    traits = traits_of_project(environ)
    assert traits.source_kinds == {"html", "svelte"}
    specs = {spec.key.to_user_string(): spec for spec in build_definitions(traits=traits).resolve_all_asset_specs()}
    assert specs["site_pages"].kinds == {"html", "svelte"}
    assert specs["page_mirror"].kinds == {"markdown"}
    assert all(list(spec.owners) == ["team:docs", "ann@example.com"] for spec in specs.values())


@pytest.mark.parametrize(
    ("origin", "kinds"),
    [
        (SourceOrigin("static-output", folder="dist", generator="Astro"), {"html", "astro"}),
        (SourceOrigin("static-output", folder="out", generator="Next.js"), {"html", "nextjs"}),
        (SourceOrigin("crawl", address="http://h"), {"html", "http"}),
        (SourceOrigin("content-files", folder="docs"), {"markdown"}),
        (SourceOrigin("git-branch", revision="main"), {"markdown", "git"}),
    ],
)
def test_kinds_are_those_of_the_source(origin: SourceOrigin, kinds: set[str]) -> None:
    assert source_kinds(origin) == kinds


def test_definitions_load_in_any_folder(tmp_path: Path) -> None:
    """The code server starts also in one whose configuration is broken: its runs say what is wrong."""
    (tmp_path / "searchsocket.toml").write_text("nonsense = [")
    code = (
        "from searchsocket_assets.definitions import build_definitions, defs\n"
        f"assert defs and build_definitions().resolve_job_def({INDEX_SITE!r})"
    )
    environ = {"SEARCHSOCKET_PROJECT": "/nowhere", "DAGSTER_HOME": "not/absolute", "PATH": ""}
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_the_files_for_agents_are_an_asset_where_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text("llms.enable = true\n")
    traits = traits_of_project({"SEARCHSOCKET_PROJECT": str(tmp_path)})
    specs = {spec.key.to_user_string(): spec for spec in build_definitions(traits=traits).resolve_all_asset_specs()}
    assert {dep.asset_key.to_user_string() for dep in specs["llms_txt"].deps} == {"search_index"}
    assert "llms_txt" not in {spec.key.to_user_string() for spec in build_definitions().resolve_all_asset_specs()}


def test_all_that_dagster_lists_says_what_it_is_whose_and_what_about() -> None:
    """Assets, jobs, sensors, schedules and checks: nobody should have to read our code to know."""
    owners = ("team:docs", "ann@example.com")
    definitions = build_definitions(traits=ProjectTraits(owners, corpora=("code",), staged=frozenset({"llms"})))
    assets = list(definitions.resolve_all_asset_specs())
    jobs, automation = [*(definitions.jobs or ())], [*(definitions.sensors or ()), *(definitions.schedules or ())]
    assert {entry.name for entry in automation} == {
        "command_runs", "new_branches", "new_builds", "dead_branches", "nightly_prune", "nightly_verify",
        "weekly_maintenance",
    }  # fmt: skip
    assert len(jobs) == 8
    assert all(spec.kinds and spec.group_name for spec in assets)
    for each in (*assets, *jobs, *automation):
        name = getattr(each, "name", "") or str(each.key)
        assert each.description, name
        assert tuple(each.owners or ()) == owners, name
        assert each.tags["searchsocket/about" if each not in jobs else f"{HIDDEN}about"], name
    for check in definitions.asset_checks or ():
        for spec in check.check_specs:  # type: ignore[union-attr]  # built by @multi_asset_check
            assert spec.description, spec.name
            assert isinstance(spec.partitions_def, dg.DynamicPartitionsDefinition)
            assert spec.partitions_def.name == NAME
