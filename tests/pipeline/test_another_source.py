"""A process that lives longer than a run, such as `searchsocket dev`: each run reads from where it looks itself."""

from pathlib import Path

from pipeline.conftest import Site


def test_pages_are_read_from_the_build_that_came_meanwhile(tmp_path: Path) -> None:
    """They were looked for beside the Markdown that was indexed before there was a build, and none was found there."""
    site = Site(tmp_path / "site")
    (site.root / "build").rename(site.root / "later")
    guide = site.root / "content/guide.md"
    guide.parent.mkdir(parents=True)
    guide.write_text("# Guide\n\nThe museum opens in spring.\n")
    assert site.index().pages["indexed"] == 1
    (site.root / "later").rename(site.root / "build")
    summary = site.index()
    assert (summary.pages["failed"], summary.pages["indexed"]) == (0, 6)
