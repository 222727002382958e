"""The hosted workflows, as far as this machine can run them: their commands exist, and the published site is whole."""

import re
from pathlib import Path

import pytest
import yaml

from release.pages import make_pages

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").glob("*.yml")}
BASE = "/searchsocket"


def test_each_target_is_one_of_the_makefile() -> None:
    scripts = [
        step.get("run", "")
        for workflow in WORKFLOWS.values()
        for job in workflow["jobs"].values()
        for step in job.get("steps", [])
    ]
    used = {match for script in scripts for match in re.findall(r"\bmake ([a-z-]+)", script)}
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"release", "release-proof", "audit", "pages", "docs-site"} <= used
    assert used <= set(phony.split())


def test_a_release_publishes_only_what_passed_the_tests() -> None:
    """Every job needs the tests, directly or by another; only those that publish may sign or write."""
    jobs = WORKFLOWS["release"]["jobs"]
    for name, job in jobs.items():
        while name != "tests":
            needed = job["needs"] if isinstance(job["needs"], str) else job["needs"][0]
            name, job = needed, jobs[needed]
    assert WORKFLOWS["release"]["permissions"] == {"contents": "read"}
    text = (ROOT / ".github/workflows/release.yml").read_text()
    assert "secrets." not in text


def test_the_published_documentation_works_below_a_path(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its links, pictures and search begin with the path of the host."""
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path_factory.mktemp("cache")))
    make_pages(tmp_path / "pages", BASE)
    pages = list((tmp_path / "pages").rglob("*.html"))
    assert len(pages) > 100
    for page in pages:
        addresses = re.findall(r'\s(?:href|src)="(/[^"]*)"', page.read_text(encoding="utf-8"))
        assert [address for address in addresses if not address.startswith(f"{BASE}/")] == [], page
    assert (tmp_path / "pages/searchsocket/searchsocket.json").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]
