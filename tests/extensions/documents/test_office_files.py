"""Word and OpenDocument files as pages."""

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.extensions.documents.extract import extract_document
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.sources import make_source
from searchsocket.types import PageKind
from tests.processes import command
from tests.sources.office_files import ODF, WORD, docx, odt, packed, paragraph, word_table
from tests.sources.web import Answer, serve

LONG = "The bosun keeps the oars in the shed behind the harbour, and paints them in spring. " * 8
WORD_BODY = (
    paragraph("Boats", "Heading1")
    + paragraph(LONG)
    + paragraph("Oars", "Heading2")
    + paragraph("Ash", bullet=True)
    + paragraph("Spruce", bullet=True)
    + word_table(("Wood", "Price"), ("Ash", "40"))
)
ODT_BODY = f"""<text:h text:outline-level="1">Boats</text:h><text:p>{LONG}</text:p>
<text:h text:outline-level="2">Oars</text:h><text:list><text:list-item><text:p>Ash</text:p></text:list-item>
<text:list-item><text:p>Spruce<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>From
the north.</text:p></text:note-body></text:note></text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>Wood</text:p></table:table-cell><table:table-cell><text:p>Price
</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Ash</text:p></table:table-cell>
<table:table-cell><text:p>40</text:p></table:table-cell></table:table-row></table:table>
<text:p>See <text:a xlink:href="/sails">the<text:s text:c="2"/>sails</text:a>.</text:p>"""


def extracted(data: bytes, kind: PageKind) -> ExtractedPage:
    page = RawPage(f"/files/manual.{kind}", f"/files/manual.{kind}", f"files/manual.{kind}", "", kind)
    return extract_document(data, page, ExtractSettings(), TransformSettings())


@pytest.mark.parametrize(("data", "kind"), [(docx(WORD_BODY), "docx"), (odt(ODT_BODY), "odt")])
def test_headings_lists_and_tables_are_kept(data: bytes, kind: PageKind) -> None:
    page = extracted(data, kind)
    assert (page.title, page.published, page.main) == ("Boats", "2026-03-01", kind)
    assert [line for line in page.body.splitlines() if line.startswith("#")] == ["# Boats", "## Oars"]
    assert "- Ash\n- Spruce" in page.body
    assert "| Ash | 40 |" in page.body
    assert LONG.strip() in page.body


def test_notes_and_links_of_an_opendocument_text_are_kept() -> None:
    page = extracted(odt(ODT_BODY, title="Manual"), "odt")
    assert page.title == "Manual"
    assert "Spruce (From the north.)" in page.body
    assert [link.target for link in page.links] == ["/sails"]


@pytest.mark.parametrize(
    ("data", "kind", "skip"),
    [
        (docx(""), "docx", "empty"),
        (odt(""), "odt", "empty"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000), "docx", "encrypted"),
        (odt("", **{"META-INF/manifest.xml": "<manifest:encryption-data/>"}), "odt", "encrypted"),
    ],
)
def test_a_file_without_readable_text_is_skipped_with_the_reason(data: bytes, kind: PageKind, skip: str) -> None:
    assert extracted(data, kind).skip == skip


def test_words_cannot_become_markup() -> None:
    for page in (
        extracted(docx(paragraph("&lt;script&gt;alert(1)&lt;/script&gt; " + LONG)), "docx"),
        extracted(odt(f"<text:p>&lt;script&gt;alert(1)&lt;/script&gt; {LONG}</text:p>"), "odt"),
    ):
        assert "<script" not in page.body.replace("\\<script", "")


LAUGHS = '<!DOCTYPE a [<!ENTITY b "lol"><!ENTITY c "&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>'
WIDE = f"{LAUGHS}<w:document {WORD}><w:body>{paragraph('&c; &d;')}</w:body></w:document>"


def with_other_size(data: bytes, size: int) -> bytes:
    """An archive that states another size for what its parts unpack to."""
    for length in {len(part) for part in (ODT_CONTENT, MANY)}:
        data = data.replace(length.to_bytes(4, "little"), size.to_bytes(4, "little"))
    return data


ODT_CONTENT = f"<office:document-content {ODF}>" + " " * 1_000_000
MANY = "<a/>" * 1_000_000


