"""The crawler finds every page of a host, and survives what hosts do (spec 8.2 B, 24)."""

import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl.pages import page_links
from searchsocket.extensions.crawl.sitemap import BadSitemap, SitemapWalk, entries, unpacked
from searchsocket.system.retry_after import retry_after_s
from tests.extensions.crawl.crawling import Crawl
from tests.sources.web import Answer, Request, Web, serve


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        web.html("/", "<a href='/docs'>Docs</a> <a href='about'>About</a>")
        web.html("/docs", "<a href='/docs/deep?page=2#top'>Deep</a> <a href='https://elsewhere.test/x'>Out</a>")
        web.html("/docs/deep", "<p>The end.</p>")
        web.html("/about", "<p>About us.</p>")
        yield web


def test_every_linked_page_is_found_once_in_a_stable_order(web: Web, tmp_path: Path) -> None:
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/about", "/docs", "/docs/deep"]
    assert crawl.source.report.complete
    assert all(web.paths().count(path) == 1 for path in ("/", "/docs", "/about", "/docs/deep"))


def test_a_page_can_be_read_by_another_process_later(web: Web, tmp_path: Path) -> None:
    pages = Crawl(web, tmp_path).pages()
    assert b"About us." in Crawl(web, tmp_path).source.read(pages[1])


def test_depth_and_page_limits_make_a_run_incomplete_or_small(web: Web, tmp_path: Path) -> None:
    assert Crawl(web, tmp_path, max_depth=1).urls() == ["/", "/about", "/docs"]
    limited = Crawl(web, tmp_path, max_pages=2)
    assert len(limited.urls()) == 2
    assert not limited.source.report.complete


def test_routes_are_enough_without_links(web: Web, tmp_path: Path) -> None:
    assert Crawl(web, tmp_path, routes=("/docs/deep", "about"), discover=False).urls() == ["/about", "/docs/deep"]


def test_an_excluded_page_is_not_asked_for(web: Web, tmp_path: Path) -> None:
    Crawl(web, tmp_path, excluded=("/docs",)).pages()
    assert "/docs" not in web.paths()


def test_an_unchanged_page_costs_a_304(web: Web, tmp_path: Path) -> None:
    def docs(request: Request) -> Answer:
        if request.headers.get("If-None-Match") == '"v1"':
            return Answer(304)
        return Answer(200, b"<main>v1 <a href='/docs/deep'>deep</a></main>", {"ETag": '"v1"'})

    web.pages["/docs"] = docs
    first = {page.url: page.stamp for page in Crawl(web, tmp_path).pages()}
    second = {page.url: page.stamp for page in Crawl(web, tmp_path).pages()}
    assert first == second
    assert [request.headers.get("If-None-Match") for request in web.requests if request.path == "/docs"] == [
        None,
        '"v1"',
    ]


def test_robots_txt_is_obeyed_and_names_the_sitemap(web: Web, tmp_path: Path) -> None:
    robots = f"User-agent: *\nDisallow: /about\nSitemap: {web.base_url}/map.xml\n"
    web.pages["/robots.txt"] = Answer(200, robots.encode(), {"Content-Type": "text/plain"})
    urls = "".join(f"<sm:url><sm:loc>{web.base_url}{path}</sm:loc></sm:url>" for path in ("/docs/deep", "/about"))
    ns = "http://www.sitemaps.org/schemas/sitemap/0.9"
    web.pages["/map.xml"] = Answer(200, f'<sm:urlset xmlns:sm="{ns}">{urls}</sm:urlset>'.encode())
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/docs/deep"]
    assert crawl.source.report.skipped == {"/about": "disallowed by robots.txt"}
    assert crawl.source.report.complete


def test_every_sitemap_that_robots_txt_names_is_read(web: Web, tmp_path: Path) -> None:
    robots = f"User-agent: *\nSitemap: {web.base_url}/one.xml\nSitemap: {web.base_url}/two.xml\n"
    web.pages["/robots.txt"] = Answer(200, robots.encode(), {"Content-Type": "text/plain"})
    for name, path in (("one", "/docs"), ("two", "/about")):
        web.pages[f"/{name}.xml"] = Answer(200, f"<urlset><url><loc>{path}</loc></url></urlset>".encode())
    assert Crawl(web, tmp_path, discover=False).urls() == ["/about", "/docs"]


