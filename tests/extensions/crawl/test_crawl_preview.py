"""Links of a preview to the published address lead to pages of the preview (spec 8.2 B)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extensions.crawl.crawling import Crawl
from tests.pipeline.conftest import Site
from tests.sources.web import Answer, Web, serve

LIVE = "https://museum.example"


@pytest.fixture
def web() -> Iterator[Web]:
    """A preview whose pages link to nothing, with a sitemap of the published site."""
    with serve() as web:
        for path in ("/", "/boats", "/lamps", "/ropes"):
            web.html(path, f"<p>All about {path}.</p>")
        list_pages(web, "/map.xml", LIVE, "/", "/boats", "/lamps", "/ropes")
        web.pages["/robots.txt"] = Answer(200, f"Sitemap: {web.base_url}/map.xml\n".encode())
        yield web


def list_pages(web: Web, name: str, host: str, *paths: str) -> None:
    listed = "".join(f"<url><loc>{host}{path}</loc></url>" for path in paths)
    web.pages[name] = Answer(200, f"<urlset>{listed}</urlset>".encode())


def warnings_of(crawl: Crawl) -> str:
    return "\n".join(crawl.source.report.warnings)


def test_the_sitemap_of_the_published_site_is_read_as_one_of_the_preview(web: Web, tmp_path: Path) -> None:
    """Only `/` was found, by a crawl that called itself complete."""
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/boats", "/lamps", "/ropes"]
    assert crawl.source.report.complete
    assert f'set project.base_url = "{LIVE}"' in warnings_of(crawl)
    assert "left out" not in warnings_of(crawl)


def test_also_when_robots_txt_or_an_index_names_it_there(web: Web, tmp_path: Path) -> None:
    index = f"<sitemapindex><sitemap><loc>{LIVE}/map.xml</loc></sitemap></sitemapindex>"
    web.pages["/index.xml"] = Answer(200, index.encode())
    web.pages["/robots.txt"] = Answer(200, f"Sitemap: {LIVE}/index.xml\n".encode())
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/boats", "/lamps", "/ropes"]
    assert crawl.source.report.complete


def test_a_page_that_the_preview_lost_is_gone(web: Web, tmp_path: Path) -> None:
    del web.pages["/lamps"]
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/boats", "/ropes"]
    assert crawl.source.report.skipped == {"/lamps": "answered 404"}
    assert crawl.source.report.complete


def test_links_of_the_pages_mean_the_preview_too(web: Web, tmp_path: Path) -> None:
    web.html("/ropes", f"<a href='{LIVE}/knots'>Knots</a>")
    web.html("/knots", "<p>A bowline.</p>")
    assert "/knots" in Crawl(web, tmp_path).urls()


def test_a_sitemap_of_another_site_is_no_list_of_this_one(web: Web, tmp_path: Path) -> None:
    """Nothing of it answers here, so nothing is known of this site's pages, and nothing may be deleted."""
    list_pages(web, "/map.xml", LIVE, "/prices", "/tickets", "/")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert not crawl.source.report.complete
    assert "does not serve" in warnings_of(crawl)
    assert "project.base_url" in warnings_of(crawl)


def test_the_preview_requests_nothing_that_robots_txt_forbids(web: Web, tmp_path: Path) -> None:
    robots = f"User-agent: *\nDisallow: /boats\nSitemap: {web.base_url}/map.xml\n"
    web.pages["/robots.txt"] = Answer(200, robots.encode())
    assert Crawl(web, tmp_path, excluded=("/lamps",)).urls() == ["/", "/ropes"]
    assert not {"/boats", "/lamps"} & set(web.paths())


def test_some_entries_on_other_hosts_among_ours_are_left_out(web: Web, tmp_path: Path) -> None:
    list_pages(web, "/two.xml", "", *(f"/boats?tour={number}" for number in range(5)))
    web.pages["/robots.txt"] = Answer(
        200, f"Sitemap: {web.base_url}/map.xml\nSitemap: {web.base_url}/two.xml\n".encode()
    )
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/boats"]
    assert warnings_of(crawl) == "4 sitemap entries on other hosts were skipped"


def test_most_entries_say_where_the_site_is_published(web: Web, tmp_path: Path) -> None:
    """One entry on the crawled host does not make the others another site's; where they does not serve, it does."""
    list_pages(web, "/two.xml", "", "/boats")
    robots = f"Sitemap: {web.base_url}/map.xml\nSitemap: {web.base_url}/two.xml\n"
    web.pages["/robots.txt"] = Answer(200, robots.encode())
    assert Crawl(web, tmp_path).urls() == ["/", "/boats", "/lamps", "/ropes"]
    list_pages(web, "/map.xml", LIVE, "/prices", "/tickets")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/boats"]
    assert crawl.source.report.complete
    assert "does not serve" in warnings_of(crawl)


