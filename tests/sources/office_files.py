"""Word and OpenDocument files as tests need them, written by hand."""

import io
import zipfile
from collections.abc import Mapping

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_DOCUMENT_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>{title}</dc:title><dcterms:created>2026-03-01T12:00:00Z</dcterms:created></cp:coreProperties>"
)
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "meta", "manifest")
)
_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def docx(body: str, *, title: str = "", **parts: str | bytes) -> bytes:
    """A Word file.

    Args:
        body: Paragraphs and tables in WordprocessingML; `Heading1` to `Heading3` and `Bullets` are styles.
        parts: Further parts.
    """
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/></w:style>'
        for level in (1, 2, 3)
    )
    bullets = '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>'
    numbers = f'<w:abstractNum w:abstractNumId="1">{bullets}</w:abstractNum>'
    return packed(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "_rels/.rels": f'<Relationships {_RELATIONS}><Relationship Id="r1" '
            f'Type="{_DOCUMENT_RELATION}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships {_RELATIONS}><Relationship Id="r1" '
            f'Type="{_DOCUMENT_RELATION}/styles" Target="styles.xml"/><Relationship Id="r2" '
            f'Type="{_DOCUMENT_RELATION}/numbering" Target="numbering.xml"/></Relationships>',
            "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {WORD}>{styles}</w:styles>",
            "word/numbering.xml": f"<w:numbering {WORD}>{numbers}"
            '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>',
            "docProps/core.xml": _CORE.format(title=title),
        }
        | parts
    )


def paragraph(text: str, style: str = "", *, bullet: bool = False) -> str:
    """A paragraph of a Word file."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if bullet:
        properties += '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(*rows: tuple[str, ...]) -> str:
    """A table of a Word file."""
    cells = ("".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def odt(body: str, *, title: str = "", **parts: str | bytes) -> bytes:
    """An OpenDocument text.

    Args:
        body: Contents of `office:text`.
        parts: Further parts.
    """
    return packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {ODF} {_DC}><office:body><office:text>{body}</office:text>"
            "</office:body></office:document-content>",
            "meta.xml": f"<office:document-meta {ODF} {_DC}><office:meta><dc:title>{title}</dc:title>"
            "<meta:creation-date>2026-03-01T12:00:00.123</meta:creation-date></office:meta></office:document-meta>",
            "META-INF/manifest.xml": f"<manifest:manifest {ODF}/>",
        }
        | parts
    )
