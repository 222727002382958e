"""The core alone: a copy of the packages without the folders of extensions indexes, searches and serves."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_site import write_site

ROOT = Path(__file__).parents[2]
PACKAGES = ("searchsocket", "searchsocket_assets", "search_api")
SERVICE = """
import asyncio, json, sys
from pathlib import Path
import httpx
from search_api.app import create_app
from searchsocket.agents.library import offered_tools
from searchsocket.extensions import extensions
from searchsocket.project.project import open_project
from searchsocket_assets.definitions import build_definitions

project = open_project(Path(sys.argv[1]), {})
app = create_app(project, environ={})

async def ask():
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        answer = await client.get("/api/search", params={"q": "mooring"})
        document = await client.get("/api/openapi.json")
        return answer.json()["results"][0]["url"], sorted(document.json()["paths"])

keys = [key.to_user_string() for key in build_definitions(sys.argv[1]).resolve_all_asset_keys()]
tools = list(offered_tools(("all",), project.settings, ["site"]))
print(json.dumps({"extensions": len(extensions()), "http": asyncio.run(ask()), "tools": tools, "assets": keys}))
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "searchsocket" / "extensions").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site") / "harbour")


def started(core: Path, *command: str, status: int = 0, **variables: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(core), **variables}
    result = subprocess.run(
        [sys.executable, *command], env=environ, cwd=core, capture_output=True, text=True, check=False
    )
    assert result.returncode == status, result.stderr
    return result.stdout or result.stderr


def test_the_core_indexes_searches_and_serves(core: Path, root: Path) -> None:
    command = ("-m", "searchsocket.cli.main")
    assert {"artifacts", "code", "demand", "export", "static"}.isdisjoint(started(core, *command, "--help").split())
    assert json.loads(started(core, *command, "index", "--json", "--project", str(root)))["pages"]["indexed"] > 0
    assert "results" in json.loads(started(core, *command, "search", "mooring", "--json", "--project", str(root)))
    started(core, *command, "status", "--project", str(root))
    started(core, *command, "doctor", "--project", str(root))
    report = json.loads(started(core, "-c", SERVICE, str(root)).splitlines()[-1])
    assert report["extensions"] == 0
    url, paths = report["http"]
    assert url.startswith("/")
    assert "/api/search" in paths
    assert not [path for path in paths if "code" in path]
    assert "search" in report["tools"]
    assert not [name for name in report["tools"] if "code" in name]
    assert "search_index" in report["assets"]
    assert not {"llms_txt", "static_search"} & {*report["assets"]}


def test_a_database_that_no_extension_brings_is_named(core: Path, root: Path) -> None:
    command = ("-m", "searchsocket.cli.main", "index", "--project", str(root))
    result = started(core, *command, status=3, SEARCHSOCKET__VECTOR__PROVIDER="milvus")
    assert "vector.provider is 'milvus', which is neither built in (local) nor an entry point" in result
    assert "install its package" in result


def test_a_cluster_and_further_projects_are_refused_with_what_to_do(core: Path, root: Path) -> None:
    command = ("-m", "searchsocket.cli.main")
    address = {"SEARCHSOCKET__RUN__DASK_ADDRESS": "tcp://127.0.0.1:1"}
    assert "no extension for clusters" in started(core, *command, "doctor", "--project", str(root), status=1, **address)
    for name in ("serve", "mcp"):
        result = started(core, *command, name, "--project", str(root), "--project", str(root), status=2)
        assert "remove the repeated --project" in result
