"""`searchsocket serve` with several projects, as processes behind a real socket."""

import json
import re
import shutil
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_site import write_site

from searchsocket.cli.main import cli
from tests.cli.test_cli_process import COMMAND, start

pytestmark = pytest.mark.dagster  # an index is made


@pytest.mark.long
def test_two_projects_answer_at_one_address(tmp_path: Path) -> None:
    """Slow because workers are real processes: each opens the projects from the settings that are sent to it."""
    docs = write_site(tmp_path / "docs")
    assert CliRunner().invoke(cli, ["index", "--project", str(docs)]).exit_code == 0
    shutil.copytree(docs, tmp_path / "blog")
    (tmp_path / "blog" / ".searchsocket").rename(tmp_path / "gone")  # one of them has no index
    (tmp_path / "blog" / "searchsocket.toml").write_text('[project]\nid = "blog"\n')
    projects = [word for name in ("docs", "blog") for word in ("--project", str(tmp_path / name))]
    process = start(str(COMMAND), "serve", "--port", "0", "--workers", "2", *projects, cwd=tmp_path)
    try:
        assert process.stdout is not None
        greeting = process.stdout.readline()
        address = re.search(r"Searching 2 sites at (http://127\.0\.0\.1:\d+)/", greeting)
        assert address, greeting
        with urllib.request.urlopen(f"{address[1]}/api/search?q=mooring+rope") as answer:
            data = json.load(answer)
        assert data["results"][0]["url"] == "/docs/ropes"
        assert data["results"][0]["origin"]["project"] == "harbour"
        assert [note["code"] for note in data["meta"]["notes"]] == ["SITE_UNAVAILABLE"]
        with urllib.request.urlopen(f"{address[1]}/sites/harbour/") as page:
            assert page.status == 200
    finally:
        process.terminate()
        process.communicate(timeout=30)
