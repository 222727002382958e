"""Versions of a site from run to run: what is indexed, embedded, searched by default, and what changes with an edit."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pipeline.conftest import Site

from search_api.app import create_app
from searchsocket.errors import ConfigError, UnknownVersion
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import SearchService, open_service
from searchsocket.web.versions.names import version_names
from tests.api_client import Api

INSTALL = "<p>Unpack the archive with a sextant. See <a href='../usage/'>usage</a>.</p>"
USAGE = "<p>Start the lighthouse lantern with a match.</p>"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site of two pages in three versions, and one page beside them."""
    (tmp_path / "build").mkdir()
    site = Site(tmp_path)
    for name in ("1.0", "2.0", "3.0"):
        write(site, name)
    (tmp_path / "searchsocket.toml").write_text('[embeddings]\nprovider = "hash"\n')
    return site


def write(site: Site, name: str, install: str = INSTALL, usage: str = USAGE) -> None:
    site.write(f"{name}/install/index.html", "Install", install)
    site.write(f"{name}/usage/index.html", "Usage", usage)
    site.write(f"{name}/index.html", "Docs", "<p>The documentation of the lighthouse.</p>")


def ask(site: Site, q: str, **fields: object) -> SearchAnswer:
    service: SearchService = open_service(site.project, {})
    return service.search(SearchQuery(q, **fields), site.project.scope({}))  # type: ignore[arg-type]


def result_urls(site: Site, q: str, **fields: object) -> list[str]:
    return [result.href for result in ask(site, q, **fields).results]


def stored(site: Site) -> dict[str, tuple[str, ...]]:
    """The versions of each page of the index."""
    return {
        record.page.url: version_names(record.page.facets)
        for record in site.records()
        if record.page.url[1:2] in tuple("123")
    }


def test_pages_that_say_the_same_are_indexed_once(site: Site) -> None:
    """Nothing is embedded twice, and the mirror has one file."""
    summary = site.index()
    assert stored(site) == dict.fromkeys(("/3.0", "/3.0/install", "/3.0/usage"), ("3.0", "2.0", "1.0"))
    assert summary.skip_reasons["duplicate"] == 6
    assert not [name for name in site.mirror() if name.startswith(("1.0", "2.0"))]
    assert [version["name"] for version in summary.versions] == ["3.0", "2.0", "1.0"]
    assert [entry["name"] for entry in summary.versions if entry["default"]] == ["3.0"]


def test_the_newest_is_searched_and_any_other_on_request(site: Site) -> None:
    """A result of a shared page opens in the version that was searched."""
    write(site, "1.0", install="<p>Build it from its source with a compiler.</p>")
    site.index()
    assert "/1.0/install/" not in result_urls(site, "install compiler sextant")
    assert result_urls(site, "install compiler", version=("1.0",))[0] == "/1.0/install/"
    assert result_urls(site, "lighthouse lantern match", version=("1.0",))[0] == "/1.0/usage/"
    assert result_urls(site, "lighthouse lantern match", version=("2.0", "1.0"))[0] == "/2.0/usage/"
    assert result_urls(site, "lighthouse lantern match", version=("/1.0/install/",))[0] == "/1.0/usage/"
    assert {"/1.0/install/", "/3.0/install/"} <= set(result_urls(site, "install", version=("all",)))
    assert "/blog/second" in result_urls(site, "lighthouse lantern", version=("1.0",))
    with pytest.raises(UnknownVersion, match="did you mean '1.0'"):
        result_urls(site, "install", version=("1.1",))


def test_an_answer_names_its_versions(site: Site) -> None:
    site.index()
    answer = ask(site, "lighthouse lantern match", version=("2.0",))
    assert (answer.results[0].version, set(answer.results[0].versions)) == ("2.0", {"1.0", "2.0", "3.0"})
    assert answer.versions
    assert (answer.versions.searched, answer.versions.default) == (("2.0",), ("3.0",))
    assert [entry.name for entry in answer.versions.available] == ["3.0", "2.0", "1.0"]


def test_a_directory_of_a_version_is_that_version(site: Site) -> None:
    """Also where the pages are stored in another one."""
    write(site, "1.0", install="<p>Build it from its source with a compiler.</p>")
    site.index()
    assert set(result_urls(site, "install usage docs lighthouse", path_prefix="/1.0")) == {
        "/1.0/",
        "/1.0/install/",
        "/1.0/usage/",
    }
    assert result_urls(site, "lantern install", path_prefix="/2.0/usage") == ["/2.0/usage/"]
    assert result_urls(site, "lantern install", path_prefix="/2.0/nowhere") == []


def test_a_shared_page_is_read_at_each_of_its_addresses(site: Site) -> None:
    site.index()
    service, scope = open_service(site.project, {}), site.project.scope({})
    page = service.page("/1.0/usage", scope).page
    assert (page.facts.url, "lantern" in page.body) == ("/1.0/usage", True)
    related = service.related("/1.0/usage", scope)
    assert "/1.0/install" in [result.url for result in related.results]


def test_a_page_that_begins_to_differ_gets_its_own_records(site: Site) -> None:
    site.index()
    write(site, "2.0", usage="<p>Start the lantern with an electric switch.</p>")
    summary = site.index()
    assert stored(site)["/2.0/usage"] == ("2.0",)
    assert stored(site)["/3.0/usage"] == ("3.0", "1.0")
    assert summary.records["deleted"] == 0
    write(site, "2.0")
    site.index()
    assert "/2.0/usage" not in stored(site)
    assert stored(site)["/3.0/usage"] == ("3.0", "2.0", "1.0")


