"""The public conformance suite, pinned, over both revisions; what it wants that is no feature of ours is listed."""

import os
import subprocess
from pathlib import Path

import pytest

from search_api.app import create_app
from searchsocket.project.project import Project
from tests.kit.packages import node22, packages
from tests.running_service import listening

LISTS = Path(__file__).parent / "conformance"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_nothing_fails_but_what_is_listed(agent_project: Project, tmp_path: Path, revision: str) -> None:
    suite = packages("conformance") / "@modelcontextprotocol/conformance/dist/index.js"
    with listening(create_app(agent_project, environ={}, host="127.0.0.1", dev=True)) as port:
        result = subprocess.run(
            [str(node22()), str(suite), "server", "--url", f"http://127.0.0.1:{port}/mcp", "--requirements", revision,
             "--expected-failures", str(LISTS / f"{revision}.yaml")],
            cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False, env=os.environ | {"NO_COLOR": "1"},
        )  # fmt: skip
    assert result.returncode == 0, result.stdout[-3_000:]
