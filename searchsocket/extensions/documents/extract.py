"""Extract documents: a reader per kind, and the page of its text; Word (.docx) and OpenDocument (.odt) are read here.

Both are ZIP archives of XML. Unpacking is limited, whatever sizes the archive declares. XML with a document type is
refused, since that could define entities. Readers get only the parts that were checked.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape

from lxml import etree

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.extract import extract_html
from searchsocket.content.html.tree import Element, one_line
from searchsocket.content.page_fields import parse_date
from searchsocket.content.pages import ExtractedPage, FileExtract, RawPage
from searchsocket.extensions.documents.pdf import read_pdf
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase

_MAX_TITLE_CHARS = 300

_MAX_PARTS = 10_000
_MAX_XML_BYTES = 30_000_000  # of all parts together, unpacked
_BLOCK_BYTES = 1 << 16
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # those of both formats, with a limit for each block
_MAX_DEPTH = 100  # of nested lists and tables
_MAX_REPEATS = 1_000  # of a repeated space, which is written once with a count
_XML_PART = re.compile(r"\.(?:xml|rels)$", re.IGNORECASE)
_DOCUMENT_TYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)|<\0!\0|\0<\0!")  # in UTF-16, any declaration or comment
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # start of a password-protected file
_HEADING = re.compile(r"<h[1-6]>(.*?)</h[1-6]>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
# mammoth maps other styles by their English names, and leaves `Title` to the caller.
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_SKIPPED = frozenset(
    {
        f"{_TEXT}tracked-changes", f"{_TEXT}table-of-content", f"{_TEXT}alphabetical-index", f"{_TEXT}note-citation",
        f"{_TEXT}sequence-decls", f"{_TEXT}bibliography-configuration", f"{_OFFICE}annotation", f"{_OFFICE}forms",
    }
)  # fmt: skip
_TAGS = {
    f"{_TEXT}p": "p",
    f"{_TEXT}list": "ul",
    f"{_TEXT}list-item": "li",
    f"{_TEXT}list-header": "li",
    f"{_TABLE}table": "table",
    f"{_TABLE}table-row": "tr",
    f"{_TABLE}table-cell": "td",
}


def read_docx(data: bytes) -> FileExtract:
    """Read a Word file.

    Raises:
        ImportError: mammoth is not installed.
        ValueError: The file is damaged, too large when unpacked, or defines entities.
    """
    return _document(data, _docx)


def read_odt(data: bytes) -> FileExtract:
    """Read an OpenDocument file; raises as `read_docx`."""
    return _document(data, _odt)


def _document(data: bytes, read: Callable[[Mapping[str, bytes]], FileExtract]) -> FileExtract:
    if data.startswith(_OLE):
        return FileExtract(skip="encrypted")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = _xml_parts(archive)
            if parts is None:
                return FileExtract(skip="encrypted")
            document = read(parts)
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, etree.XMLSyntaxError) as error:
        raise ValueError(f"the document cannot be read: {error}") from error
    if not document.title and (heading := _HEADING.search(document.html)):
        return replace(document, title=_TAG.sub("", heading[1]))
    return document


def _xml_parts(archive: zipfile.ZipFile) -> dict[str, bytes] | None:
    """The XML parts by name; None if they are encrypted."""
    entries = archive.infolist()
    parts = [entry for entry in entries if _XML_PART.search(entry.filename)]
    if len(entries) > _MAX_PARTS or sum(entry.file_size for entry in parts) > _MAX_XML_BYTES:
        raise ValueError(f"the document has more than {_MAX_PARTS:,} parts or {_MAX_XML_BYTES:,} bytes of text")
    if any(entry.flag_bits & 1 for entry in entries):
        return None
    contents = dict(_unpacked(archive, parts))
    for name, content in contents.items():
        if _DOCUMENT_TYPE.search(content):
            raise ValueError(f"{name} of the document defines a document type or entities")
    return None if b"encryption-data" in contents.get("META-INF/manifest.xml", b"") else contents


def _unpacked(archive: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo]) -> Iterator[tuple[str, bytes]]:
    """Unpack entries in blocks: the declared sizes may be false."""
    left = _MAX_XML_BYTES
    for entry in entries:
        if entry.compress_type not in _COMPRESSIONS:
            raise ValueError(f"{entry.filename} of the document has an unknown compression")
        blocks = []
        with archive.open(entry) as file:
            while block := file.read(_BLOCK_BYTES):
                left -= len(block)
                if left < 0:
                    raise ValueError(f"the document has more than {_MAX_XML_BYTES:,} bytes of text")
                blocks.append(block)
        yield entry.filename, b"".join(blocks)


def _docx(parts: Mapping[str, bytes]) -> FileExtract:
    import mammoth  # an extra

    checked = io.BytesIO()
    with zipfile.ZipFile(checked, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    without_pictures = mammoth.images.img_element(lambda _: {"src": ""})
    html = mammoth.convert_to_html(checked, convert_image=without_pictures, style_map=_STYLES).value
    properties = _properties(parts.get("docProps/core.xml", b""))
    return FileExtract(
        html,
        properties.get(f"{_DC}title", ""),
        properties.get(f"{_DC}description", "") or properties.get(f"{_DC}subject", ""),
        _date(properties.get(f"{_TERMS}created", "")),
        _date(properties.get(f"{_TERMS}modified", "")),
    )


def _odt(parts: Mapping[str, bytes]) -> FileExtract:
    text = _parse(parts["content.xml"]).find(f"{_OFFICE}body/{_OFFICE}text")
    properties = _properties(parts.get("meta.xml", b""))
    return FileExtract(
        "".join(_odt_html(text, 0)) if text is not None else "",
        properties.get(f"{_DC}title", ""),
        properties.get(f"{_DC}description", "") or properties.get(f"{_DC}subject", ""),
        _date(properties.get(f"{_META}creation-date", "")),
        _date(properties.get(f"{_DC}date", "")),
    )


def _odt_html(element: Element, depth: int) -> Iterator[str]:
    """The contents of an element as HTML."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"the document nests lists and tables more than {_MAX_DEPTH} deep")
    yield escape(element.text or "")
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _SKIPPED:
            yield from _odt_element(child, depth + 1)
        yield escape(child.tail or "")


