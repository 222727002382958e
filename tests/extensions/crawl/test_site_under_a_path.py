"""A site that lies under a path of its host, crawled and as a build: the same pages, links and routes."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from searchsocket.errors import ConfigError
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.settings.model import Settings
from searchsocket.sources import configured_site
from tests.pipeline.conftest import Site
from tests.sources.web import Answer, Web, serve

HOME = (
    "<p>Welcome to the museum.</p><a href='guide'>Guide</a> <a href='/docs/boats#mast'>The boats</a> "
    "<a href='/blog/news'>News of the host</a> <a href='/docs-old/boats'>Old</a> <a href='../other'>Other</a>"
)
GUIDE = "<p>How to get here.</p><a href='boats'>Boats</a> <a href='./'>Home</a> <a href='{origin}/docs/lamps'>Lamps</a>"
BOATS = "<h2 id='mast'>Mast</h2><p>Whaling boats from the fjord.</p><a href='{origin}/blog/news'>News</a>"
LAMPS = "<p>The lantern of the lighthouse.</p><a href='/guide'>A guide elsewhere on the host</a> <a href='#x'>x</a>"
PAGES = {"/docs/": HOME, "/docs/guide": GUIDE, "/docs/boats": BOATS, "/docs/lamps": LAMPS}
URLS = {"/", "/guide", "/boats", "/lamps"}
ELSEWHERE = ("/blog/news", "/other", "/guide", "/docs-old/boats", "/boats", "/lamps", "/")


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        for path, body in PAGES.items():
            web.html(path, body.format(origin=web.base_url))
        for path in ELSEWHERE:
            web.html(path, "<p>Another site of the host.</p>")
        yield web


@pytest.fixture
def empty(tmp_path: Path) -> Site:
    """A project with routes and without a build."""
    site = Site(tmp_path / "site")
    for page in sorted((site.root / "build").rglob("*.html")):
        page.unlink()
    for route in ("", "guide/", "boats/", "[name]/"):
        path = site.root / "src/routes" / route / "+page.svelte"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<h1>Page</h1>")
    return site


def configure(site: Site, text: str) -> None:
    (site.root / "searchsocket.toml").write_text(f'embeddings.provider = "hash"\n{text}')


def crawled(site: Site, web: Web, **keys: str) -> Site:
    lines = [
        f'source.crawl.{key} = "{value}"\n' for key, value in ({"base_url": f"{web.base_url}/docs"} | keys).items()
    ]
    configure(site, 'source.mode = "crawl"\n' + "".join(lines))
    return site


def built(site: Site, web: Web, layout: str) -> Site:
    for path, body in PAGES.items():
        name = path.removeprefix("/docs/") or "index"
        site.write(layout.format(name=name), path, body.format(origin=web.base_url))
    configure(site, f'project.base_url = "{web.base_url}/docs/"\n')
    return site


def facts(site: Site) -> dict[str, tuple[int, int, str, str]]:
    """Return the facts of each page in the index: links in and out, route file, and resolution."""
    return {
        record.page.url: (
            record.page.incoming_links,
            outgoing(site, record.page.url),
            record.page.route_file,
            record.page.route_resolution,
        )
        for record in site.records()
    }


def outgoing(site: Site, url: str, scope: str = "main") -> int:
    """The number of pages that a page links to, as its mirror file says."""
    text = site.mirror(scope)[f"{url.removeprefix('/') or 'index'}.md"]
    return int(re.findall(r"^outgoingLinks: (\d+)$", text, re.MULTILINE)[0])


EXPECTED = {
    "/": (1, 2, "src/routes/+page.svelte", "exact"),
    "/guide": (1, 3, "src/routes/guide/+page.svelte", "exact"),
    "/boats": (2, 0, "src/routes/boats/+page.svelte", "exact"),
    "/lamps": (1, 0, "src/routes/[name]/+page.svelte", "exact"),
}
MAKE: dict[str, Callable[[Site, Web], Site]] = {
    "crawl": crawled,
    "build without the path": lambda site, web: built(site, web, "{name}.html"),
    "build below the path": lambda site, web: built(site, web, "docs/{name}.html"),
}


@pytest.mark.parametrize("way", MAKE)
def test_pages_links_and_routes_leave_the_path_out(empty: Site, web: Web, way: str) -> None:
    """The same site in three ways: links that are relative, below the path, beside it, and absolute to the host."""
    site = MAKE[way](empty, web)
    summary = site.index()
    assert facts(site) == EXPECTED
    assert summary.warnings == ()
    mirror = "\n".join(site.mirror().values())
    assert "(/boats#mast)" in mirror
    assert "(/lamps)" in mirror
    assert f"({web.base_url}/blog/news)" in mirror


def test_a_crawl_stays_below_its_path(empty: Site, web: Web) -> None:
    crawled(empty, web).index()
    assert not {request.path for request in web.requests} - {"/robots.txt", *PAGES}


def test_a_root_without_its_slash_has_the_links_of_a_browser(empty: Site, web: Web) -> None:
    """SvelteKit serves the root of a base path so, and writes its links for it."""
    web.pages["/docs/"] = Answer(308, headers={"Location": "/docs"})
    web.html("/docs", HOME.replace("'guide'", "'./docs/guide'"))
    site = crawled(empty, web)
    site.index()
    assert facts(site) == EXPECTED


def test_a_redirect_off_the_path_is_no_page_of_the_site(empty: Site, web: Web) -> None:
    web.pages["/docs/lamps"] = Answer(301, headers={"Location": "/lamps"})
    source = crawled(empty, web).run().make_source()
    assert {page.url for page in source.pages()} == URLS - {"/lamps"}
    assert source.report.skipped == {"/lamps": "redirects outside the base path"}


def test_robots_txt_of_the_host_is_read_with_the_whole_path(empty: Site, web: Web) -> None:
    rules = b"User-agent: *\nDisallow: /docs/lamps\nDisallow: /boats\n"
    web.pages["/robots.txt"] = Answer(200, rules, {"Content-Type": "text/plain"})
    site = crawled(empty, web)
    site.index()
    assert site.urls() == URLS - {"/lamps"}


def test_of_a_sitemap_of_the_host_the_pages_below_the_path_are_taken(empty: Site, web: Web) -> None:
    listed = [f"{web.base_url}{path}" for path in ("/docs/lamps", "/lamps", "/docs-old/boats", "/docs/")]
    sitemap = "".join(f"<url><loc>{url}</loc></url>" for url in listed)
    web.pages["/robots.txt"] = Answer(200, f"Sitemap: {web.base_url}/map.xml\n".encode())
    web.pages["/map.xml"] = Answer(200, f"<urlset>{sitemap}</urlset>".encode())
    crawled(empty, web)
    with (empty.root / "searchsocket.toml").open("a") as file:
        file.write("source.crawl.discover = false\n")
    empty.index()
    assert empty.urls() == {"/", "/lamps"}


def test_a_sitemap_that_names_no_page_below_the_path_is_no_end(empty: Site, web: Web) -> None:
    web.pages["/robots.txt"] = Answer(200, f"Sitemap: {web.base_url}/map.xml\n".encode())
    web.pages["/map.xml"] = Answer(200, f"<urlset><url><loc>{web.base_url}/lamps</loc></url></urlset>".encode())
    site = crawled(empty, web)
    site.index()
    assert site.urls() == URLS


def test_a_sitemap_address_is_below_the_path(empty: Site, web: Web) -> None:
    sitemap = f"<urlset><url><loc>{web.base_url}/docs/lamps</loc></url></urlset>"
    web.pages["/docs/map.xml"] = Answer(200, sitemap.encode())
    site = crawled(empty, web, sitemap_url="/map.xml")
    site.index()
    assert site.urls() == {"/lamps"}


def test_a_preview_reads_the_sitemap_of_the_published_site(empty: Site, web: Web) -> None:
    """A build contains its published address everywhere; it stands for the page of this preview."""
    listed = "".join(f"<url><loc>https://museum.example/m/{name}</loc></url>" for name in ("lamps", "boats"))
    web.pages["/robots.txt"] = Answer(200, b"Sitemap: https://museum.example/m/map.xml\n")
    web.pages["/docs/map.xml"] = Answer(200, f"<urlset>{listed}</urlset>".encode())
    web.html("/docs/lamps", "<p>Lamps.</p><a href='https://museum.example/m/boats'>Boats</a>")
    crawled(empty, web)
    with (empty.root / "searchsocket.toml").open("a") as file:
        file.write('project.base_url = "https://museum.example/m"\n')
    empty.index()
    assert facts(empty)["/boats"][0] == 1
    assert empty.urls() == {"/boats", "/lamps"}


def test_each_scope_has_its_own_path(empty: Site, web: Web) -> None:
    """Pages with the same bytes under another path say other things."""
    for branch in ("one", "two"):
        web.html(f"/{branch}/", "<p>Welcome.</p><a href='/one/boats'>Boats</a>")
        web.html(f"/{branch}/boats", "<p>Whaling boats.</p>")
    home = web.pages["/one/"]
    web.pages["/two/"] = home
    configure(empty, f'source.mode = "crawl"\nsource.crawl.base_url = "{web.base_url}/{{scope}}"\n')
    empty.index("one")
    empty.index("two")
    assert empty.urls("one") == {"/", "/boats"}
    assert empty.urls("two") == {"/"}
    assert outgoing(empty, "/", "two") == 0


def test_the_base_path_is_added_to_an_address_without_one_and_never_contradicts_it(empty: Site, web: Web) -> None:
    crawled(empty, web, base_url=web.base_url)
    with (empty.root / "searchsocket.toml").open("a") as file:
        file.write('source.base_path = "/docs"\n')
    empty.index()
    assert facts(empty) == EXPECTED
    crawled(empty, web)
    with (empty.root / "searchsocket.toml").open("a") as file:
        file.write('source.base_path = "/m"\n')
    with pytest.raises(ConfigError, match=r"source\.base_path is /m but source\.crawl\.base_url has the path /docs"):
        empty.index()


def test_a_host_is_asked_anew_when_the_address_changes(empty: Site, web: Web) -> None:
    """Two hosts may well use the same ETag for different pages."""
    for path in ("/one/", "/two/"):
        body = f"<main><p>The page {path}</p></main>".encode()
        web.pages[path] = lambda request, body=body: (
            Answer(304) if request.headers.get("If-None-Match") == '"1"' else Answer(200, body, {"ETag": '"1"'})
        )
        crawled(empty, web, base_url=web.base_url + path).index()
    assert "The page /two/" in empty.mirror()["index.md"]


def test_a_login_in_the_address_is_sent_and_never_shown(empty: Site, web: Web) -> None:
    with_login = web.base_url.replace("//", "//reader:p%40ss@")
    web.pages["/docs/lamps"] = Answer(500)
    crawled(empty, web, base_url=f"{with_login}/docs")
    source = empty.run(options=RunOptions()).make_source()
    pages = list(source.pages())
    assert {page.url for page in pages} == URLS - {"/lamps"}
    assert {request.headers.get("Authorization") for request in web.requests} == {"Basic cmVhZGVyOnBAc3M="}
    assert "p%40ss" not in repr((pages, source.report))
    assert source.report.failed["/lamps"].startswith(f"{web.base_url}/docs/lamps answered 500")


@pytest.mark.parametrize("address", ["http:// x/", "http:", "//", "ftp://h", "javascript:alert(1)"])
def test_an_address_that_is_not_http_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="starts with http"):
        Settings.model_validate({"project": {"base_url": address}})


@pytest.mark.parametrize("path", ["http://h/" + "a" * 3000, "http://h/%00"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    settings = Settings.model_validate({"project": {"base_url": path}})
    with pytest.raises(ConfigError, match=r"project\.base_url"):
        configured_site(settings, None, "main")
