"""The address as linked is the one that is requested, judged by robots.txt, and opened (spec 8.2)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extensions.crawl.crawling import Crawl
from tests.sources.web import Answer, Web, serve


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        yield web


def robots(web: Web, text: str) -> None:
    web.pages["/robots.txt"] = Answer(200, text.encode(), {"Content-Type": "text/plain"})


def opened(crawl: Crawl) -> dict[str, str]:
    """The address of each page, by its URL."""
    return {page.url: page.address or page.url for page in crawl.pages()}


def test_a_host_that_answers_only_with_the_slash_loses_no_page(web: Web, tmp_path: Path) -> None:
    """Stores of files and strict routers know one form; everything below a missing page is lost with it."""
    web.html("/", "<a href='guide/'>Guide</a>")
    web.html("/guide/", "<a href='part/'>Part</a>")
    web.html("/guide/part/", "<p>Part of the guide.</p>")
    crawl = Crawl(web, tmp_path)
    assert opened(crawl) == {"/": "/", "/guide": "/guide/", "/guide/part": "/guide/part/"}
    assert crawl.source.report.skipped == {}
    assert "/guide" not in web.paths()


@pytest.mark.parametrize(("linked", "served"), [("/guide", "/guide/"), ("/guide/", "/guide")])
def test_a_page_is_found_in_the_other_form_of_its_slash(web: Web, tmp_path: Path, linked: str, served: str) -> None:
    web.html("/", f"<a href='{linked}'>Guide</a>")
    web.html(served, "<p>The guide.</p>")
    for routes in ((), (linked, "/")):
        crawl = Crawl(web, tmp_path, routes=routes)
        assert opened(crawl) == {"/": "/", "/guide": served}
        assert crawl.source.report.complete


def test_every_address_as_linked_is_tried(web: Web, tmp_path: Path) -> None:
    """Also one that a later page has; one page of a site may link in a wrong way."""
    web.html("/", "<a href='/Caf%C3%A9'>Wrong</a> <a href='/a/'>A</a>")
    web.html("/a/", "<a href='/Cafe%CC%81'>Right</a>")
    web.html("/Cafe%CC%81", "<p>Coffee.</p>")
    crawl = Crawl(web, tmp_path)
    assert opened(crawl) == {"/": "/", "/a": "/a/", "/Café": "/Cafe%CC%81"}
    assert crawl.source.report.skipped == {}


@pytest.mark.parametrize(
    ("href", "requested", "url", "address"),
    [
        ("/caf%c3%a9", "/caf%c3%a9", "/café", "/café"),
        ("/café", "/caf%C3%A9", "/café", "/café"),
        ("/a b", "/a%20b", "/a%20b", "/a%20b"),
        ("/a//b", "/a//b", "/a/b", "/a//b"),
        ("/a%2Bb", "/a%2Bb", "/a+b", "/a%2Bb"),
        ("/foo%2Fbar", "/foo%2Fbar", "/foo%2Fbar", "/foo%2Fbar"),
        ("/x/../y/./z", "/y/z", "/y/z", "/y/z"),
        ("/a[1]|{2}", "/a[1]|%7B2%7D", "/a[1]%7C%7B2%7D", "/a[1]|%7B2%7D"),
        ("\\back\\slash", "/back/slash", "/back/slash", "/back/slash"),
    ],
)
def test_an_address_is_requested_as_browsers_do(
    web: Web, tmp_path: Path, href: str, requested: str, url: str, address: str
) -> None:
    """The canonical form only tells that two addresses are one page."""
    web.html("/", f"<meta charset=utf-8><a href='{href}'>Link</a>")
    web.html(requested, "<p>Here.</p>")
    assert opened(Crawl(web, tmp_path)) == {"/": "/", url: address}
    assert web.paths()[2:] == [requested]


def test_the_linked_address_is_judged_by_robots_txt(web: Web, tmp_path: Path) -> None:
    """A rule for `/tmp/` covers a link to `/tmp/`, which must not be requested without its slash."""
    robots(web, "User-agent: *\nDisallow: /tmp/\n")
    web.html("/", "<a href='/tmp/'>Temporary</a>")
    web.html("/tmp", "<p>Private.</p>")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert crawl.source.report.skipped == {"/tmp": "disallowed by robots.txt"}
    assert web.paths() == ["/robots.txt", "/"]


def test_a_redirect_is_judged_by_robots_txt(web: Web, tmp_path: Path) -> None:
    robots(web, "User-agent: *\nDisallow: /tmp/\n")
    web.html("/", "<a href='/tmp'>Temporary</a>")
    web.pages["/tmp"] = Answer(301, headers={"Location": "/tmp/"})
    web.html("/tmp/", "<p>Private.</p>")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert crawl.source.report.skipped == {"/tmp": "disallowed by robots.txt"}
    assert "/tmp/" not in web.paths()


def test_relative_links_resolve_against_the_address_that_answered(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/docs/x/'>Docs</a>")
    web.pages["/docs/x/"] = Answer(302, headers={"Location": "v2//start?lang=en"})
    web.html("/docs/x/v2//start?lang=en", "<a href='../next'>Next</a>")
    web.html("/docs/x/v2/next", "<p>Next.</p>")
    crawl = Crawl(web, tmp_path)
    assert set(crawl.urls()) == {"/", "/docs/x/v2/start", "/docs/x/v2/next"}


def test_a_site_that_is_lost_to_404_is_a_warning(web: Web, tmp_path: Path) -> None:
    """The exit code is 0, because pages may go; someone must be told that a tree is gone."""
    web.html("/", "<a href='/docs'>Docs</a>")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert crawl.source.report.skipped == {"/docs": "answered 404"}
    assert [line for line in crawl.source.report.warnings if "answered 403, 404 or 410" in line and "/docs" in line]


def test_a_forbidden_page_is_a_failure_only_if_it_was_known(web: Web, tmp_path: Path) -> None:
    """Stores of objects answer 403 for a missing one, so a dead link would make every crawl incomplete."""
    web.html("/", "<a href='/docs'>Docs</a>")
    web.pages["/docs"] = Answer(403)
    first = Crawl(web, tmp_path)
    assert first.urls() == ["/"]
    assert first.source.report.skipped == {"/docs": "answered 403"}
    assert first.source.report.complete
    web.html("/docs", "<p>Docs.</p>")
    assert Crawl(web, tmp_path).urls() == ["/", "/docs"]
    web.pages["/docs"] = Answer(403)
    last = Crawl(web, tmp_path)
    assert last.urls() == ["/"]
    assert list(last.source.report.failed) == ["/docs"]


# Queries ----------------------------------------------------------------------------------------------------------


def listing(web: Web, number: int, canonical: str = "") -> None:
    link = f"<link rel=canonical href='{canonical}'>" if canonical else ""
    web.html(f"/list?page={number}", f"{link}<p>Boats of page {number}.</p>")


def test_pages_with_a_query_are_pages_if_their_canonical_links_keep_it(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/list'>List</a>")
    web.html("/list", "<a href='?page=2&utm_source=x'>2</a> <a href='?page=3#top'>3</a> <a href='?sort=up'>Sort</a>")
    listing(web, 2, "https://example.com/list?page=2")
    listing(web, 3, f"{web.base_url}/list?page=3")
    web.html("/list?sort=up", "<link rel=canonical href='/list'><p>Sorted.</p>")
    crawl = Crawl(web, tmp_path)
    assert opened(crawl) == {
        "/": "/", "/list": "/list", "/list%3Fpage=2": "/list?page=2", "/list%3Fpage=3": "/list?page=3",
    }  # fmt: skip
    assert crawl.source.report.warnings == []
    assert crawl.source.report.complete
    texts = {page.url: crawl.source.read(page) for page in crawl.pages()}
    assert b"Boats of page 3" in texts["/list%3Fpage=3"]


def test_pages_with_a_query_are_pages_if_a_setting_says_so(web: Web, tmp_path: Path) -> None:
    """A site may have no page without a query; parameters that select no page are not requested."""
    web.html("/", "<a href='/q?page=2&sort=up'>2</a> <a href='/q?page=3'>3</a>")
    web.html("/q?page=2", "<p>Two.</p>")
    web.html("/q?page=3", "<p>Three.</p>")
    crawl = Crawl(web, tmp_path, query_parameters=("page",))
    assert opened(crawl) == {"/": "/", "/q%3Fpage=2": "/q?page=2", "/q%3Fpage=3": "/q?page=3"}


def test_other_addresses_with_a_query_are_counted_and_named(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/q?page=2'>2</a> <a href='/q?page=3'>3</a> <a href='/a?x=1'>A</a>")
    for path in ("/q", "/q?page=2", "/q?page=3", "/a"):
        web.html(path, f"<p>{path}</p>")
    web.pages["/a?x=1"] = web.pages["/a"]
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/a", "/q"]
    assert crawl.source.report.warnings == [
        "linked addresses that differ from others only by their query were left out: 2, e.g. /q?page=2, /q?page=3; "
        "if they are pages, list their parameters in source.crawl.query_parameters"
    ]
    assert "/q?page=3" not in web.paths()


def test_an_endless_space_of_queries_costs_few_requests(web: Web, tmp_path: Path) -> None:
    """Parameters are tried on five paths, and ten sets of them on one path; a failure is not one of the site."""
    links = ((f"/c?d={n}", f"/c?p{n}=1", f"/w{n}?edit=1", f"/c?b{n}=1' rel='nofollow") for n in range(300))
    web.html("/", "".join(f"<a href='{href}'>x</a>" for hrefs in links for href in hrefs))
    for path in ("/c", *(f"/w{n}" for n in range(300))):
        web.html(path, f"<p>{path}</p>")
    web.fallback = lambda request: Answer(500 if "?d" in request.path else 404)
    crawl = Crawl(web, tmp_path, respect_robots_txt=False, max_failures_in_row=1)
    assert len(crawl.urls()) == 302
    assert crawl.source.report.complete
    queries = [path for path in web.paths() if "?" in path]
    assert len(queries) == len(set(queries)) == 15
    assert len([path for path in queries if "?edit" in path]) == 5
    assert not any("?b" in path for path in queries)


# Rules of the host ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "indexed"),
    [
        ("noindex", False), ("None", False), ("noarchive, noindex", False), ("searchsocket: noindex", False),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", False), ("unavailable_after: 2999-01-01", True),
        ("otherbot: noindex, nofollow", True), ("index, follow", True), ("noindexing", True),
    ],
)  # fmt: skip
def test_a_page_is_left_out_by_its_header(web: Web, tmp_path: Path, value: str, indexed: bool) -> None:
    """A document or a page of a framework has no robots meta."""
    web.html("/", "<a href='/a'>A</a>")
    web.html("/a", "<a href='/b'>B</a>", X_Robots_Tag=value)
    web.html("/b", "<p>B.</p>")
    crawl = Crawl(web, tmp_path)
    follows = value != "None"
    assert crawl.urls() == ["/", *(["/a"] if indexed else []), *(["/b"] if follows else [])]
    assert crawl.source.report.skipped == ({} if indexed else {"/a": "noindex by X-Robots-Tag"})
    assert crawl.source.report.complete


def test_an_unchanged_page_keeps_its_header(web: Web, tmp_path: Path) -> None:
    """A 304 has no X-Robots-Tag; a new one counts, although the bytes are the same."""
    web.html("/", "<a href='/a'>A</a>", ETag='"1"', X_Robots_Tag="nofollow")
    web.html("/a", "<p>A.</p>")
    assert Crawl(web, tmp_path).urls() == ["/"]
    web.pages["/"] = Answer(304)
    assert Crawl(web, tmp_path).urls() == ["/"]
    web.pages["/"] = Answer(304, headers={"X-Robots-Tag": "noindex"})
    web.html("/other", "<p>Other.</p>")
    assert Crawl(web, tmp_path, routes=("/", "/other")).urls() == ["/other", "/a"]


def test_the_charset_of_the_header_counts(web: Web, tmp_path: Path) -> None:
    """After a byte order mark and before a meta; links of the page are read in it, too."""
    text = "<main>Привет <a href='/лодка'>лодка</a></main>"
    web.html("/", "<a href='/a'>A</a> <a href='/b'>B</a> <a href='/c'>C</a>")
    cyrillic = {"Content-Type": "text/html; charset=windows-1251"}
    web.pages["/a"] = Answer(200, text.encode("cp1251"), cyrillic)
    web.pages["/b"] = Answer(200, b"<meta charset=iso-8859-2>" + text.encode("cp1251"), cyrillic)
    web.pages["/c"] = Answer(200, b"\xef\xbb\xbf" + text.encode(), cyrillic)
    web.html("/%D0%BB%D0%BE%D0%B4%D0%BA%D0%B0", "<p>Boat.</p>")
    crawl = Crawl(web, tmp_path)
    pages = {page.url: crawl.source.read(page).decode("utf-8-sig") for page in crawl.pages()}
    assert set(pages) == {"/", "/a", "/b", "/c", "/лодка"}
    assert all("Привет" in pages[url] for url in ("/a", "/b", "/c"))


# Sitemaps ---------------------------------------------------------------------------------------------------------


def test_a_sitemap_may_be_text(web: Web, tmp_path: Path) -> None:
    robots(web, "User-agent: *\nSitemap: /urls.txt\n")
    lines = f"\ufeff{web.base_url}/a\r\n\r\nno address\n{web.base_url}/b/\n".encode()
    web.pages["/urls.txt"] = Answer(200, lines, {"Content-Type": "text/plain"})
    web.html("/a", "<p>A.</p>")
    web.html("/b/", "<p>B.</p>")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/a", "/b"]
    assert crawl.source.report.warnings == []
    assert crawl.source.report.complete


DAY_S = 86_400.0
BROKEN = Answer(200, b"<urlset><url>")


def test_a_sitemap_that_was_never_readable_is_only_a_warning(web: Web, tmp_path: Path) -> None:
    """It must not stop deletions for ever."""
    web.html("/", "<p>Home.</p>")
    for answer in (BROKEN, Answer(404), Answer(500), Answer(200, b"<!doctype html><title>App</title>")):
        web.pages["/map.xml"] = answer
        crawl = Crawl(web, tmp_path, sitemap_url="/map.xml")
        assert crawl.urls() == ["/"]
        assert crawl.source.report.complete
        assert [line for line in crawl.source.report.warnings if f"{web.base_url}/map.xml cannot be read: " in line]


@pytest.mark.parametrize(
    ("answer", "days", "complete"),
    [(BROKEN, 1, False), (Answer(500), 6.9, False), (BROKEN, 7.1, True), (Answer(404), 1, True)],
)
def test_a_sitemap_that_was_read_lately_stops_deletions_for_a_week(
    web: Web, tmp_path: Path, answer: Answer, days: float, complete: bool
) -> None:
    """Pages may be listed only there. A host that answers 404 has removed it."""
    web.html("/", "<p>Home.</p>")
    web.html("/listed", "<p>Only in the sitemap.</p>")
    web.pages["/map.xml"] = Answer(200, b"<urlset><url><loc>/listed</loc></url></urlset>")
    first = Crawl(web, tmp_path, sitemap_url="/map.xml", routes=("/",))
    assert first.urls() == ["/", "/listed"]
    web.pages["/map.xml"] = answer
    for number in (1, 2):
        crawl = Crawl(web, tmp_path, sitemap_url="/map.xml", routes=("/",), wall_s=days * DAY_S + number)
        assert crawl.urls() == ["/"]
        assert crawl.source.report.complete is complete
        assert any("no page is deleted now" in line for line in crawl.source.report.warnings) is not complete