@pytest.mark.parametrize(
    ("data", "kind", "reason"),
    [
        (b"", "docx", "cannot be read"),
        (b"PK\x03\x04" + bytes(100), "odt", "cannot be read"),
        (docx(WORD_BODY)[:900], "docx", "cannot be read"),
        (packed({"a.txt": "a"}), "odt", "cannot be read"),
        (packed({"content.xml": "<a"}), "odt", "cannot be read"),
        (packed({"content.xml": b"<a/>" + bytes(40_000_000)}), "odt", "30,000,000 bytes"),
        (packed({"content.xml": ODT_CONTENT, "styles.xml": bytes(30_000_000)}), "odt", "30,000,000 bytes"),
        (packed({f"{number}.xml": "" for number in range(10_001)}), "docx", "10,000 parts"),
        (with_other_size(packed({"content.xml": ODT_CONTENT}), 1000), "odt", "cannot be read"),
        (docx("", **{"word/document.xml": WIDE}), "docx", "document type or entities"),
        (docx("", **{"word/document.xml": WIDE.encode("utf-16")}), "docx", "document type or entities"),
        (docx("", **{"word/styles.xml": LAUGHS}), "docx", "document type or entities"),
        (odt("", **{"content.xml": f"{LAUGHS}<a>&c;</a>"}), "odt", "document type or entities"),
        (odt("<text:list><text:list-item>" * 60 + "</text:list-item></text:list>" * 60), "odt", "100 deep"),
    ],
)
def test_a_damaged_or_hostile_file_is_an_error_of_its_page(data: bytes, kind: PageKind, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        extracted(data, kind)


def with_false_size(data: bytes, name: str, size: int) -> bytes:
    """The archive with another declared size of one part, in both of its headers."""
    changed = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        at = archive.getinfo(name).header_offset
    struct.pack_into("<I", changed, at + 22, size)
    directory = data.index(b"PK\x01\x02")
    struct.pack_into("<I", changed, data.rindex(name.encode(), directory) - 46 + 24, size)
    return bytes(changed)


def test_a_false_size_gets_no_more_memory_than_the_limit() -> None:
    """The archive declares 500 bytes and contains a hundred times the limit of a block."""
    data = with_false_size(docx(" " * 20_000_000), "word/document.xml", 500)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="cannot be read"):
            extracted(data, "docx")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("start", ["", "<!DOCTYPE x [<!ENTITY a 'b'>]>"])
def test_a_main_part_with_another_ending_is_not_read(start: str) -> None:
    """Neither the limit nor the check for document types would see it."""
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.bin"/></Relationships>'
    )
    planted = f"{start}<w:document {WORD}><w:body>{paragraph('planted')}</w:body></w:document>"
    page = extracted(docx(paragraph(LONG), **{"_rels/.rels": relations, "word/document.bin": planted}), "docx")
    assert "planted" not in page.body


def test_office_files_of_a_build_are_pages(tmp_path: Path) -> None:
    """Typed as a user would; a bomb costs only itself."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build/index.html").write_text("<main><h1>Harbour</h1><p>Welcome.</p></main>")
    (tmp_path / "build/manual.docx").write_bytes(docx(WORD_BODY))
    (tmp_path / "build/sails.odt").write_bytes(odt(ODT_BODY.replace("Boats", "Sails")))
    (tmp_path / "build/bomb.docx").write_bytes(docx("", **{"word/document.xml": bytes(40_000_000)}))
    (tmp_path / "build/nested.docx").write_bytes(docx("<w:sdt><w:sdtContent>" * 20_000))
    (tmp_path / "searchsocket.toml").write_text("[source]\ndocuments = true\n")
    summary = command(tmp_path, "index")
    assert (summary["pages"]["indexed"], summary["pages"]["failed"]) == (3, 2)
    [result] = command(tmp_path, "search", "sails", "--top-k", "1")["results"]
    assert (result["title"], result["url"]) == ("Sails", "/sails.odt")


def test_office_files_of_a_crawled_site_are_pages(tmp_path: Path) -> None:
    with serve() as web:
        web.html("/", "<a href='/manual.docx'>Manual</a> <a href='/sails.odt'>Sails</a>")
        types = {
            "/manual.docx": (docx(WORD_BODY), "vnd.openxmlformats-officedocument.wordprocessingml.document"),
            "/sails.odt": (odt(ODT_BODY), "vnd.oasis.opendocument.text"),
        }
        for path, (data, kind) in types.items():
            web.pages[path] = Answer(200, data, {"Content-Type": f"application/{kind}"})
        settings = {"documents": True, "mode": "crawl", "crawl": {"base_url": web.base_url}}
        source = make_source(tmp_path, Settings.model_validate({"source": settings}))
        pages = {page.url: page.kind for page in source.pages()}
    assert pages == {"/": "html", "/manual.docx": "docx", "/sails.odt": "odt"}
    assert source.report.complete
