"""The mirror says what the index saw, whatever happens to its files (spec 8.4)."""

import os
from pathlib import Path

import pytest

from searchsocket.errors import StateUnavailable
from searchsocket.pipeline.run.checks import CHECKS
from tests.pipeline.conftest import Site


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_an_edited_or_deleted_mirror_file_is_repaired(site: Site) -> None:
    site.index()
    mirror = site.mirror()
    folder = site.project.mirror_dir / "main"
    (folder / "docs/faq.md").write_text("nonsense")
    (folder / "docs/usage.md").unlink()
    summary = site.index()
    changed = {name for name, text in site.mirror().items() if text != mirror[name]}
    assert site.mirror().keys() == mirror.keys()
    assert changed <= {"docs/faq.md", "docs/usage.md"}  # generatedAt alone
    assert sum("written again" in warning for warning in summary.warnings) == 2


def test_a_mirror_file_damaged_behind_its_time_stamp_is_found_and_written_again(site: Site) -> None:
    site.index()
    mirror = site.mirror()
    path = site.project.mirror_dir / "main" / "docs/faq.md"
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"tickets", b"tackets"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(StateUnavailable, match=r"/docs/faq.*run `searchsocket index`"):
        site.index(force=True)
    site.index(force=True)
    assert site.mirror() == mirror


def test_a_forced_run_writes_missing_mirror_files_again(site: Site) -> None:
    site.index()
    mirror = site.mirror()
    (site.project.mirror_dir / "main" / "docs/usage.md").unlink()
    site.index(force=True)
    assert site.mirror() == mirror


def test_a_page_that_went_or_changed_is_no_matter_for_the_check_of_the_mirror(site: Site) -> None:
    """The check read a page that had failed, which ended the whole run."""
    site.index()
    site.delete("blog/first.html")
    site.write("docs/faq.html", "FAQ", "<p>Other questions.</p>")
    outcome = CHECKS["mirror_deterministic"].run(site.run())
    assert (outcome.passed, outcome.numbers["checked"]) == (True, 4)


def test_the_mirror_is_not_touched_when_nothing_changed(site: Site) -> None:
    """Failure mode 30: a time stamp in every file made noise in git on every run."""
    site.index()
    before = files_of(site.project.mirror_dir)
    site.index()
    site.index(force=True)
    assert files_of(site.project.mirror_dir) == before