def test_an_unreadable_robots_txt_stops_the_crawl(web: Web, tmp_path: Path) -> None:
    web.pages["/robots.txt"] = Answer(503)
    with pytest.raises(SourceUnavailable, match=r"robots\.txt"):
        Crawl(web, tmp_path).pages()


def test_nested_gzipped_sitemaps_are_read_and_loops_end(web: Web, tmp_path: Path) -> None:
    """Failure modes 8, 9 and 10."""
    listed = [f"{web.base_url}/index.xml", "part.xml.gz"]
    index = f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in listed)}</sitemapindex>"
    part = "<urlset><url><loc>\n <![CDATA[/docs/deep]]> </loc></url><url><loc>https://elsewhere.test/a</loc></url></urlset>"
    web.pages["/index.xml"] = Answer(200, index.encode())
    web.pages["/part.xml.gz"] = Answer(200, gzip.compress(part.encode()), {"Content-Type": "application/gzip"})
    crawl = Crawl(web, tmp_path, sitemap_url="/index.xml")
    assert crawl.urls() == ["/docs/deep"]
    assert any("1 sitemap entries on other hosts" in warning for warning in crawl.source.report.warnings)


def test_one_page_that_fails_costs_only_itself_and_deletes_nothing(web: Web, tmp_path: Path) -> None:
    """Failure modes 6 and 7."""
    web.pages["/docs"] = Answer(500)
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/about"]
    assert list(crawl.source.report.failed) == ["/docs"]
    assert not crawl.source.report.complete


def test_a_missing_page_is_gone_not_failed(web: Web, tmp_path: Path) -> None:
    del web.pages["/about"]
    crawl = Crawl(web, tmp_path)
    crawl.pages()
    assert crawl.source.report.skipped == {"/about": "answered 404"}
    assert crawl.source.report.complete


def test_429_waits_as_long_as_it_is_told(web: Web, tmp_path: Path) -> None:
    page = web.pages["/about"]
    assert isinstance(page, Answer)
    web.pages["/about"] = lambda request: page if request.number else Answer(429, headers={"Retry-After": "7"})
    crawl = Crawl(web, tmp_path)
    assert "/about" in crawl.urls()
    assert crawl.waits == [7.0]


def test_a_host_that_is_down_is_an_error_not_an_empty_site(tmp_path: Path) -> None:
    with serve() as web:
        pass
    with pytest.raises(SourceUnavailable):
        Crawl(web, tmp_path, respect_robots_txt=False).pages()


