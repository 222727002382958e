"""One version in every package and in the changelog, and the commit in copies that git archives."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from searchsocket import __version__

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
MAX_ENTRIES = 10


def test_each_package_has_the_version() -> None:
    package, lock = (
        json.loads((ROOT / "clients/js" / name).read_text()) for name in ("package.json", "package-lock.json")
    )
    assert {package["version"], lock["version"], lock["packages"][""]["version"]} == {__version__}


def test_the_changelog_begins_with_the_version_and_fits_a_reader() -> None:
    """Ten entries per release, breaking changes first."""
    releases = dict(
        re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d\n(.*?)(?=^## )", CHANGELOG, re.DOTALL | re.MULTILINE)
    )
    assert next(iter(releases)) == __version__
    for version, text in releases.items():
        entries = re.findall(r"^- (.*)", text, re.MULTILINE)
        breaking = [entry.startswith("**Breaking:**") for entry in entries]
        assert 0 < len(entries) <= MAX_ENTRIES, version
        assert breaking == sorted(breaking, reverse=True), version


def test_an_archive_names_its_commit(tmp_path: Path) -> None:
    """Releases are built from an archive; a checkout does not know its commit."""
    git = ["git", "-C", str(ROOT)]
    if subprocess.run(
        [*git, "rev-parse", "-q", "--verify", "HEAD:searchsocket/commit.py"], capture_output=True
    ).returncode:
        pytest.skip("not in a git checkout")
    archive = subprocess.run([*git, "archive", "HEAD", "searchsocket/commit.py"], capture_output=True, check=True)
    subprocess.run(["tar", "x", "-C", tmp_path], input=archive.stdout, check=True)
    head = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True)
    program = "from commit import COMMIT; print(COMMIT)"
    version = subprocess.check_output([sys.executable, "-c", program], cwd=tmp_path / "searchsocket", text=True)
    assert len(version.strip()) == 12
    assert head.startswith(version.strip())