def test_a_sitemap_of_the_host_beside_the_site_is_none_of_another_host(web: Web, tmp_path: Path) -> None:
    list_pages(web, "/map.xml", "", "/files/a.pdf", f"{LIVE}/prices")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert crawl.source.report.complete


def test_the_host_that_is_named_most_is_the_published_one(web: Web, tmp_path: Path) -> None:
    listed = [f"{LIVE}/boats", "https://cdn.test/ropes", f"{LIVE}/lamps", "http://[", "mailto:a@b.test"]
    list_pages(web, "/map.xml", "", *listed)
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/boats", "/lamps"]
    assert LIVE in warnings_of(crawl)


CANONICAL = "<head><link rel='canonical' href='{0}{1}'></head><body><main>{2}</main></body>"


def canonical(web: Web, host: str, path: str, body: str) -> None:
    web.pages[path] = Answer(200, CANONICAL.format(host, path, body).encode())


def test_absolute_links_of_a_page_that_says_where_it_is_published_are_followed(web: Web, tmp_path: Path) -> None:
    """Generators that write the published address into every link have no other ones."""
    del web.pages["/robots.txt"]
    canonical(web, LIVE, "/", f"<a href='{LIVE}/boats'>Boats</a> <a href='https://elsewhere.test/ropes'>Ropes</a>")
    canonical(web, LIVE, "/boats", f"<a href='{LIVE}/lamps/'>Lamps</a>")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/boats", "/lamps"]
    assert crawl.source.report.complete
    assert warnings_of(crawl).count(f'set project.base_url = "{LIVE}"') == 1


def test_a_canonical_address_of_another_page_says_nothing_of_links(web: Web, tmp_path: Path) -> None:
    del web.pages["/robots.txt"]
    web.pages["/"] = Answer(200, CANONICAL.format(LIVE, "/original", f"<a href='{LIVE}/boats'>Boats</a>").encode())
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/"]
    assert warnings_of(crawl) == ""


def test_a_canonical_address_without_such_links_is_no_news(web: Web, tmp_path: Path) -> None:
    del web.pages["/robots.txt"]
    canonical(web, LIVE, "/", f"<a href='boats'>Boats</a> <a href='{LIVE}/boats'>Boats</a>")
    crawl = Crawl(web, tmp_path)
    assert crawl.urls() == ["/", "/boats"]
    assert warnings_of(crawl) == ""


@pytest.mark.parametrize("live", [f"{LIVE}/docs", f"{LIVE}/m"])
def test_a_site_under_a_path_is_published_under_the_same(web: Web, tmp_path: Path, live: str) -> None:
    """Under another one the paths say nothing, so nothing is taken for ours."""
    for path in ("/docs/", "/docs/boats", "/docs/lamps"):
        web.html(path, "<p>A page.</p>")
    web.html("/docs/ropes", f"<a href='{live}/boats'>Boats</a>")
    list_pages(web, "/map.xml", live, "/ropes", "/lamps")
    site = Site(tmp_path / "site")
    (site.root / "searchsocket.toml").write_text(
        f'embeddings.provider = "hash"\nsource.mode = "crawl"\nsource.crawl.base_url = "{web.base_url}/docs"\n'
    )
    summary = site.index()
    same = live.endswith("/docs")
    assert site.urls() == ({"/boats", "/lamps", "/ropes"} if same else {"/"})
    assert any("so none was deleted" in warning for warning in summary.warnings) is not same


def test_a_preview_deletes_no_page_that_its_sitemap_names_elsewhere(web: Web, tmp_path: Path) -> None:
    """The site was indexed from its own sitemap; then its build began to name the published host."""
    site = Site(tmp_path / "site")
    (site.root / "searchsocket.toml").write_text(
        f'embeddings.provider = "hash"\nsource.mode = "crawl"\nsource.crawl.base_url = "{web.base_url}"\n'
    )
    list_pages(web, "/map.xml", "", "/boats", "/lamps", "/ropes")
    site.index(accept_large_deletion=True)
    list_pages(web, "/map.xml", LIVE, "/boats", "/lamps", "/ropes")
    site.index(accept_large_deletion=True)
    assert site.urls() == {"/boats", "/lamps", "/ropes"}
    list_pages(web, "/map.xml", LIVE, "/prices", "/tickets")
    site.index(accept_large_deletion=True)
    assert site.urls() >= {"/boats", "/lamps", "/ropes"}