HOSTILE: dict[str, Answer] = {
    "a redirect to itself": Answer(302, headers={"Location": "/docs"}),
    "a redirect to nonsense": Answer(301, headers={"Location": "http://[::1"}),
    "a body without end": Answer(parts=lambda: itertools.repeat(b"x" * 10_000)),
    "a gzip bomb": Answer(body=gzip.compress(b"\0" * 5_000_000), headers={"Content-Encoding": "gzip"}),
    "half a body": Answer(body=b"<main>half", headers={"Content-Length": "5000"}, cut=True),
    "broken compression": Answer(body=b"not gzip", headers={"Content-Encoding": "gzip"}),
    "a reset": Answer(cut=True),
    "server errors": Answer(500),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_answer_is_a_reported_failure(web: Web, tmp_path: Path, name: str) -> None:
    """Failure mode 11: nothing leads elsewhere, nothing runs on, and the other pages are there."""
    web.pages["/docs"] = HOSTILE[name]
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/about"]
    assert list(crawl.source.report.failed) == ["/docs"]
    assert not crawl.source.report.complete


ELSEWHERE = ("http://elsewhere.test/", "http://127.0.0.1:1/", "file:///etc/passwd", "//elsewhere.test")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_redirect_never_leads_to_another_host(web: Web, tmp_path: Path, target: str) -> None:
    """A known page fails, since a login may redirect it for a while; any other, or one that moved, is none."""
    web.pages["/docs"] = Answer(302, headers={"Location": target})
    first = Crawl(web, tmp_path)
    assert first.urls() == ["/", "/about"]
    assert first.source.report.skipped == {"/docs": "redirects to another host"}
    assert first.source.report.complete
    web.html("/docs", "<p>Docs.</p>")
    assert "/docs" in Crawl(web, tmp_path).urls()
    web.pages["/docs"] = Answer(302, headers={"Location": target})
    later = Crawl(web, tmp_path)
    assert later.urls() == ["/", "/about"]
    assert list(later.source.report.failed) == ["/docs"]
    web.pages["/docs"] = Answer(301, headers={"Location": target})
    last = Crawl(web, tmp_path)
    assert last.urls() == ["/", "/about"]
    assert last.source.report.complete


def test_a_slow_drip_ends_at_the_deadline(web: Web, tmp_path: Path) -> None:
    web.pages["/docs"] = Answer(parts=lambda: (b"x" * 70_000 for _ in range(1000)))
    crawl = Crawl(web, tmp_path, timeout_s=50.0, max_bytes=10**9, tick_s=1.0, concurrency=1)
    crawl.pages()
    assert "took longer than 50 s" in crawl.source.report.failed["/docs"]


def test_a_host_without_tls_is_a_failure_not_a_crash(web: Web, tmp_path: Path) -> None:
    web.base_url = web.base_url.replace("http://", "https://")
    with pytest.raises(SourceUnavailable):
        Crawl(web, tmp_path, respect_robots_txt=False).pages()


def test_cookies_are_never_sent_back(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/docs'>Docs</a>", Set_Cookie="session=1; Path=/")
    Crawl(web, tmp_path).pages()
    assert all("Cookie" not in request.headers for request in web.requests)


def test_session_ids_in_urls_name_one_page(web: Web, tmp_path: Path) -> None:
    web.html("/", "".join(f"<a href='/docs/deep;jsessionid={n}?sid={n}'>x</a>" for n in range(20)))
    assert Crawl(web, tmp_path).urls() == ["/", "/docs/deep"]


def test_a_calendar_without_end_stops_at_the_limit(web: Web, tmp_path: Path) -> None:
    def endless(request: Request) -> Answer:
        day = int(request.path.rpartition("/")[2] or 0) if request.path.startswith("/day/") else 0
        return Answer(200, f"<main>day <a href='/day/{day + 1}'>next</a></main>".encode())

    web.pages.clear()
    web.fallback = endless
    crawl = Crawl(web, tmp_path, respect_robots_txt=False, max_depth=100, max_pages=12)
    assert len(crawl.urls()) == 12
    assert crawl.source.report.truncated
    assert not crawl.source.report.complete


def test_files_that_are_no_pages_are_left_alone(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/a.pdf'>pdf</a> <a href='/data'>data</a>")
    web.pages["/data"] = Answer(200, b"{}", {"Content-Type": "application/json"})
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert "/a.pdf" not in web.paths()
    assert crawl.source.report.skipped == {"/data": "not HTML but application/json"}


def test_a_sitemap_with_entities_is_refused() -> None:
    """In whatever character set it declares them."""
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    xml = f"{bomb}<urlset><url><loc>/x&b;&f;</loc></url><url><loc>/y</loc></url></urlset>"
    for charset in ("utf-8", "utf-16"):
        with pytest.raises(BadSitemap, match="document type"):
            list(entries(xml.encode(charset)))


def test_a_sitemap_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchsocket.extensions.crawl.sitemap.MAX_BYTES", 1000)
    with pytest.raises(BadSitemap, match="larger than 1000"):
        unpacked(gzip.compress(b" " * 2000))


@given(st.binary(max_size=400))
def test_any_bytes_are_a_sitemap_or_a_reported_problem(data: bytes) -> None:
    walk = SitemapWalk(lambda _: unpacked(data), lambda url: url)
    assert len(list(walk.urls(["http://a.test/"]))) + len(walk.problems) <= 60


@given(st.binary(max_size=400))
def test_any_bytes_have_links_or_none(data: bytes) -> None:
    assert all(isinstance(href, str) for href in page_links(data).hrefs)


@given(st.text(max_size=60))
def test_any_retry_after_is_understood_or_ignored(value: str) -> None:
    seconds = retry_after_s({"retry-after": value}, now=0.0)
    assert seconds is None or seconds >= 0