def _odt_element(element: Element, depth: int) -> Iterator[str]:
    tag = str(element.tag)
    opening = closing = ""
    if tag == f"{_TEXT}h":
        level = element.get(f"{_TEXT}outline-level", "1")
        closing = f"h{min(int(level), 6) if level.isdecimal() and level != '0' else 1}"
        opening = closing
    elif tag == f"{_TEXT}a":
        opening, closing = f'a href="{escape(element.get(_LINK, ""))}"', "a"
    elif tag == f"{_TEXT}s":
        count = element.get(f"{_TEXT}c", "1")
        yield " " * (min(int(count), _MAX_REPEATS) if count.isdecimal() else 1)
    elif tag == f"{_TEXT}note-body":
        yield escape(f" ({' '.join(''.join(map(str, element.itertext())).split())})")
        return
    elif tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
        yield " " if tag.endswith("tab") else "<br>"
    else:
        opening = closing = _TAGS.get(tag, "")
    yield f"<{opening}>" if opening else ""
    yield from _odt_html(element, depth)
    yield f"</{closing}>" if closing else ""


def _properties(xml: bytes) -> dict[str, str]:
    """Map element names of a metadata part to their texts."""
    try:
        return {str(element.tag): element.text or "" for element in _parse(xml).iter()} if xml else {}
    except etree.XMLSyntaxError:
        return {}


def _parse(xml: bytes) -> Element:
    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True))


def _date(text: str) -> str:
    return parse_date(text.partition(".")[0].removesuffix("Z")[:10])


_READERS: Mapping[str, Callable[[bytes], FileExtract]] = {"pdf": read_pdf, "docx": read_docx, "odt": read_odt}


def extract_document(
    data: bytes,
    page: RawPage,
    extract: ExtractSettings,
    transform: TransformSettings,
    *,
    site: SiteBase = AT_ROOT,
    converter: Converter = FAST,
    facets: Facets = NO_FACETS,
) -> ExtractedPage:
    """Read one document; the kind of its page names the reader.

    Returns:
        The page; without a title, its title is the file name. `skip` is "encrypted" if the document needs a password,
        "empty" if it has no text.

    Raises:
        ImportError: The reader's library is not installed, see `sources.make_source`.
        ValueError: The document is damaged, too large when unpacked, or defines entities.
    """
    document = _READERS[page.kind](data)
    title = one_line(document.title, _MAX_TITLE_CHARS) or page.url.rpartition("/")[2]
    if document.skip:
        return ExtractedPage(title=title, body="", skip=document.skip, warnings=document.warnings)
    html = f"<!doctype html><title>{escape(title)}</title><body>{document.html}".encode("utf-8", "replace")
    whole = extract.model_copy(update={"main_selector": "body"})
    extracted = extract_html(
        html, page, whole, transform, site=site, charset="utf-8", converter=converter, facets=facets
    )
    return ExtractedPage(
        title=title,
        body=extracted.body,
        links=extracted.links,
        description=one_line(document.description),
        published=document.published,
        modified=document.modified,
        main=page.kind,
        skip="" if extracted.body else "empty",
        warnings=(*extracted.warnings, *document.warnings),
    )
