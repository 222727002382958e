"""A crawl ends, and says which setting ended it; what ended early deletes nothing (spec 8.2 B)."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl import pages, sitemap
from searchsocket.extensions.crawl.fetch import CrawlBudget, Fetcher, FetchFailed, FetchLimits
from searchsocket.extensions.crawl.sitemap import SitemapWalk
from searchsocket.extensions.crawl.source import CrawlSource
from tests.extensions.crawl.crawling import Crawl
from tests.pipeline.conftest import Site
from tests.sources.web import Answer, Page, Request, Web, serve


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        yield web


def row(web: Web, count: int, page: Callable[[int], Page | None] = lambda _: None) -> list[str]:
    """A root page that links to `/00`, `/01` and so on; what `page` has none for is a plain page."""
    paths = [f"/{number:03}" for number in range(count)]
    web.html("/", "".join(f"<a href='{path}'>x</a>" for path in paths))
    for number, path in enumerate(paths):
        web.html(path, f"<p>Page {number}.</p>")
        web.pages[path] = page(number) or web.pages[path]
    return paths


def asked_pages(web: Web) -> list[str]:
    return [path for path in web.paths() if not path.endswith((".txt", ".xml"))]


def warned(crawl: Crawl, words: str) -> bool:
    """Return True if a warning contains the words; such a crawl is never complete."""
    report = crawl.source.report
    assert report.truncated
    assert not report.complete
    return any(words in warning for warning in report.warnings)


def test_the_crawl_ends_when_its_time_is_over(web: Web, tmp_path: Path) -> None:
    crawl = Crawl(web, tmp_path, max_seconds=3_600, concurrency=1)

    def slow(_: Request) -> Answer:
        crawl.now_s += 4_000
        return Answer(200, b"<p>At last.</p>")

    paths = row(web, 100, lambda number: slow if number == 3 else None)
    assert crawl.urls() == ["/", *paths[:3]]
    assert asked_pages(web)[-1] == paths[3]
    assert crawl.source.report.failed == {paths[3]: f"{web.base_url}{paths[3]} had not arrived when the crawl ended"}
    assert warned(crawl, "source.crawl.max_seconds = 3600")


def test_a_crawl_without_a_page_when_its_time_is_over_says_so(web: Web, tmp_path: Path) -> None:
    web.pages["/robots.txt"] = Answer(503, headers={"Retry-After": "30"})
    with pytest.raises(SourceUnavailable, match=r"robots\.txt"):
        Crawl(web, tmp_path, max_seconds=50).pages()
    assert web.paths() == ["/robots.txt"] * 2
    crawl = Crawl(web, tmp_path, max_seconds=0.5, tick_s=1.0, respect_robots_txt=False)
    with pytest.raises(SourceUnavailable, match=r"source\.crawl\.max_seconds = 0\.5"):
        crawl.pages()


def test_waits_that_the_host_asks_for_are_no_longer_than_the_crawl(web: Web, tmp_path: Path) -> None:
    """10,000 links that answer 503 with `Retry-After: 30` were 31 hours."""
    paths = row(web, 40, lambda _: Answer(503, headers={"Retry-After": "30"}))
    crawl = Crawl(web, tmp_path, max_seconds=200, concurrency=1)
    assert crawl.urls() == ["/"]
    assert crawl.waits == [30.0] * 6
    assert asked_pages(web) == ["/", *paths[:1] * 4, *paths[1:2] * 4, *paths[2:]]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_host_that_only_fails_is_left_alone(web: Web, tmp_path: Path, concurrency: int) -> None:
    row(web, 300, lambda _: Answer(503, headers={"Retry-After": "30"}))
    crawl = Crawl(web, tmp_path, concurrency=concurrency)
    assert crawl.urls() == ["/"]
    assert 50 <= len(crawl.source.report.failed) < 50 + concurrency
    assert len(set(asked_pages(web))) < 51 + concurrency
    assert warned(crawl, "source.crawl.max_failures_in_row = 50")


def test_a_host_that_hangs_up_is_left_alone(web: Web, tmp_path: Path) -> None:
    row(web, 100, lambda _: Answer(cut=True))
    crawl = Crawl(web, tmp_path, max_failures_in_row=5, concurrency=2)
    assert crawl.urls() == ["/"]
    assert warned(crawl, "source.crawl.max_failures_in_row = 5")


def test_failures_between_pages_end_nothing(web: Web, tmp_path: Path) -> None:
    paths = row(web, 30, lambda number: Answer(500) if number % 3 else None)
    crawl = Crawl(web, tmp_path, max_failures_in_row=3, concurrency=1)
    assert crawl.urls() == ["/", *paths[::3]]
    assert len(crawl.source.report.failed) == 20
    assert not crawl.source.report.truncated


REFUSALS = {
    "gone": Answer(404),
    "for members": Answer(403),
    "redirected to a login": Answer(302, headers={"Location": "https://login.test/"}),
    "larger than a page": Answer(200, b"x" * 200_000),
    "no page": Answer(200, b"{}", {"Content-Type": "application/json"}),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_host_that_answers_is_not_down(web: Web, tmp_path: Path, name: str) -> None:
    row(web, 30, lambda _: REFUSALS[name])
    web.html("/", "<a href='/zoo'>Last</a>" + "".join(f"<a href='/{number:03}'>x</a>" for number in range(30)))
    web.html("/zoo", "<p>The end.</p>")
    assert Crawl(web, tmp_path, max_failures_in_row=3).urls() == ["/", "/zoo"]


def test_sitemaps_that_fail_are_failures_of_the_host(web: Web, tmp_path: Path) -> None:
    listed = "".join(f"<sitemap><loc>/{number}.xml</loc></sitemap>" for number in range(100))
    web.pages["/map.xml"] = Answer(200, f"<sitemapindex>{listed}</sitemapindex>".encode())
    web.fallback = Answer(503, headers={"Retry-After": "30"})
    with pytest.raises(SourceUnavailable, match="503"):
        Crawl(web, tmp_path, sitemap_url="/map.xml", respect_robots_txt=False, max_failures_in_row=5).pages()
    assert len(set(web.paths())) == 6


def sitemaps(web: Web, each: int, *, host: str, count: int = 3) -> None:
    """`count` sitemaps behind one, each with `each` pages of a host, and with the root."""
    names = [f"/map-{number}.xml" for number in range(count)]
    index = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
    web.pages["/map.xml"] = Answer(200, f"<sitemapindex>{index}</sitemapindex>".encode())
    web.html("/", "<p>Welcome.</p>")
    for name in names:
        listed = "".join(f"<url><loc>{host}{name}/{number}</loc></url>" for number in range(each))
        web.pages[name] = Answer(200, f"<urlset><url><loc>/</loc></url>{listed}</urlset>".encode())


def test_entries_count_over_all_sitemaps_also_those_on_other_hosts(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitemap, "MAX_ENTRIES", 150)
    sitemaps(web, 100, host="https://elsewhere.test")
    crawl = Crawl(web, tmp_path, sitemap_url="/map.xml")
    assert crawl.urls() == ["/"]
    assert [path for path in web.paths() if "map" in path] == ["/map.xml", "/map-0.xml", "/map-1.xml"]
    assert warned(crawl, "150 entries of sitemaps")
    assert warned(crawl, "source.crawl.sitemap_url")


def test_bytes_count_over_all_sitemaps(web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sitemaps(web, 100, host="https://elsewhere.test")
    whole = web.pages["/map-0.xml"]
    assert isinstance(whole, Answer)
    monkeypatch.setattr(sitemap, "MAX_TOTAL_BYTES", 2 * len(whole.body))
    crawl = Crawl(web, tmp_path, sitemap_url="/map.xml")
    assert crawl.urls() == ["/"]
    assert [path for path in web.paths() if "map" in path] == ["/map.xml", "/map-0.xml", "/map-1.xml"]
    assert warned(crawl, f"{2 * len(whole.body)} bytes of sitemaps")


def test_sitemaps_that_robots_txt_names_count_together(web: Web, tmp_path: Path) -> None:
    """Each had the whole number of pages for itself."""
    sitemaps(web, 20, host="")
    named = "".join(f"Sitemap: {web.base_url}/map-{number}.xml\n" for number in range(3))
    web.pages["/robots.txt"] = Answer(200, named.encode())
    web.fallback = Answer(200, b"<p>A page.</p>")
    crawl = Crawl(web, tmp_path, max_pages=10)
    assert len(crawl.urls()) == len(asked_pages(web)) == 10
    assert warned(crawl, "source.crawl.max_pages = 10")


def test_sitemaps_without_end_are_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MAX_SITEMAPS", 20)
    listed = "".join(f"<sitemap><loc>/{number}.xml</loc></sitemap>" for number in range(5_000)).encode()
    walk = SitemapWalk(lambda _: b"<sitemapindex>" + listed + b"</sitemapindex>", lambda url: url)
    assert list(walk.urls(["http://a.test/"])) == []
    assert (walk.limit, walk.problems) == ("20 sitemaps, 4 levels of them", {})


ELEMENTS = """
import resource
from searchsocket.extensions.crawl.sitemap import entries
xml = b"<urlset>" + b"<a/>" * 1_500_000 + b"<url><loc>/last</loc></url></urlset>"
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert list(entries(xml)) == [("page", "/last")]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_sitemap_of_elements_that_mean_nothing_takes_no_memory() -> None:
    """6 MB of them, which come in 6 KB, were a tree of 180 MB."""
    result = subprocess.run([sys.executable, "-c", ELEMENTS], capture_output=True, text=True, check=True)
    assert int(result.stdout) < 50_000


