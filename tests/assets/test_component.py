"""The component `searchsocket_assets.Site`, as Dagster's own tool sees it."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import dagster
import pytest
import yaml
from small_site import write_site

import searchsocket_assets
from searchsocket.errors import ConfigMissing
from searchsocket_assets.site import SiteAsset
from searchsocket_assets.testing import index_site

pytestmark = pytest.mark.dagster

DG = Path(sys.executable).with_name("dg")
PROJECT = """
[project]
name = "company"
version = "0.1.0"
[tool.dg]
directory_type = "project"
[tool.dg.project]
root_module = "company"
"""
DEFINITIONS = """
from pathlib import Path
import dagster as dg

@dg.definitions
def defs():
    return dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
"""


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """A Dagster project of somebody else, beside two sites."""
    for name in ("docs", "blog"):
        (write_site(tmp_path / name) / "searchsocket.toml").write_text(f'project.id = "{name}"\n')
    project = tmp_path / "company"
    (project / "src/company/defs").mkdir(parents=True)
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "src/company/__init__.py").touch()
    (project / "src/company/definitions.py").write_text(DEFINITIONS)
    return project


def dg(project: Path, *arguments: str) -> str:
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": "src", "HOME": str(project), "DAGSTER_DISABLE_TELEMETRY": "yes"}
    result = subprocess.run([DG, *arguments], cwd=project, env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.long
def test_two_sites_are_scaffolded_checked_and_listed(company: Path) -> None:
    """By YAML alone, without a line of Python."""
    dg(company, "scaffold", "defs", "searchsocket_assets.Site", "docs", "--root", "../docs")
    docs = company / "src/company/defs/docs/defs.yaml"
    assert yaml.safe_load(docs.read_text()) == {
        "type": "searchsocket_assets.Site",
        "attributes": {"root": "../docs", "key_prefix": "docs"},
    }
    blog = company / "src/company/defs/blog/defs.yaml"
    blog.parent.mkdir()
    blog.write_text(docs.read_text().replace("docs", "blog"))
    dg(company, "check", "defs")
    listed = json.loads(dg(company, "list", "defs", "--json"))
    keys = {asset["asset_key"] for asset in listed["assets"]}
    assert {"docs/search_index", "blog/search_index"} <= keys
    assert {"docs_index_site", "blog_index_site"} <= {job["name"] for job in listed["jobs"]}


def test_every_attribute_is_described_and_has_its_effect(company: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(company / "src"))
    properties = searchsocket_assets.Site.get_model_cls().model_json_schema()["properties"]
    expected = "root key_prefix group pool owners tags code llms static automation schedules timezone deps keys"
    assert set(properties) == {*expected.split(), "translation"}
    assert all(property_["description"] for property_ in properties.values())
    attributes = {
        "root": "../docs",
        "key_prefix": ["web", "docs"],
        "group": "search",
        "pool": "small_machine",
        "owners": ["team:docs"],
        "tags": {"domain": "docs"},
        "code": True,
        "llms": True,
        "static": True,
        "automation": True,
        "schedules": {"nightly_verify": "0 1 * * *"},
        "timezone": "Europe/Berlin",
        "deps": ["web/build"],
        "keys": {"search_index": "warehouse/docs_search"},
        "translation": {"metadata": {"wiki": "{{ asset.site }}/{{ asset.corpus }}/{{ asset.name }}"}},
    }
    folder = company / "src/company/defs/docs"
    folder.mkdir()
    document = {"type": "searchsocket_assets.Site", "attributes": attributes}
    (folder / "defs.yaml").write_text(yaml.safe_dump(document))
    definitions = dg_defs(company)
    specs = {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}
    ours = {key: spec for key, spec in specs.items() if key != "web/build"}
    assert {"warehouse/docs_search", "web/docs/code_index", "web/docs/llms_txt", "web/docs/static_search"} <= set(ours)
    assert [dep.asset_key for dep in specs["web/docs/site_pages"].deps] == [dagster.AssetKey(["web", "build"])]
    assert {spec.group_name for spec in ours.values()} == {"search"}
    assert {tuple(spec.owners) for spec in ours.values()} == {("team:docs",)}
    assert {spec.tags["domain"] for spec in ours.values()} == {"docs"}
    assert specs["warehouse/docs_search"].metadata["wiki"] == "web_docs/site/search_index"
    assert specs["web/docs/code_index"].metadata["wiki"] == "web_docs/code/code_index"
    pools = {asset.op.pool for asset in definitions.assets or () if isinstance(asset, dagster.AssetsDefinition)}
    assert pools == {"small_machine"}
    schedule = definitions.resolve_schedule_def("web_docs_nightly_verify")
    assert (schedule.cron_schedule, schedule.default_status.value) == ("0 1 * * *", "RUNNING")
    assert schedule.execution_timezone == "Europe/Berlin"
    assert definitions.resolve_sensor_def("web_docs_new_builds").default_status.value == "RUNNING"


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigMissing, match=r"root names .*nowhere, which is not a folder"):
        searchsocket_assets.site_definitions(tmp_path / "nowhere")


def dg_defs(project: Path) -> dagster.Definitions:
    """The definitions of a project as its code server loads them; the project of another test has the same name."""
    for name in [name for name in sys.modules if name.partition(".")[0] == project.name]:
        del sys.modules[name]
    importlib.invalidate_caches()
    return dagster.ComponentTree.for_project(project).build_defs()


def test_the_package_loads_the_component_when_it_is_used() -> None:
    """The command line imports other modules of the package, and does without Dagster's components."""
    assert {"Site", "site_definitions"} <= set(dir(searchsocket_assets))
    code = "import searchsocket_assets.run.home, sys; print('dagster' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_a_translation_changes_keys_groups_tags_and_owners_everywhere(company: Path) -> None:
    """As those of the components of dbt and Sling do; jobs, checks and dependencies follow the keys."""

    def translate(spec: dagster.AssetSpec, asset: SiteAsset) -> dagster.AssetSpec:
        key = dagster.AssetKey(["company", asset.corpus, asset.name])
        return spec.replace_attributes(key=key, group_name=f"search_{asset.corpus}", owners=["team:search"])

    root = company.parent / "docs"
    definitions = searchsocket_assets.site_definitions(root, "docs", code=True, translation=translate)
    graph = definitions.resolve_asset_graph()
    specs = {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}
    assert all(key.startswith("company/") for key in specs)
    index = specs["company/site/search_index"]
    assert {dep.asset_key for dep in index.deps} <= {spec.key for spec in specs.values()}
    assert (index.group_name, list(index.owners)) == ("search_site", ["team:search"])
    assert {specs[f"company/{name}"].group_name for name in ("code/code_index", "branches/scopes")} == {
        "search_code",
        "search_branches",
    }
    assert {check.asset_key for check in graph.asset_check_keys} <= {spec.key for spec in specs.values()}
    assert index.key in definitions.resolve_job_def("docs_index_site").asset_layer.selected_asset_keys
    assert index_site(definitions, "docs", folder=company.parent / "test").urls("mooring rope")[0] == "/docs/ropes"
