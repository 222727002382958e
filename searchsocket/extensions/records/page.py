"""Extract a page from a record, one JSON object that a program supplied.

The text is read like a content file or built page; the record's other fields take precedence over it.
"""

from dataclasses import replace
from html import escape

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.extract import extract_html
from searchsocket.content.html.metadata import parse_language, parse_tags
from searchsocket.content.html.tree import one_line
from searchsocket.content.markdown.page import extract_markdown
from searchsocket.content.page_fields import parse_date
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.extensions.records.record import read_record
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.text.facets import NO_FACETS, Facets, read_facets
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase

_MAX_TITLE_CHARS = 300


def extract_record(
    data: bytes,
    page: RawPage,
    extract: ExtractSettings,
    transform: TransformSettings,
    *,
    site: SiteBase = AT_ROOT,
    converter: Converter = FAST,
    facets: Facets = NO_FACETS,
) -> ExtractedPage:
    """Read one record.

    Args:
        data: A line of JSON with one record.
        facets: The names and types of the values to take from `facets`.

    Raises:
        ValueError: The line is not a record.
    """
    record = read_record(data)
    if record.markdown is None:
        body = f"<!doctype html><title>{escape(record.title)}</title><body>{record.html}"
        whole = extract.model_copy(update={"main_selector": "body"})
        extracted = extract_html(body.encode(), page, whole, transform, site=site, charset="utf-8", converter=converter)
    else:
        text = record.markdown.encode("utf-8", "replace")
        extracted = extract_markdown(text, page, extract, transform, site=site, charset="utf-8", converter=converter)
    labels, untyped = read_facets(facets, record.facets.get)
    return replace(
        extracted,
        title=one_line(record.title, _MAX_TITLE_CHARS) or extracted.title,
        description=one_line(record.description) or extracted.description,
        language=parse_language(record.language) or extracted.language,
        tags=parse_tags([tag.replace(",", " ") for tag in record.tags]) or extracted.tags,
        facets=labels,
        weight=record.weight,
        published=parse_date(record.published) or extracted.published,
        modified=parse_date(record.modified) or extracted.modified,
        source_lines=(),  # the lines of its text are not lines of the file
        warnings=(*extracted.warnings, *untyped),
    )
