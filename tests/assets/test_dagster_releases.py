"""The oldest release of Dagster that `pyproject.toml` allows, and the newest one; `make check`'s release is locked."""

import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from small_site import write_site

pytestmark = pytest.mark.dagster

ROOT = Path(__file__).parents[2]
# Two sites in one deployment, one of them through Dagster's own job, and a run of the command.
SMOKE = """
import sys
import dagster as dg
from searchsocket_assets import Site, site_definitions
from searchsocket_assets.definitions import build_definitions

first, second = sys.argv[1:]
both = dg.Definitions.merge(
    site_definitions(first, "docs", deps=[dg.AssetKey("build")], owners=["team:docs"]),
    site_definitions(second, "blog"),
)
dg.Definitions.validate_loadable(both)
dg.Definitions.validate_loadable(build_definitions(first))
assert Site.get_model_cls().model_json_schema()["properties"]
with dg.instance_for_test() as instance:
    both.resolve_sensor_def("docs_new_builds")(dg.build_sensor_context(instance=instance))
    instance.add_dynamic_partitions("searchsocket/docs", ["main"])
    done = both.resolve_job_def("docs_index_site").execute_in_process(instance=instance, partition_key="main")
    checks = done.get_asset_check_evaluations()
    assert done.success and len(checks) > 10 and {check.partition for check in checks} == {"main"}
print(dg.__version__)
"""


def python_of(release: str) -> Path:
    path = ROOT / f".venv-dagster-{release}" / "bin" / "python"
    if not path.with_name("dagster").exists():
        pytest.skip(f"no environment with the {release} Dagster; `make .venv-dagster-{release}/.ready` makes it")
    return path


@pytest.mark.parametrize("release", ["oldest", "newest"])
def test_sites_and_commands_run_on_a_release(release: str, tmp_path: Path) -> None:
    python = python_of(release)
    roots = [str(write_site(tmp_path / name)) for name in ("docs", "blog")]
    for root in roots:
        Path(root, "searchsocket.toml").write_text(f'project.id = "{Path(root).name}"\n')
    smoke = subprocess.run([python, "-c", SMOKE, *roots], capture_output=True, text=True, check=False, cwd=ROOT)
    assert smoke.returncode == 0, smoke.stderr[-3000:]
    command = [python, "-m", "searchsocket.cli.main", "index", "--record", "--project", roots[1]]
    indexed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert indexed.returncode == 0, indexed.stderr[-3000:]
    (lowest,) = [
        specifier.version
        for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        if Requirement(text).name == "dagster"
        for specifier in Requirement(text).specifier
        if specifier.operator == ">="
    ]
    assert (smoke.stdout.split()[-1] == lowest) == (release == "oldest")
