"""A page without end costs only itself: it fails, keeps its records, and all others are indexed."""

import pytest

from searchsocket.errors import ConfigMissing
from tests.pipeline.conftest import Site

# The quote in the script hides the tag behind it from the look at unusual tags; the parser sees it, and takes minutes.
HOSTILE = '<script>a<b c="</script><p ' + " ".join(f"a{number}" for number in range(150_000)) + '>"The end."</p>'
HUGE = "<p>Some <b>boats</b> lie here.</p>" * 100_000  # 3 MB, and many times that as a tree


@pytest.mark.parametrize(
    ("limit", "body", "workers"),
    [("run.max_page_seconds = 0.5", HOSTILE, 2), ("run.max_page_memory_mb = 64", HUGE, 1)],
    ids=["time", "memory"],
)
def test_a_page_beyond_a_limit_fails_alone(site: Site, limit: str, body: str, workers: int) -> None:
    """It held the run, and the scope's lock with it; the process that ran the stage had no limit either."""
    site.index()
    before = {record.id: record.chunk.body.text for record in site.records() if record.page.url == "/docs/faq"}
    (site.root / "searchsocket.toml").write_text(f"{limit}\nrun.workers = {workers}\n")
    for number in range(20):
        site.write(f"boats/{number}.html", f"Boat {number}", f"<p>Boat {number} of the fjord.</p>")
    site.write("docs/faq.html", "FAQ", body)
    summary = site.index()
    assert summary.pages["failed"] == 1
    assert len(site.urls()) == 26
    assert {record.id: record.chunk.body.text for record in site.records() if record.page.url == "/docs/faq"} == before
    key = limit.split(" ")[0]
    assert [warning for warning in summary.warnings if "/docs/faq" in warning and key in warning]


def test_a_page_that_failed_is_indexed_when_it_is_mended(site: Site) -> None:
    (site.root / "searchsocket.toml").write_text("run.max_page_memory_mb = 64\n")
    site.write("docs/faq.html", "FAQ", HUGE)
    assert site.index().pages["failed"] == 1
    assert "/docs/faq" not in site.urls()
    site.write("docs/faq.html", "FAQ", "<p>Short questions.</p>")
    assert site.index().pages["failed"] == 0
    assert "/docs/faq" in site.urls()


def test_a_site_whose_pages_all_failed_says_why(site: Site) -> None:
    """The message said only that no page has text."""
    for page in (site.root / "build").rglob("*.html"):
        page.unlink()
    (site.root / "searchsocket.toml").write_text("run.max_page_memory_mb = 64\n")
    site.write("docs/faq.html", "FAQ", HUGE)
    with pytest.raises(ConfigMissing, match=r"1 page failed, the first: /docs/faq .*run\.max_page_memory_mb"):
        site.index()
