"""Links of the index open: every page of every real site is requested from a static host.

Where a site's own links end in `.html`, in `/` or in `index.html`, the host is a plain file server. A site that links
to `/page` lies on a host that looks for `page.html` there; such a one serves it here. `-rP` prints a line a site.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from searchsocket.extensions.crawl.settings import CrawlSettings
from searchsocket.extensions.crawl.source import CrawlSource
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project
from searchsocket.search.quoting.results import href
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.stores import make_store
from searchsocket.web.urls.resolve import SiteBase, site_base
from tests.file_server import file_server

SITES = Path(os.environ.get("SEARCHSOCKET_SITES", Path(__file__).parents[3] / "shared" / "sites"))
_AT_ONCE = 4


@dataclass(frozen=True)
class Built:
    """A build, and how its site writes addresses."""

    name: str
    form: str  # of `/page` and `/folder`
    folder: str = ""  # where one archive holds several
    base: str = ""  # what its own links begin with

    @property
    def id(self) -> str:
        return f"{self.name}-{self.folder}" if self.folder else self.name


BUILDS = [
    Built("bits-ui-docs", "/page and /folder/"),
    Built("django-3.2-docs", "/page.html and /folder/index.html"),
    Built("httpd-2.4-manual", "/page.html and /folder/index.html"),
    Built("kit-prerender-tests", "/page and /folder/", folder="basics"),
    Built("kit-prerender-tests", "/page and /folder/", folder="options", base="/path-base"),
    Built("kit-prerender-tests", "/page and /folder/", folder="paths-base", base="/path-base"),
    Built("networking-toolbox", "/page and /folder/"),
    Built("postgresql-15-manual", "/page.html and /folder/"),
    Built("rust-doc-1.63", "/page.html and /folder/index.html"),
    Built("smui-ghpages", "/page and /folder/"),
    Built("sqlite-3.40-docs", "/page.html and /folder/"),
    Built("stias-workshop", "/page and /folder/", base="/stias-dh-ai-workshop-2026"),
    Built("svelte-multiselect", "/page and /folder/"),
    Built("sveltepress-docs", "/page and /folder/"),
    Built("vue-docs", "/page.html and /folder/"),
]
INDEXED = [built for built in BUILDS if built.id in ("kit-prerender-tests-paths-base", "sveltepress-docs")]

pytestmark = [
    pytest.mark.sites,
    pytest.mark.skipif(not SITES.is_dir(), reason=f"no real sites at {SITES}; set SEARCHSOCKET_SITES"),
]
CRAWLED = [built for built in BUILDS if built.id in ("vue-docs", "sveltepress-docs", "stias-workshop")]
LARGE = ("rust-doc-1.63", "postgresql-15-manual", "sqlite-3.40-docs")
each_build = pytest.mark.parametrize(
    "built", [pytest.param(built, id=built.id, marks=pytest.mark.long if built.id in LARGE else ()) for built in BUILDS]
)
each_indexed = pytest.mark.parametrize("built", INDEXED, ids=lambda built: built.id)
each_crawled = pytest.mark.parametrize("built", CRAWLED, ids=lambda built: built.id)


def unpacked(built: Built, into: Path) -> Path:
    """The host's folder, in which the site lies at its base path."""
    archive = SITES / f"{built.name}.tar.xz"
    if not archive.exists():
        pytest.skip(f"no {archive}")
    shutil.unpack_archive(archive, into / "unpacked")
    build = next((into / "unpacked").rglob("build")) / built.folder
    if not built.base:
        return build
    at = into / "host" / built.base.removeprefix("/")
    at.parent.mkdir(parents=True)
    at.symlink_to(build, target_is_directory=True)
    return into / "host"


def dead(origin: str, addresses: Sequence[str]) -> list[str]:
    """The addresses that do not answer 200 at once, with what they answer."""
    parts = [addresses[at::_AT_ONCE] for at in range(_AT_ONCE)]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return sorted(
            line for dead_links in threads.map(lambda part: [*_dead(origin, part)], parts) for line in dead_links
        )


def _dead(origin: str, addresses: Iterable[str]) -> Iterator[str]:
    connection = HTTPConnection(urlsplit(origin).netloc)
    for address in addresses:
        connection.request("HEAD", quote(address, safe="/%"))
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            yield f"{address}: {answer.status}"
    connection.close()


@each_build
def test_every_page_answers_at_its_address(built: Built, tmp_path: Path) -> None:
    """Without a redirect: 100 of 100."""
    host = unpacked(built, tmp_path)
    source = StaticOutputSource(host / built.base.removeprefix("/"), site=SiteBase(built.base))
    addresses = [page.address or page.url for page in source.pages()]
    form = source.report.url_form
    assert form is not None
    assert form.describe().startswith(built.form)
    with file_server(host, clean_urls=form.flat == "clean") as origin:
        closed = dead(origin, addresses)
    print(f"{built.id}: {form.describe()}; {len(addresses) - len(closed):,} of {len(addresses):,} answer 200")
    assert closed == []


@each_indexed
def test_every_record_of_the_index_opens(built: Built, tmp_path: Path) -> None:
    """Results link to the addresses that the source states."""
    host = unpacked(built, tmp_path)
    (tmp_path / "searchsocket.toml").write_text(
        f'[source]\nstatic_output_dir = "{host / built.base.removeprefix("/")}"\nbase_path = "{built.base}"\n'
        '[embeddings]\nprovider = "hash"\n'
    )
    project = open_project(tmp_path, {})
    scope = project.scope_named("main")
    index_scope(ScopeRun(project, scope, "run"))
    store = make_store(project.settings.vector, project.state_dir, project.id)
    records = store.reader(scope).catalogue.records([record_id for record_id, _ in store.fingerprints(scope)])
    opened = sorted({href(record.page) for record in records})
    assert len(opened) > 1
    with file_server(host, clean_urls=True) as origin:
        assert dead(origin, opened) == []


@each_crawled
def test_a_crawl_finds_the_pages_of_the_build(built: Built, tmp_path: Path) -> None:
    """By the same names, and with the same addresses."""
    host = unpacked(built, tmp_path)
    source = StaticOutputSource(host / built.base.removeprefix("/"), site=SiteBase(built.base))
    built_pages = {page.url: page.address or page.url for page in source.pages()}
    form = source.report.url_form
    with file_server(host, clean_urls=form is not None and form.flat == "clean") as origin:
        address = origin + built.base
        crawl = CrawlSource(
            CrawlSettings(base_url=address),
            tmp_path / "crawl",
            address=address,
            site=site_base([address], built.base),
            excluded=lambda _: False,
            max_page_bytes=10_000_000,
        )
        crawled_pages = {page.url: page.address or page.url for page in crawl.pages()}
    assert len(crawled_pages) > 20
    assert crawled_pages.items() <= built_pages.items()