def test_links_of_a_page_are_bounded(web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_LINKS", 20)
    paths = row(web, 30)
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", *paths[:20]]
    assert warned(crawl, "/ links to more than")
    assert warned(crawl, "source.crawl.sitemap_url")


def test_places_of_few_pages_are_few_links(web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_LINKS", 20)
    row(web, 3)
    web.html("/002", "".join(f"<a href='/000?q={number}#part-{number}'>x</a>" for number in range(100)))
    crawl = Crawl(web, tmp_path)
    assert len(crawl.urls()) == 4
    assert crawl.source.report.complete


def test_links_of_many_pages_are_held_as_far_as_they_may_be_fetched(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first in the order of URLs, as if all of them had been held."""
    monkeypatch.setattr("searchsocket.extensions.crawl.source.MAX_LINKS", 10)
    web.html("/", "".join(f"<a href='/a{number}'>x</a>" for number in range(9)))
    web.fallback = lambda request: Answer(
        200, "".join(f"<a href='/b{number:02}{request.path[2:]}'>x</a>" for number in range(40)).encode()
    )
    crawl = Crawl(web, tmp_path, max_pages=30, respect_robots_txt=False)
    expected = sorted(f"/b{number:02}{page}" for number in range(40) for page in range(9))
    assert crawl.urls() == ["/", *(f"/a{number}" for number in range(9)), *expected[:20]]
    assert warned(crawl, "source.crawl.max_pages = 30")


@pytest.fixture
def site(tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A project that crawls a site of 40 pages without waiting, and was indexed whole once."""
    monkeypatch.setitem(CrawlSource.__init__.__kwdefaults__, "sleep", lambda _: None)
    row(web, 39)
    site = Site(tmp_path / "site")
    (site.root / "searchsocket.toml").write_text(
        f'embeddings.provider = "hash"\nsource.mode = "crawl"\nsource.crawl.base_url = "{web.base_url}"\n'
    )
    site.index()
    web.requests.clear()
    return site


def test_a_limited_run_fetches_no_more_than_it_keeps(site: Site, web: Web) -> None:
    """It fetched 65 pages, the rest of a window, and kept three."""
    summary = site.index(max_pages=3)
    assert len(asked_pages(web)) == 3
    assert len(site.urls()) == 40
    assert len([warning for warning in summary.warnings if "--max-pages = 3" in warning]) == 1
    assert any("so none was deleted" in warning for warning in summary.warnings)


def test_a_limit_that_is_not_reached_limits_nothing(site: Site, web: Web) -> None:
    del web.pages["/038"]
    row(web, 38)
    site.index(max_pages=100)
    assert len(site.urls()) == 39


def test_a_crawl_that_ended_early_deletes_nothing(site: Site, web: Web) -> None:
    """The host lost a page and fails after half of the others."""
    row(web, 38, lambda number: Answer(500) if number > 20 else None)
    del web.pages["/038"]
    config = site.root / "searchsocket.toml"
    config.write_text(config.read_text() + "source.crawl.max_failures_in_row = 1\n")
    summary = site.index()
    assert len(site.urls()) == 40
    assert any("source.crawl.max_failures_in_row = 1" in warning for warning in summary.warnings)
    assert any("so none was deleted" in warning for warning in summary.warnings)


def test_a_request_is_not_made_again_once_the_crawl_is_over(web: Web) -> None:
    web.fallback = Answer(503)
    budget = CrawlBudget(max_seconds=60, max_failures_in_row=1, monotonic=lambda: 0.0)
    limits = FetchLimits(max_bytes=1000, timeout_s=20)
    fetcher = Fetcher(web.base_url, limits, budget, sleep=lambda _: budget.count(failed=True), monotonic=lambda: 0.0)
    with pytest.raises(FetchFailed, match="had not arrived when the crawl ended"):
        fetcher.get(f"{web.base_url}/")
    fetcher.close()
    assert web.paths() == ["/"]


def test_thousands_of_pages_with_the_same_fault_are_one_warning(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MAX_LINKS", 5)
    paths = row(web, 5, lambda _: Answer(200, "".join(f"<a href='/{n:03}'>x</a>" for n in range(9)).encode()))
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", *paths]
    assert warned(crawl, "/000 links to more than")
    assert len(crawl.source.report.warnings) == 1
