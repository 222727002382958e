"""The address and the name of a page stay separate, from the source to every answer (spec 8.2)."""

import pytest
from older_index import make_older

from searchsocket.errors import PageMissing, PageNotFound
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import SearchService, open_service
from tests.file_server import file_server
from tests.pipeline.conftest import Site
from tests.sources.web import serve

MANUAL = {
    "index.html": ("Manual", "<p>Welcome to <a href='wal.html'>the log</a> or <a href='docs/'>the guides</a>.</p>"),
    "wal.html": ("Write-ahead log", "<h2 id='keeping'>Keeping it</h2><p>It stays; <a href='docs/'>guides</a>.</p>"),
    "docs/index.html": ("Guides", "<p>Of <a href='../wal.html'>the log</a>, and of lanterns and ropes.</p>"),
    "docs/lamps.html": ("Lamps", "<p>Lanterns burn oil. Read of <a href='../wal.html'>the log</a>.</p>"),
}  # fmt: skip
PLAIN = {"/": "/", "/wal": "/wal.html", "/docs": "/docs/", "/docs/lamps": "/docs/lamps.html"}


@pytest.fixture
def manual(site: Site) -> Site:
    for path in sorted((site.root / "build").rglob("*.html")):
        path.unlink()
    for file, (title, body) in MANUAL.items():
        site.write(file, title, body)
    site.write("docs/index.html", "Guides", MANUAL["docs/index.html"][1] + "<a href='lamps.html'>Lamps</a>")
    configure(site, "")
    return site


def configure(site: Site, toml: str) -> None:
    (site.root / "searchsocket.toml").write_text(f'[embeddings]\nprovider = "hash"\n{toml}')


def opened(site: Site) -> dict[str, str]:
    """Return the address of each page of the index."""
    return {record.page.url: record.page.address or record.page.url for record in site.records()}


def service(site: Site) -> SearchService:
    return open_service(site.project, {})


def test_every_answer_opens_on_a_plain_host(manual: Site) -> None:
    """Results, their sections, related pages and pages: each says what opens it."""
    manual.index()
    assert opened(manual) == PLAIN
    answers, scope = service(manual), manual.project.scope_named("main")
    results = answers.search(SearchQuery("keeping the log"), scope).results
    [wal] = [result for result in results if result.url == "/wal"]
    assert {wal.href, *(section.href for section in wal.sections)} == {"/wal.html", "/wal.html#keeping"}
    near = answers.related("/wal.html", scope).results
    assert {page.url: page.href for page in near} == {url: PLAIN[url] for url in PLAIN if url != "/wal"}
    assert [page.url for page in near if page.is_linked] == ["/docs"]


def test_a_page_is_asked_for_by_its_name_or_its_address(manual: Site) -> None:
    manual.index()
    answers, scope = service(manual), manual.project.scope_named("main")
    for path in ("wal", "/wal.html", "wal.md"):
        assert answers.page(path, scope).answer().href == "/wal.html"
    for path in ("docs", "docs/", "docs/index.html", "/docs/index.md"):
        assert answers.page(path, scope).answer().url == "/docs"
    with pytest.raises(PageMissing):
        answers.page("wal.htmlx", scope)


def test_below_a_path_of_the_host_a_page_is_asked_for_by_its_address_too(manual: Site) -> None:
    """It begins with the path; the page's own name does not."""
    configure(manual, '[source]\nbase_path = "/manual"\n')
    manual.index()
    answers, scope = service(manual), manual.project.scope_named("main")
    for path in ("/manual/wal.html", "manual/wal", "wal", "wal.html"):
        assert answers.page(path, scope).answer().href == "/manual/wal.html"
        assert answers.related(f"/{path.strip('/')}", scope).results
    assert answers.page("/manual/", scope).answer().url == "/"
    with pytest.raises(PageNotFound):
        answers.related("/manual/nope", scope)


@pytest.mark.parametrize("prefix", ["/docs", "docs/", "/docs/index.html"])
def test_a_prefix_may_be_an_address(prefix: str, manual: Site) -> None:
    """It holds the page and all below it, in whatever form it is written."""
    manual.index()
    query = SearchQuery("lanterns log", path_prefix=prefix)
    results = service(manual).search(query, manual.project.scope_named("main")).results
    assert {result.url for result in results} == {"/docs", "/docs/lamps"}


