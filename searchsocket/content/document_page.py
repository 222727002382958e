"""The page of a document, such as a PDF file, from its text as HTML and what it states about itself."""

from dataclasses import dataclass
from html import escape

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.extract import extract_html
from searchsocket.content.html.tree import one_line
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase

MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class DocumentText:
    """Text of a document and what it states about itself."""

    html: str
    title: str = ""
    description: str = ""
    published: str = ""  # ISO 8601
    modified: str = ""
    warnings: tuple[str, ...] = ()


def document_page(
    document: DocumentText,
    main: str,
    page: RawPage,
    extract: ExtractSettings,
    transform: TransformSettings,
    *,
    site: SiteBase = AT_ROOT,
    converter: Converter = FAST,
    facets: Facets = NO_FACETS,
) -> ExtractedPage:
    """Make the page; without a title it has the name of its file.

    Args:
        main: The kind of document.
    """
    title = one_line(document.title, MAX_TITLE_CHARS) or page.url.rpartition("/")[2]
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
        main=main,
        skip="" if extracted.body else "empty",
        warnings=(*extracted.warnings, *document.warnings),
    )
