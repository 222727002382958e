"""Hosts that lead other crawlers astray: docs/notes/reports.md, "Sites"."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extensions.crawl.crawling import Crawl
from tests.sources.web import Answer, Request, Web, serve

_HTML = {"Content-Type": "text/html; charset=utf-8"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        yield web


def test_relative_links_do_not_lead_ever_deeper(web: Web, tmp_path: Path) -> None:
    """The host answers each path below `/club/` with the same page, and its links with two more such paths."""
    club = b"<main><h1>Club</h1><a href='www/'>again</a> <a href='www/boats/'>boats</a></main>"

    def answer(request: Request) -> Answer:
        return Answer(200, club, _HTML) if request.path.startswith("/club/") else Answer(404)

    web.html("/", "<a href='/club/'>Club</a> <a href='/about'>About</a>")
    web.html("/about", "<p>About</p>")
    web.fallback = answer
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/about", "/club"]
    assert len(web.requests) < 15
    assert crawl.source.report.complete
    assert crawl.source.report.skipped["/club/www"] == "another address of /club"


def test_equal_pages_of_different_folders_are_pages(web: Web, tmp_path: Path) -> None:
    """Only a copy below its original is an address of it."""
    web.html("/", "<a href='/a/x'>a</a> <a href='/b/x'>b</a>")
    same = Answer(200, b"<main><h1>Soon</h1><p>More soon.</p></main>", _HTML)
    web.pages |= {"/a/x": same, "/b/x": same}
    assert Crawl(web, tmp_path).urls() == ["/", "/a/x", "/b/x"]


def test_links_beyond_the_depth_are_reported(web: Web, tmp_path: Path) -> None:
    """A calendar has a next week for ever."""
    web.html("/", "<a href='/week/1'>First</a>")
    for week in range(1, 9):
        web.html(f"/week/{week}", f"<a href='/week/{week + 1}'>Next</a>")
    crawl = Crawl(web, tmp_path, max_depth=3)
    assert crawl.urls() == ["/", "/week/1", "/week/2", "/week/3"]
    (warning,) = crawl.source.report.warnings
    assert "max_depth = 3" in warning
    assert "1, e.g. /week/4" in warning
    assert Crawl(web, tmp_path / "all", max_depth=3, routes=("/week/6",)).source.report.warnings == []


def test_a_cookie_lasts_for_the_redirects_of_one_request(web: Web, tmp_path: Path) -> None:
    """Some hosts set a cookie and send the visitor to the same page again."""

    def answer(request: Request) -> Answer:
        if "seen=1" in request.headers.get("Cookie", ""):
            return Answer(200, b"<main><h1>Charts</h1></main>", _HTML)
        return Answer(302, headers={"Location": request.path, "Set-Cookie": "seen=1; Path=/; HttpOnly"})

    web.html("/", "<a href='/charts'>Charts</a> <a href='/maps'>Maps</a>")
    web.pages |= {"/charts": answer, "/maps": answer}
    assert Crawl(web, tmp_path).urls() == ["/", "/charts", "/maps"]
    assert web.paths().count("/maps") == 2


def test_cookies_of_a_host_may_have_any_bytes(web: Web, tmp_path: Path) -> None:
    """A cookie, and the tag of a page that did not change."""

    def answer(request: Request) -> Answer:
        if "seen=café" not in request.headers.get("Cookie", ""):
            return Answer(302, headers={"Location": request.path, "Set-Cookie": "seen=café"})
        if request.headers.get("If-None-Match") == '"é"':
            return Answer(304)
        return Answer(200, b"<main><h1>Charts</h1></main>", {**_HTML, "ETag": '"é"'})

    web.html("/", "<a href='/charts'>Charts</a>")
    web.pages["/charts"] = answer
    assert Crawl(web, tmp_path).urls() == ["/", "/charts"]
    again = Crawl(web, tmp_path)
    assert again.urls() == ["/", "/charts"]
    assert again.source.report.failed == {}


def test_a_redirect_without_a_new_cookie_is_still_a_loop(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/charts'>Charts</a>")
    web.pages["/charts"] = Answer(302, headers={"Location": "/charts", "Set-Cookie": "seen=1"})
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert "loop" in crawl.source.report.failed["/charts"]


@pytest.mark.parametrize("content", ["0; URL=/home/", "0;url='/home/'", "5; url = /home/#top"])
def test_a_refresh_is_a_link(web: Web, tmp_path: Path, content: str) -> None:
    """The start page of some hosts has nothing else."""
    web.pages["/"] = Answer(200, f'<HTML><META HTTP-EQUIV=REFRESH CONTENT="{content}"></HTML>'.encode(), _HTML)
    web.html("/home/", "<a href='part'>Part</a>")
    web.html("/home/part", "<p>Part</p>")
    assert Crawl(web, tmp_path).urls() == ["/", "/home", "/home/part"]


def test_translations_in_a_sitemap_are_pages(web: Web, tmp_path: Path) -> None:
    """Some sitemaps list a page once, with its other languages as `hreflang` links."""
    alternates = "".join(
        f'<x:link rel="alternate" hreflang="{language}" href="{href}"/>'
        for language, href in (
            ("de", f"{web.base_url}/de/a"),
            ("fr", "https://fr.example.org/a"),
            ("x-default", "/en/a"),
        )
    )
    sitemap = (
        f'<urlset xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>{web.base_url}/en/a</loc>{alternates}</url></urlset>'
    )
    web.pages["/sitemap.xml"] = Answer(200, sitemap.encode(), {"Content-Type": "application/xml"})
    web.html("/en/a", "<p>Hello</p>")
    web.html("/de/a", "<p>Hallo</p>")
    crawl = Crawl(web, tmp_path, sitemap_url="/sitemap.xml")
    assert crawl.urls() == ["/de/a", "/en/a"]
    assert crawl.source.report.warnings == []


def test_an_encoding_called_none_is_none(web: Web, tmp_path: Path) -> None:
    web.html("/", "<p>Plain</p>", Content_Encoding="none")
    assert Crawl(web, tmp_path).urls() == ["/"]


def test_feeds_are_sitemaps(web: Web, tmp_path: Path) -> None:
    """The protocol of sitemaps allows RSS and Atom."""
    xml = {"Content-Type": "application/xml"}
    rss = (
        f'<rss version="2.0"><channel><link>{web.base_url}/x</link><item><title>A</title><link>{web.base_url}/a</link>'
        "</item><item><link><![CDATA[ /b ]]></link></item></channel></rss>"
    )
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/atom.xml"/><entry><link rel="edit" '
        'href="/x"/><link rel="alternate" href="/c"/></entry><entry><link href="/d"/></entry></feed>'
    )
    web.pages |= {"/rss.xml": Answer(200, rss.encode(), xml), "/atom.xml": Answer(200, atom.encode(), xml)}
    robots = f"Sitemap: {web.base_url}/rss.xml\nSitemap: {web.base_url}/atom.xml\n"
    web.pages["/robots.txt"] = Answer(200, robots.encode(), {"Content-Type": "text/plain"})
    for page in ("/a", "/b", "/c", "/d", "/x"):
        web.html(page, "<p>Words</p>")
    assert Crawl(web, tmp_path).urls() == ["/a", "/b", "/c", "/d"]


def test_frames_and_areas_of_images_are_links(web: Web, tmp_path: Path) -> None:
    """The start page of an old site may have nothing else."""
    web.pages["/"] = Answer(200, b"<frameset><frame src='nav.html'><frame src='/text.htm#top'></frameset>", _HTML)
    web.html("/nav.html", "<map name='m'><area href='/pier.html' alt='Pier'></map>")
    web.html("/text.htm", "<p>Text</p>")
    web.html("/pier.html", "<p>Pier</p>")
    assert Crawl(web, tmp_path).urls() == ["/", "/nav", "/text", "/pier"]


@pytest.mark.parametrize("location", ["/mit leer/ü", "/mit leer/ü".encode().decode("latin-1")])
def test_a_redirect_may_have_any_letters(web: Web, tmp_path: Path, location: str) -> None:
    """Hosts write them as bytes of UTF-8 or Latin-1; browsers escape them."""
    web.html("/", "<a href='/old'>Old</a>")
    web.pages["/old"] = Answer(302, headers={"Location": location})
    web.html("/mit%20leer/%C3%BC", "<p>New</p>")
    crawl = Crawl(web, tmp_path)
    assert len(crawl.urls()) == 2
    assert "/mit%20leer/%C3%BC" in web.paths()
