"""Languages of a site from run to run."""

from pathlib import Path

import pytest
from pipeline.conftest import Site

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
