"""PDF files as pages."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.documents.extract import extract_document
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.sources import make_source
from tests.processes import command
from tests.sources.pdf_files import Text, pdf, pdf_bomb
from tests.sources.web import Answer, Web, serve

BODY: list[Text] = [
    (10, "The bosun keeps the oars in the shed behind"),
    (10, "the harbour, and paints them in spring."),
]
LONG = BODY * 8


def extracted(data: bytes) -> ExtractedPage:
    page = RawPage("/files/manual.pdf", "/files/manual.pdf", "files/manual.pdf", "", "pdf")
    return extract_document(data, page, ExtractSettings(main_selector="#content"), TransformSettings())


def test_headings_open_their_page() -> None:
    page = extracted(pdf([(20, "Boats"), *BODY], [(14, "Oars"), *BODY, (14, "Sails"), *BODY], title="Manual"))
    assert (page.title, page.published) == ("Manual", "2026-03-01")
    headings = [line for line in page.body.splitlines() if line.startswith("#")]
    assert headings == ["## Boats {#page=1}", "### Oars {#page=2}", "### Sails {#page=2}"]
    assert "keeps the oars in the shed behind the harbour, and paints" in page.body


def test_a_page_without_heading_has_its_number() -> None:
    page = extracted(pdf([(20, "Boats"), *BODY], BODY))
    assert page.title == "Boats"
    assert "##### Page 2 {#page=2}" in page.body


def test_titles_of_the_outline_are_headings_whatever_their_size() -> None:
    page = extracted(pdf([(10, "1 Oars"), (10, ""), *BODY], outline=[("1 Oars", 0)]))
    assert page.body.startswith("## 1 Oars {#page=1}\n")


def test_headers_and_footers_are_left_out() -> None:
    names = ["bow", "stern", "keel", "mast"]
    pages = [
        [(9, "Harbour office"), (10, f"The {name} is oiled."), (10, f"So is a {name}."), (9, f"{number} of 4")]
        for number, name in enumerate(names, 1)
    ]
    page = extracted(pdf(*pages))
    assert "Harbour office" not in page.body
    assert "of 4" not in page.body
    assert all(f"The {name} is oiled. So is a {name}." in page.body for name in names)


def test_words_cannot_become_markup() -> None:
    page = extracted(pdf([(10, "<script>alert(1)</script> & </body> [a](javascript:b)"), *BODY], title="<b>&"))
    assert page.title == "<b>&"
    assert "script" in page.body
    assert "<script" not in page.body.replace("\\<script", "")
    assert not page.links


@pytest.mark.parametrize(
    ("data", "skip"), [(pdf([]), "empty"), (pdf(BODY, encrypted=True), "encrypted"), (pdf([(10, " ")]), "empty")]
)
def test_an_unreadable_document_is_skipped_with_the_reason(data: bytes, skip: str) -> None:
    assert extracted(data).skip == skip


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"<html>", pdf(BODY)[:200], b"%PDF-1.4\n" + b"[" * 100_000])
def test_a_damaged_file_is_an_error_of_its_page(data: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        extracted(data)


def test_a_tree_of_pages_in_a_circle_ends() -> None:
    data = pdf(BODY)
    assert extracted(data.replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")).skip == "empty"


def test_the_first_pages_of_a_long_file_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchsocket.extensions.documents.pdf._MAX_PAGES", 20)
    page = extracted(pdf([(20, "Boats"), *BODY], *[[(10, f"Page of the log, number {n}")] for n in range(99)]))
    assert page.warnings == ("only the first 20 of 100 pages of the PDF are read",)
    assert "{#page=1}" in page.body


@pytest.mark.parametrize("target", ["/Next 7 0 R", "/First 6 0 R"])
def test_an_outline_in_a_circle_ends(target: str) -> None:
    data = pdf(BODY, outline=[("One", 0), ("Two", 0)])
    assert b"/Next 8 0 R" in data
    assert extracted(data.replace(b"/Next 8 0 R", target.encode())).title == "manual.pdf"


def test_a_bomb_costs_only_itself(tmp_path: Path) -> None:
    """Also in a site so small that it needs no worker."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build/index.html").write_text("<main><h1>Harbour</h1><p>Welcome.</p></main>")
    (tmp_path / "build/bomb.pdf").write_bytes(pdf_bomb(3_000_000))
    (tmp_path / "build/manual.pdf").write_bytes(pdf([(20, "Boats"), *LONG]))
    (tmp_path / "searchsocket.toml").write_text(
        "[source]\ndocuments = true\n[run]\nmax_page_memory_mb = 300\nmax_page_seconds = 5\n"
    )
    summary = command(tmp_path, "index")
    assert (summary["pages"]["indexed"], summary["pages"]["failed"]) == (2, 1)


def settings(**source: object) -> Settings:
    return Settings.model_validate({"source": {"documents": True, **source}})


def test_documents_of_a_build_are_pages(tmp_path: Path) -> None:
    """Typed as a user would; without the setting they are no pages."""
    (tmp_path / "build" / "files").mkdir(parents=True)
    (tmp_path / "build" / "index.html").write_text("<main><h1>Harbour</h1><p>Welcome.</p></main>")
    (tmp_path / "build" / "files" / "manual.pdf").write_bytes(pdf([(20, "Boats"), *LONG], [(14, "Sails"), *LONG]))
    (tmp_path / "build" / "files" / "locked.PDF").write_bytes(pdf(BODY, encrypted=True))
    assert command(tmp_path, "index")["pages"]["indexed"] == 1
    (tmp_path / "searchsocket.toml").write_text("[source]\ndocuments = true\n")
    summary = command(tmp_path, "index")
    assert (summary["pages"]["indexed"], summary["pages"]["skipped"], summary["pages"]["failed"]) == (2, 1, 0)
    [result] = command(tmp_path, "search", "sails", "--top-k", "1")["results"]
    assert result["title"] == "Boats"
    assert "/files/manual.pdf#page=2" in [section["href"] for section in result["sections"]]
    (tmp_path / "build" / "files" / "manual.pdf").write_bytes(pdf([(20, "Anchors"), *BODY]))
    assert command(tmp_path, "index")["pages"]["indexed"] == 2
    assert command(tmp_path, "search", "anchors", "--top-k", "1")["results"][0]["title"] == "Anchors"


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        yield web


def test_documents_of_a_crawled_site_are_pages(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/manual.pdf#page=2'>Manual</a> <a href='/fake.pdf'>Fake</a>")
    web.pages["/manual.pdf"] = Answer(200, pdf([(20, "Boats"), *BODY]), {"Content-Type": "application/pdf"})
    web.pages["/fake.pdf"] = Answer(200, b"MZ", {"Content-Type": "application/octet-stream"})
    crawl = {"mode": "crawl", "crawl": {"base_url": web.base_url}}
    source = make_source(tmp_path, settings(**crawl))
    assert [(page.url, page.kind) for page in source.pages()] == [("/", "html"), ("/manual.pdf", "pdf")]
    assert source.report.skipped == {"/fake.pdf": "not HTML but application/octet-stream"}
    without = make_source(tmp_path, Settings.model_validate({"source": crawl}))
    assert [page.url for page in without.pages()] == ["/"]


def test_without_the_library_the_fix_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(ConfigMissing, match=r"pip install 'searchsocket\[documents\]'"):
        make_source(tmp_path, settings())