def test_a_new_version_becomes_the_default_and_embeds_only_what_is_new(site: Site) -> None:
    site.index()
    write(site, "4.0", install="<p>Install it by asking the harbour master.</p>")
    summary = site.index()
    assert summary.embeddings["created"] == 1  # the section of the page that is new
    assert result_urls(site, "lighthouse lantern match")[0] == "/4.0/usage/"
    assert result_urls(site, "unpack the archive sextant", version=("3.0",))[0] == "/3.0/install/"


def test_a_version_that_is_removed_is_gone(site: Site) -> None:
    write(site, "3.0", install="<p>Only in the newest version.</p>")
    site.index()
    for name in ("install/index.html", "usage/index.html", "index.html"):
        site.delete(f"3.0/{name}")
    site.index()
    assert stored(site) == dict.fromkeys(("/2.0", "/2.0/install", "/2.0/usage"), ("2.0", "1.0"))
    assert result_urls(site, "lighthouse lantern match")[0] == "/2.0/usage/"


def test_a_run_without_changes_publishes_nothing(site: Site) -> None:
    first = site.index()
    second = site.index()
    assert second.generation == first.generation
    assert second.records == {"upserted": 0, "deleted": 0}


def test_another_default_is_published_without_any_change_of_a_page(site: Site) -> None:
    """Pages that differ everywhere keep their records; only what is searched changes."""
    for name in ("1.0", "2.0", "3.0"):
        write(site, name, install=f"<p>Install release {name}.</p>", usage=f"<p>Use release {name}.</p>")
        site.write(f"{name}/index.html", "Docs", f"<p>Documentation of {name}.</p>")
    first = site.index()
    settings = (site.root / "searchsocket.toml").read_text()
    (site.root / "searchsocket.toml").write_text(f'{settings}[versions]\ndefault = "1.0"\n')
    second = site.index()
    assert second.generation != first.generation
    assert second.records == {"upserted": 0, "deleted": 0}
    assert result_urls(site, "install release")[0] == "/1.0/install/"


def test_an_unknown_default_is_an_error_that_names_the_nearest(site: Site) -> None:
    site.index()
    settings = (site.root / "searchsocket.toml").read_text()
    (site.root / "searchsocket.toml").write_text(f'{settings}[versions]\ndefault = "3.1"\n')
    with pytest.raises(ConfigError, match="did you mean 3.0"):
        site.index()


def test_links_of_copies_are_not_counted(site: Site) -> None:
    """Else a page of seventeen versions would seem to be linked seventeen times as often."""
    site.index()
    links = {record.page.url: record.page.incoming_links for record in site.records()}
    assert links["/3.0/usage"] == 1
    write(site, "1.0", install="<p>Other words, the same <a href='../usage/'>link</a>.</p>")
    site.index()
    links = {record.page.url: record.page.incoming_links for record in site.records()}
    assert links["/3.0/usage"] == 2


def test_a_branch_that_starts_as_a_copy_has_the_same_versions(site: Site) -> None:
    site.index()
    site.index("feature")
    assert {record.page.url: record.page.facets for record in site.records("feature")} == {
        record.page.url: record.page.facets for record in site.records()
    }
    assert {record.page.url for record in site.records("feature") if record.page.url[1:2] in ("1", "2")} == set()


def test_the_service_takes_versions_in_every_form(site: Site) -> None:
    """A body takes one or a list, a query string repeats; an unknown name is not found."""
    write(site, "1.0", install="<p>Build it from its source with a compiler.</p>")
    site.index()
    api = Api(create_app(site.project, environ={}), "127.0.0.1", "http://localhost:8181")
    bodies = ({"version": "1.0"}, {"version": ["1.0"]}, {"version": "/1.0/usage/"}, {"opts": {"version": "1.0"}})
    first = [api.post({"q": "install compiler", **body}).json()["results"][0] for body in bodies]
    first.append(api.get("/api/search?q=install+compiler&version=1.0").json()["results"][0])
    assert {(result["href"], result["version"]) for result in first} == {("/1.0/install/", "1.0")}
    both = api.get("/api/search?q=install&version=1.0&version=3.0").json()
    assert both["versions"]["searched"] == ["1.0", "3.0"]
    occurrences = api.get("/api/find?q=lantern&version=2.0&pathPrefix=/2.0").json()["occurrences"]
    assert {occurrence["href"].split("#")[0] for occurrence in occurrences} == {"/2.0/usage/"}
    for url in ("/api/search?q=install&version=9", "/api/find?q=install&version=9"):
        answer = api.get(url)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "UNKNOWN_VERSION")


def test_agents_are_told_of_the_newest_release_alone(site: Site) -> None:
    """`llms.txt` lists each page once, whatever the number of versions."""
    write(site, "1.0", install="<p>Build it from its source with a compiler.</p>")
    site.index()
    text = Api(create_app(site.project, environ={}), "127.0.0.1", "http://localhost:8181").get("/llms.txt").text
    assert "/3.0/install" in text
    assert "/1.0/" not in text


def test_the_search_page_offers_the_versions(site: Site) -> None:
    """Without scripts; the default one comes first and has no value."""
    site.write("1.0/install/index.html", "Install", "<p>Unpack the old archive.</p>")
    site.index()
    api = Api(create_app(site.project, environ={}), "127.0.0.1", "http://localhost:8181")
    menu = BeautifulSoup(api.get("/?q=unpack&version=1.0").content, "lxml").select_one("select[name=version]")
    assert menu is not None
    assert [(element.text, element["value"]) for element in menu.select("option")] == [
        ("3.0", ""),
        ("2.0", "2.0"),
        ("1.0", "1.0"),
    ]
    assert [item["value"] for item in menu.select("option[selected]")] == ["1.0"]
    hidden = BeautifulSoup(api.get("/").content, "lxml").select_one("label[data-versions]")
    assert hidden is not None
    assert "hidden" in hidden.attrs
