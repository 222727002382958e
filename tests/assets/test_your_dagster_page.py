"""The documentation page "In your Dagster": each block is run, or loaded by what reads it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from small_site import write_site

import searchsocket_assets
from searchsocket_assets import site_definitions
from searchsocket_assets.run.tags import PROJECT_TAG
from searchsocket_assets.site import PAID_POOL
from tests.assets.test_component import (
    company,  # noqa: F401
    dg_defs,
)
from tests.assets.test_component import dg as run_dg

pytestmark = pytest.mark.dagster

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "examples/docs-site/src/routes/(docs)/docs/dagster/your-dagster/+page.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
QUIET: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def block(language: str, part: str) -> str:
    (block_text,) = [text for kind, text in BLOCKS if kind == language and part in text]
    return str(block_text)


def test_no_block_is_left_out() -> None:
    """A block that is added gets a test here."""
    assert [kind for kind, _ in BLOCKS] == ["bash", "yaml", "python", "yaml", "bash", "yaml", "text", "yaml"]


def test_the_commands_and_the_yaml_make_a_site(company: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """That `dg` checks and lists such a project is tried in `test_component.py`."""
    commands = [line.split() for line in block("bash", "dg scaffold").splitlines() if line.startswith("dg ")]
    for command in commands:
        run_dg(company, *command[1:])
    (company / "src/company/defs/docs/defs.yaml").write_text(block("yaml", "type: searchsocket_assets.Site"))
    monkeypatch.syspath_prepend(str(company / "src"))
    definitions = dg_defs(company)
    dg.Definitions.validate_loadable(definitions)
    assert dg.AssetKey(["docs", "search_index"]) in definitions.resolve_all_asset_keys()


def test_the_table_names_every_attribute() -> None:
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]*) \|", TEXT.split("## What starts")[0], re.M))))
    assert named == set(searchsocket_assets.Site.get_model_cls().model_fields)


def test_python_merges_two_sites_with_other_assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("docs", "blog"):
        (write_site(tmp_path / name) / "searchsocket.toml").write_text(f'project.id = "{name}"\n')
    (tmp_path / "company").mkdir()
    monkeypatch.chdir(tmp_path / "company")
    results: dict[str, Any] = {}
    exec(block("python", "site_definitions"), results)
    definitions = results["defs"]
    dg.Definitions.validate_loadable(definitions)
    names = [entry.name for entry in (*definitions.sensors, *definitions.schedules)]
    section = TEXT.split("## What starts a run")[1].split("##")[0]
    assert set(re.findall(r"`(docs_\w+)`", section)) == {name for name in names if name.startswith("docs_")}
    with dg.instance_for_test() as instance:
        for name in ("docs", "blog"):
            instance.add_dynamic_partitions(f"searchsocket/{name}", ["main"])
            job = definitions.resolve_job_def(f"{name}_index_site")
            assert job.execute_in_process(QUIET, instance=instance, partition_key="main").success
        assert instance.get_materialized_partitions(dg.AssetKey("blog_search")) == {"main"}


def test_pools_are_those_of_the_page(tmp_path: Path) -> None:
    """One for each site, and one for all that is paid."""
    settings = yaml.safe_load(block("yaml", "default_limit"))
    command = block("bash", "concurrency set").split()
    assert command[-2] == PAID_POOL
    root = write_site(tmp_path / "docs")
    (root / "searchsocket.toml").write_text('[embeddings]\nprovider = "openai"\n')
    assets = [asset for asset in site_definitions(root, "docs").assets or () if isinstance(asset, dg.AssetsDefinition)]
    pools = {item.key.path[-1]: item.op.pool for item in assets}
    assert pools["chunk_embeddings"] == PAID_POOL
    assert {pool for name, pool in pools.items() if name != "chunk_embeddings"} == {"searchsocket_docs"}
    with dg.instance_for_test(overrides=settings) as instance:
        environ = {"DAGSTER_HOME": instance.root_directory, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        program = Path(sys.executable).with_name(command[0])
        subprocess.run([program, *command[1:]], env=environ, check=True, capture_output=True)
        (pool,) = [limit for limit in instance.event_log_storage.get_pool_limits() if limit.name == PAID_POOL]
        assert pool.limit == int(command[-1])


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """A server of its own; its address."""
    program = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if program is None:
        pytest.skip("no Postgres here; the Debian package postgresql has it")
    binaries = Path(program).resolve().parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # it refuses to run as root
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        if user:
            shutil.chown(folder, "postgres")
        data = f"{folder}/data"
        subprocess.run(
            [*user, binaries / "initdb", "-D", data, "-U", "dagster", "-A", "trust"], check=True, capture_output=True
        )
        options = ["-h", "127.0.0.1", "-p", str(port), "-k", folder, "-F"]
        with subprocess.Popen(
            [*user, binaries / "postgres", "-D", data, *options], stderr=subprocess.DEVNULL
        ) as server:
            try:
                wait_for_port(port)
                yield f"postgresql+psycopg2://dagster@127.0.0.1:{port}/postgres"
            finally:
                subprocess.run([*user, binaries / "pg_ctl", "-D", data, "stop", "-m", "immediate"], check=False)
                server.wait()


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError("Postgres did not listen")


def test_history_in_postgres_is_kept_short_and_only_that_of_the_site(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Maintenance looked for SQLite files, and so did nothing there."""
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", postgres)
    for name in ("docs", "blog"):
        (write_site(tmp_path / name) / "searchsocket.toml").write_text(f'project.id = "{name}"\n')
    both = dg.Definitions.merge(*(site_definitions(tmp_path / name, name) for name in ("docs", "blog")))
    (home := tmp_path / "home").mkdir()
    (home / "dagster.yaml").write_text(block("yaml", "postgres_url") + "telemetry: {enabled: false}\n")
    with dg.DagsterInstance.from_config(str(home)) as instance:
        for name in ("docs", "docs", "docs", "blog", "blog"):
            if not instance.has_dynamic_partition(f"searchsocket/{name}", "main"):
                instance.add_dynamic_partitions(f"searchsocket/{name}", ["main"])
            job = both.resolve_job_def(f"{name}_index_site")
            assert job.execute_in_process(QUIET, instance=instance, partition_key="main").success
        config = {**QUIET, "ops": {"docs_maintain": {"config": {"runs_kept": 1}}}}
        assert both.resolve_job_def("docs_maintenance").execute_in_process(config, instance=instance).success
        remaining_runs = [run.tags[PROJECT_TAG] for run in instance.get_runs() if run.job_name.endswith("index_site")]
        assert sorted(remaining_runs) == ["blog", "blog", "docs"]
        assert instance.get_materialized_partitions(dg.AssetKey(["docs", "search_index"])) == {"main"}
        for kind in ("runs", "event_logs", "history"):
            assert not list(home.rglob(f"{kind}*.db")), "all of it is in Postgres"


def test_the_image_and_the_workspace_name_one_server() -> None:
    """Docker is not here: the last command is run by itself, with the module of a project of ours."""
    lines = block("text", "FROM").splitlines()
    command = yaml.safe_load(lines[-1].removeprefix("CMD "))
    (location,) = yaml.safe_load(block("yaml", "grpc_server"))["load_from"]
    assert str(location["grpc_server"]["port"]) == command[command.index("-p") + 1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name(command[0])
    arguments = [str(port) if part == "4000" else part for part in command[1:]]
    arguments[arguments.index("0.0.0.0")] = "127.0.0.1"
    arguments[-1] = "searchsocket_assets.definitions"
    with subprocess.Popen([program, *arguments], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for_port(port)
        finally:
            server.kill()  # asked to end while it loads its definitions, it waits for ever
