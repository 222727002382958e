"""Languages of a site from run to run."""

from pathlib import Path

import pytest
from pipeline.conftest import Site

from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service

TEXT = {
    "": "Start the lantern with a match.",
    "de/": "Die Laterne mit einem Streichholz starten.",
    "ja/": "ランタンを点ける。",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site of two pages in three languages, which no page states."""
    (tmp_path / "build").mkdir()
    site = Site(tmp_path)
    for folder, text in TEXT.items():
        write(site, folder, text)
    (tmp_path / "searchsocket.toml").write_text('[embeddings]\nprovider = "hash"\n')
    return site


def write(site: Site, folder: str, text: str) -> None:
    for name, title in (("lantern/index.html", "Lantern"), ("index.html", "Lighthouse")):
        page = site.root / "build" / folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<title>{title}</title><h1>{title}</h1><p>{text} {title}</p>", encoding="utf-8")


def languages(site: Site) -> dict[str, str]:
    return {record.page.url: record.page.language for record in site.records() if record.page.url[1:3] in ("de", "ja")}


def test_pages_get_the_language_of_their_folder_until_it_is_none(site: Site) -> None:
    site.index()
    assert languages(site) == {"/de": "de", "/de/lantern": "de", "/ja": "ja", "/ja/lantern": "ja"}
    for name in ("de/lantern/index.html", "ja/index.html", "ja/lantern/index.html"):
        site.delete(name)
    site.index()
    assert languages(site) == {"/de": ""}


def test_a_run_that_changes_nothing_writes_nothing(site: Site) -> None:
    site.index()
    before = site.mirror()
    site.index()
    assert site.mirror() == before


def notes(site: Site, language: str) -> list[str]:
    query = SearchQuery("lantern", filters=(("language", (language,)),))
    return [note.message for note in open_service(site.project, {}).search(query, site.project.scope({})).meta.notes]


def test_a_search_in_a_language_that_no_page_has_says_which_there_are(site: Site) -> None:
    site.index()
    assert notes(site, "de") == []
    assert notes(site, "fr") == ["no page of this scope is in fr; its languages are de, en, ja"]


def test_a_search_in_a_language_of_a_site_without_any_says_so(tmp_path: Path) -> None:
    site = Site(tmp_path)
    for page in (tmp_path / "build").rglob("*.html"):
        page.write_text(page.read_text(encoding="utf-8").replace("<html lang=en>", "<html>"), encoding="utf-8")
    (tmp_path / "searchsocket.toml").write_text('[embeddings]\nprovider = "hash"\n')
    site.index()
    assert notes(site, "en") == ["no page of this scope states a language"]
