"""`searchsocket search --explain` and `--open`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson

COMMAND = Path(sys.executable).with_name("searchsocket")


def test_explain_says_what_a_score_is_made_of(run: RunCli, run_json: RunJson, indexed_site: Path) -> None:
    parts = run_json("search", "mooring rope", "--explain", project=indexed_site)["results"][0]["explanation"]
    lines = run("search", "mooring rope", "--explain", project=indexed_site).stdout.splitlines()
    (lists,) = [line for line in lines if line.startswith("   lists  ")][:1]
    assert f"cosine {parts['cosine']:.3f}" in lists
    assert f"BM25 {parts['bm25']:.1f}" in lists
    (score,) = [line for line in lines if line.startswith("   score  ")][:1]
    score_parts = dict(part.rsplit(" ", 1) for part in score.removeprefix("   score  ").split(" + "))
    assert {name: float(part) for name, part in score_parts.items()} == {
        feature["name"]: round(feature["part"], 3) for feature in parts["features"]
    }
    plain = run("search", "mooring rope", project=indexed_site).stdout
    assert "cosine" not in plain


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """Install a fake browser, and return the path of the file with the URL that it opened."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    return tmp_path / "opened"


def test_open_goes_to_the_best_result_on_the_site(run: RunCli, indexed: Path, opened: Path) -> None:
    (indexed / "searchsocket.toml").write_text('[project]\nbase_url = "https://harbour.example/handbook"\n')
    assert run("index", project=indexed).exit_code == 0
    environ = {**os.environ, "BROWSER": str(opened.with_name("browser"))}
    result = subprocess.run(
        [COMMAND, "search", "mooring rope", "--open", "--json"],
        cwd=indexed, env=environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    href = json.loads(result.stdout)["results"][0]["href"]
    assert href.startswith("/handbook/docs/ropes")
    assert opened.read_text() == f"https://harbour.example{href}"
    subprocess.run([COMMAND, "search", "zzzzqqq", "--open"], cwd=indexed, env=environ, check=True, capture_output=True)
    assert opened.read_text().endswith(href)


def test_open_needs_to_know_where_the_site_is(run: RunCli, indexed_site: Path) -> None:
    result = run("search", "mooring rope", "--open", project=indexed_site)
    assert result.exit_code == 3
    assert "set project.base_url" in result.stderr


def test_without_a_browser_the_address_is_told(indexed: Path, tmp_path: Path) -> None:
    (indexed / "searchsocket.toml").write_text('[project]\nbase_url = "https://harbour.example"\n')
    environ = {**os.environ, "BROWSER": str(tmp_path / "none"), "PATH": str(tmp_path), "DISPLAY": ""}
    words = [COMMAND, "search", "mooring rope", "--open"]
    result = subprocess.run(words, cwd=indexed, env=environ, capture_output=True, text=True, check=True)
    assert result.stderr.startswith("could not open a browser; open https://harbour.example/docs/ropes")


def test_limit_is_another_name_of_top_k(run_json: RunJson, indexed_site: Path) -> None:
    answers = [
        run_json("search", "rope", name, "1", project=indexed_site)["results"] for name in ("--limit", "--top-k")
    ]
    assert [len(results) for results in answers] == [1, 1]
