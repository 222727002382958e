"""Two machines that index the same site from nothing write the same files (spec 8.4)."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pipeline.conftest import Site

from searchsocket.errors import ConfigError
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions

COMMIT = "2026-03-01T02:30:00+05:30"
COMMIT_UTC = 'generatedAt: "2026-02-28T21:00:00Z"'
MACHINES = (
    {"TZ": "Pacific/Auckland", "LC_ALL": "C", "LANG": "C"},
    {"TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
)


def git(root: Path, *arguments: str) -> None:
    dated = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": COMMIT}
    names = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(
        ["git", "-C", str(root), *names, *arguments], env={**os.environ, **dated}, check=True, capture_output=True
    )


def site_of(root: Path, modified: float) -> Site:
    """A site whose files were last changed at `modified`."""
    site = Site(root)
    (root / "searchsocket.toml").write_text('embeddings.provider = "hash"\nproject.id = "harbour"\n')
    for path in (root / "build").rglob("*"):
        os.utime(path, (modified, modified))
    return site


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def mirror_of(root: Path) -> dict[str, bytes]:
    return files_below(root / ".searchsocket" / "pages")


def index(site: Site, **environ: str) -> dict[str, bytes]:
    """Index from what is there, in this process; the mirror."""
    index_scope(replace(site.run(), environ=environ))
    return mirror_of(site.root)


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in New Zealand."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.dagster
def test_two_machines_write_the_same_mirror_of_a_commit(tmp_path: Path) -> None:
    """Clones differ in folder, times of files, state, time zone and locale; the commit is the same."""
    roots = [tmp_path / name for name in ("one", "another/place")]
    for number, (root, machine) in enumerate(zip(roots, MACHINES, strict=True)):
        site_of(root, 1_000_000_000 + number * 500_000_000)
        git(root, "init", "-q")
        git(root, "add", ".")
        git(root, "commit", "-qm", "A site")
        environ = {**os.environ, **machine, "SEARCHSOCKET_CACHE": f"cache-{number}.db"}
        command = [sys.executable, "-m", "searchsocket.cli.main", "index", "--project", str(root)]
        subprocess.run(command, env=environ, check=True, capture_output=True)
    one, another = map(mirror_of, roots)
    assert len(one) == 6
    assert one == another
    assert all(COMMIT_UTC.encode() in text for text in one.values())


@pytest.mark.usefixtures("far_away")
def test_without_a_commit_the_stated_time_counts(tmp_path: Path) -> None:
    """`SOURCE_DATE_EPOCH` is what builds that can be repeated agree on."""
    one, another = (site_of(tmp_path / name, modified) for name, modified in (("a", 1e9), ("b", 1.5e9)))
    mirror = index(one, SOURCE_DATE_EPOCH="1767225600")
    assert mirror == index(another, SOURCE_DATE_EPOCH="1767225600")
    assert all(b'generatedAt: "2026-01-01T00:00:00Z"' in text for text in mirror.values())


@pytest.mark.usefixtures("far_away")
def test_without_either_the_time_of_the_pages_file_counts(tmp_path: Path) -> None:
    one, another = (site_of(tmp_path / name, 1_500_000_000.75) for name in ("a", "b"))
    mirror = index(one)
    assert mirror == index(another)
    assert all(b'generatedAt: "2017-07-14T02:40:00Z"' in text for text in mirror.values())


@pytest.mark.parametrize("stated", ["yesterday", "-1", "1" * 30, "999999999999999"])
def test_a_stated_time_that_is_none_is_an_error(tmp_path: Path, stated: str) -> None:
    """Files with another time would be taken for those of the stated one."""
    with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH"):
        index(site_of(tmp_path, 1e9), SOURCE_DATE_EPOCH=stated)


def test_a_later_commit_dates_changed_pages_alone(tmp_path: Path) -> None:
    """Also where the state is gone and the mirror is kept in git, as in CI: a diff names the pages that changed."""
    site = site_of(tmp_path, 1e9)
    before = index(site, SOURCE_DATE_EPOCH="1767225600")
    for path in site.project.state_dir.glob("state.db*"):
        path.unlink()
    site.write("docs/faq.html", "FAQ", "<p>The museum is closed on Mondays.</p>")
    after = index(site, SOURCE_DATE_EPOCH="1798761600")
    assert {name for name in before if before[name] != after[name]} == {"main/docs/faq.md"}
    assert b'generatedAt: "2027-01-01T00:00:00Z"' in after["main/docs/faq.md"]


def test_options_of_a_run_change_no_time(tmp_path: Path) -> None:
    site = site_of(tmp_path, 1e9)
    before = index(site)
    index_scope(site.run(options=RunOptions(force=True)))
    assert mirror_of(site.root) == before
