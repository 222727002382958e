"""Extract documents (PDF, Word, OpenDocument): a reader per kind, and the page of its text."""

from collections.abc import Callable, Mapping
from html import escape

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.extract import extract_html
from searchsocket.content.html.tree import one_line
from searchsocket.content.pages import ExtractedPage, FileExtract, RawPage
from searchsocket.extensions.documents.office import read_docx, read_odt
from searchsocket.extensions.documents.pdf import read_pdf
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase

_MAX_TITLE_CHARS = 300
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
