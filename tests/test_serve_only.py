"""The distribution in `serve/`, installed into an environment of its own as the documentation says."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = "<main><h1>Budget</h1><p>A budget limits what embeddings may cost.</p></main>"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its programs."""
    folder = tmp_path_factory.mktemp("serve-only")
    uv, lock = Path(sys.executable).with_name("uv"), ROOT / "requirements.lock"
    subprocess.run([uv, "venv", "-q", "-p", sys.executable, folder], check=True)
    python = ["--python", folder / "bin/python"]
    subprocess.run([uv, "pip", "install", "-q", *python, "-c", lock, "-b", lock, ROOT / "serve"], check=True)
    return folder / "bin"


@pytest.mark.dagster
def test_it_answers_from_an_index_and_says_what_building_one_needs(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/index.html").write_text(PAGE)
    (tmp_path / "searchsocket.toml").write_text('[scope]\nmode = "fixed"\nfixed = "main"\n')
    subprocess.run([Path(sys.executable).with_name("searchsocket"), "index", "--quiet"], cwd=tmp_path, check=True)

    result = subprocess.check_output([installed / "searchsocket", "search", "--json", "budget"], cwd=tmp_path)
    assert json.loads(result)["results"][0]["title"] == "Budget"

    serving = [installed / "searchsocket", "serve", "--port", "0"]
    process = subprocess.Popen(serving, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().partition("Searching at ")[2].partition(" ")[0]
        with urlopen(f"{address}api/search?q=budget") as response:
            assert json.load(response)["results"][0]["title"] == "Budget"
    finally:
        process.terminate()
        process.wait(60)

    refused = subprocess.run([installed / "searchsocket", "index"], cwd=tmp_path, capture_output=True, text=True)
    assert (refused.returncode, refused.stderr.count("Traceback")) == (3, 0)
    assert "install searchsocket instead of searchsocket-serve" in refused.stderr
    refused = subprocess.run([installed / "searchsocket", "mcp"], cwd=tmp_path, capture_output=True, text=True)
    assert "install 'searchsocket-serve[mcp]'" in refused.stderr


def test_it_contains_neither_dagster_nor_a_parser(installed: Path) -> None:
    listed = subprocess.check_output(
        [Path(sys.executable).with_name("uv"), "pip", "list", "--format", "json", "--python", installed / "python"]
    )
    names = {package["name"] for package in json.loads(listed)}
    assert "searchsocket-serve" in names
    assert not names & {"dagster", "dagster-webserver", "lxml", "beautifulsoup4", "sqlalchemy", "mcp", "uvloop"}
