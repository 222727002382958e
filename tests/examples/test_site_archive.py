"""The documentation site comes out of its archive by itself, once, and says what its sources say."""

import re
import tarfile
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

from examples import site_archive
from tests import docs_pages


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site of its own with an archive of one page."""
    monkeypatch.setattr(site_archive, "BUILD", tmp_path / "build")
    monkeypatch.setattr(site_archive, "ARCHIVE", tmp_path / "site.tar.xz")
    (tmp_path / "build/docs").mkdir(parents=True)
    (tmp_path / "build/docs/a.html").write_text("a page")
    site_archive.pack()
    return tmp_path


def test_packing_the_unpacked_site_gives_the_same_bytes(site: Path) -> None:
    """The archive changes only where a page does."""
    packed = (site / "site.tar.xz").read_bytes()
    site_archive.unpack()
    site_archive.pack()
    assert (site / "site.tar.xz").read_bytes() == packed
    with tarfile.open(site / "site.tar.xz") as archive:
        assert archive.getnames() == ["docs/a.html"]


def test_a_new_archive_replaces_what_was_unpacked(site: Path) -> None:
    site_archive.unpack()
    (site / "build/docs/a.html").rename(site / "build/b.html")
    site_archive.pack()
    (site / "build/old.html").write_text("of the archive before")
    assert sorted(path.name for path in site_archive.unpack().rglob("*.html")) == ["b.html"]


def test_an_unpacked_site_is_left_alone(site: Path) -> None:
    """Unpacking again would change the times of files that somebody reads."""
    page = site_archive.unpack() / "docs/a.html"
    page.write_text("edited")
    site_archive.unpack()
    assert page.read_text() == "edited"


VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")


def words_of(soup: Tag) -> list[str]:
    return re.findall(r"\w+", VERSION.sub("", soup.get_text(" ")))


@pytest.mark.long
def test_the_archive_has_the_text_of_its_sources() -> None:
    """A reader of the demo sees what the sources say now, except for the version; `make docs-site` makes it so."""
    built = site_archive.unpack()
    stale = {}
    for url, source in docs_pages.pages().items():
        files = [path for path in (built / f"{url}.html", built / url / "index.html") if path.is_file()]
        page = BeautifulSoup(files[0].read_bytes(), "lxml").main if files else None
        archive_words, expected = words_of(page) if page else [], words_of(source)
        changes = SequenceMatcher(None, expected, archive_words, autojunk=False).get_opcodes()
        lost = [" ".join(expected[start:end]) for kind, start, end, *_ in changes if kind in ("delete", "replace")]
        if lost:
            stale[url] = lost[:3]
    assert stale == {}
