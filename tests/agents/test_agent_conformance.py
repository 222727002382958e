"""The public conformance suite, pinned, over both revisions; what it wants that is no feature of ours is listed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from search_api.app import create_app
from searchsocket.project.project import Project
from tests.api.running_service import listening

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NPX = ("npx", "-y", "--offline", "-p", "node@22", "-p", SUITE, "conformance")
LISTS = Path(__file__).parent / "conformance"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run it in."""
    folder = tmp_path_factory.mktemp("conformance")
    if not shutil.which("npx"):
        pytest.skip("there is no npx")
    there = subprocess.run([*NPX, "--version"], cwd=folder, capture_output=True, timeout=120, check=False)
    if there.returncode:
        pytest.skip(f"npm has not {SUITE} and node@22 in its cache; run the same npx without --offline once")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_nothing_fails_but_what_is_listed(agent_project: Project, suite: Path, revision: str) -> None:
    with listening(create_app(agent_project, environ={}, host="127.0.0.1", dev=True)) as port:
        done = subprocess.run(
            [*NPX, "server", "--url", f"http://127.0.0.1:{port}/mcp", "--requirements", revision,
             "--expected-failures", str(LISTS / f"{revision}.yaml")],
            cwd=suite, capture_output=True, text=True, timeout=300, check=False, env=os.environ | {"NO_COLOR": "1"},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3_000:]