def test_links_in_any_form_are_links_to_the_page(manual: Site) -> None:
    """The mirror says what opens the page, and links of the site count for it."""
    manual.index()
    text = manual.mirror()["wal.md"]
    assert text.startswith('---\nurl: "/wal"\naddress: "/wal.html"\n')
    assert "incomingLinks: 3\noutgoingLinks: 1\n" in text
    assert "address" not in manual.mirror()["index.md"]


def test_a_page_has_its_route_whatever_opens_it(manual: Site) -> None:
    """Routes have no suffix, and neither has the page."""
    route = manual.root / "src/routes/wal/+page.svelte"
    route.parent.mkdir(parents=True)
    route.touch()
    manual.index()
    assert opened(manual)["/wal"] == "/wal.html"
    routes = {record.page.url: (record.page.route_file, record.page.route_resolution) for record in manual.records()}
    assert routes["/wal"] == ("src/routes/wal/+page.svelte", "exact")


def test_another_form_is_the_same_site(manual: Site) -> None:
    """No page goes, none comes twice, and nothing is embedded: only what opens the pages is another."""
    first = manual.index()
    configure(manual, '[urls]\nstyle = "clean"\n')
    second = manual.index()
    assert opened(manual) == {"/": "/", "/wal": "/wal", "/docs": "/docs", "/docs/lamps": "/docs/lamps"}
    assert (second.embeddings["created"], second.records["deleted"], second.pages["removed"]) == (0, 0, 0)
    assert second.pages["indexed"] == first.pages["indexed"] == 4
    assert second.source["addresses"] == "/page and /folder (urls.style)"


def test_a_site_that_turns_to_another_form_is_read_anew(manual: Site) -> None:
    """The form of addresses is stored between runs, and follows the links of the site."""
    assert manual.index().source["addresses"] == "/page.html and /folder/ (3 of 3 links)"
    assert manual.index().source["addresses"] == "/page.html and /folder/ (3 of 3 links)"
    for path in sorted((manual.root / "build").rglob("*.html")):
        path.write_text(path.read_text().replace("wal.html", "wal").replace("lamps.html", "lamps"))
    summary = manual.index()
    assert summary.source["addresses"] == "/page and /folder/ (3 of 3 links)"
    assert summary.pages["removed"] == 0
    assert opened(manual) == {"/": "/", "/wal": "/wal", "/docs": "/docs/", "/docs/lamps": "/docs/lamps"}


def test_a_scope_may_turn_from_a_build_to_a_crawl(manual: Site) -> None:
    """The same pages under the same names: no guard asks, nothing is embedded, and every page is there once."""
    manual.index()
    with file_server(manual.root / "build") as address:
        configure(manual, f'[source]\nmode = "crawl"\n[source.crawl]\nbase_url = "{address}"\n')
        crawled = manual.index()
    assert opened(manual) == PLAIN
    assert (crawled.embeddings["created"], crawled.records["deleted"]) == (0, 0)


def test_a_page_with_a_query_is_requested_by_its_address(manual: Site) -> None:
    """Results link to the query; its own name, its address and its whole URL lead to it."""
    with serve() as web:
        web.html("/", "<p>Boats.</p><a href='/list?page=2&b=x%2Fy'>More</a>")
        web.html("/list?page=2&b=x%2Fy", "<p>Lanterns and ropes of the harbour.</p>")
        configure(
            manual,
            f'[source]\nmode = "crawl"\n[source.crawl]\nbase_url = "{web.base_url}"\n'
            'query_parameters = ["page", "b"]\n[project]\nbase_url = "https://example.com"\n',
        )
        manual.index()
    answers, scope = service(manual), manual.project.scope_named("main")
    name, address = "/list%3Fb=x%2Fy&page=2", "/list?page=2&b=x%2Fy"
    [result] = [
        result for result in answers.search(SearchQuery("lanterns harbour"), scope).results if result.url == name
    ]
    assert result.href == address
    for path in (name, address, f"https://example.com{address}", f"{address}#top"):
        assert answers.page(path, scope).answer().url == name
    assert answers.related(address, scope)


def test_an_index_of_another_version_is_built_again_whole(manual: Site) -> None:
    """It has no addresses; its vectors are in the cache."""
    manual.index()
    make_older(manual.project.state_dir / "index")
    for name in ("state.db", "state.db-wal", "state.db-shm"):
        (manual.project.state_dir / name).unlink(missing_ok=True)
    again = manual.index()
    assert (again.embeddings["created"], again.pages["indexed"]) == (0, 4)
    assert opened(manual) == PLAIN
