"""Contract of sources."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.sources.base import Source
from searchsocket.web.urls.paths import canonical_path, sort_key


class Place(Protocol):
    """A place that a test fills with pages, and the source that reads it."""

    def put(self, url: str, text: str) -> None:
        """Make the page of `url` hold `text`."""

    def remove(self, url: str) -> None:
        """Take the page of `url` away."""

    def put_bad(self, url: str) -> None:
        """Make a page at `url` that cannot be taken: too large for the source."""

    def source(self) -> Source:
        """A new source over the place as it is now; `exclude` is `/drafts/**`."""


class SourceContract:
    """Contract of sources. A subclass supplies an empty `place` fixture."""

    def test_each_page_comes_once_by_rising_url(self, place: Place) -> None:
        """Everything after is keyed by URL, and a path-sorted index is built without sorting."""
        urls = ["/", "/docs", "/docs/a", "/docs/a/b", "/docs-old", "/other", "/日本"]
        for url in reversed(urls):
            place.put(url, f"# {url}")
        page_urls = [page.url for page in place.source().pages()]
        assert page_urls == sorted(urls, key=sort_key)
        assert all(canonical_path(url) == url for url in page_urls)

    def test_a_page_is_read_by_another_instance(self, place: Place) -> None:
        """Workers in other processes read what one process listed."""
        place.put("/a", "# Ä")
        page = pickle.loads(pickle.dumps(next(iter(place.source().pages()))))
        assert place.source().read(page) == "# Ä".encode()

    def test_two_runs_list_the_same(self, place: Place) -> None:
        """Equal stamps mean equal bytes, so an unchanged page is not read again."""
        place.put("/a", "one")
        place.put("/b", "one")
        assert [*place.source().pages()] == [*place.source().pages()]
        assert all(page.stamp for page in place.source().pages())

    def test_a_changed_page_has_another_stamp(self, place: Place) -> None:
        """Also when the size stays."""
        place.put("/a", "one")
        place.put("/b", "two")
        before = {page.url: page.stamp for page in place.source().pages()}
        place.put("/a", "uno")
        after = {page.url: page.stamp for page in place.source().pages()}
        assert after["/a"] != before["/a"]
        assert after["/b"] == before["/b"]

    def test_a_run_is_complete_only_after_its_end(self, place: Place) -> None:
        """A run that stopped in the middle must delete nothing (spec 26.1)."""
        place.put("/a", "one")
        place.put("/b", "two")
        source = place.source()
        pages = source.pages()
        assert not source.report.complete
        next(pages)
        assert not source.report.complete
        assert len([*pages]) == 1
        assert source.report.complete
        assert not source.report.failed

    def test_the_report_is_that_of_the_last_run(self, place: Place) -> None:
        """A source may be asked twice."""
        place.put("/a", "one")
        source = place.source()
        assert len([*source.pages()]) == 1
        source.pages()
        again = source.pages()
        next(again)
        assert not source.report.complete
        assert len([*again]) == 0
        assert source.report.complete

    def test_an_empty_place_is_never_complete(self, place: Place) -> None:
        """A source that is suddenly empty must not delete the index (original failure 4)."""
        place.put("/a", "one")
        place.remove("/a")
        source = place.source()
        assert [*source.pages()] == []
        assert not source.report.complete
        assert source.report.warnings

    def test_one_bad_page_costs_only_itself(self, place: Place) -> None:
        """It is named with its reason; the others come as ever (spec 26.1)."""
        place.put("/a", "one")
        place.put_bad("/b")
        place.put("/c", "two")
        source = place.source()
        assert [page.url for page in source.pages()] == ["/a", "/c"]
        assert not source.report.complete
        [reason] = source.report.failed.values()
        assert "max_page_bytes" in reason

    def test_where_pages_come_from_is_said(self, place: Place) -> None:
        """A person sees at once that the right site was read."""
        source = place.source()
        assert source.origin.mode == source.kind.mode
        assert source.origin.folder or source.origin.address or source.origin.revision

    def test_excluded_pages_do_not_come(self, place: Place) -> None:
        """`exclude` holds globs over URL paths (spec 7)."""
        for url in ("/drafts/a", "/drafts-2024", "/a/drafts"):
            place.put(url, "one")
        source = place.source()
        assert [page.url for page in source.pages()] == ["/a/drafts", "/drafts-2024"]
        assert [*source.report.skipped.values()] == ["excluded"]
        assert source.report.complete

    def test_a_page_that_is_gone_says_so(self, place: Place) -> None:
        """Between listing and reading a build may start."""
        place.put("/a", "one")
        source = place.source()
        [page] = source.pages()
        place.remove("/a")
        with pytest.raises(SourceUnavailable):
            source.read(page)

    @pytest.mark.parametrize(
        "locator", ["../secret.html", "/etc/passwd", "a/../../secret.html", "\x00", "", "bytes:%2e%2e"]
    )
    def test_a_locator_never_leads_outside(self, place: Place, locator: str) -> None:
        """Locators are kept in a state file that others may have written (spec 24)."""
        place.put("/a", "one")
        with pytest.raises(SourceUnavailable):
            place.source().read(RawPage("/a", "/a", locator, ""))


@dataclass
class FolderPlace:
    """A place whose pages are files of one folder."""

    folder: Path
    suffix: str
    max_page_bytes: int = 1000
    now_ns: Callable[[], int] = lambda: 2**62  # far ahead: files are old enough for a stamp

    def path(self, url: str) -> Path:
        return self.folder / (f"{url[1:]}{self.suffix}" if url != "/" else f"index{self.suffix}")

    def put(self, url: str, text: str) -> None:
        path = self.path(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A new file, as build tools and editors write it: its inode differs even within one tick of the clock.
        new = path.with_name("new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    def remove(self, url: str) -> None:
        self.path(url).unlink()

    def put_bad(self, url: str) -> None:
        self.put(url, "x" * (self.max_page_bytes + 1))
