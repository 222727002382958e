"""The table of page fields that have one name in metas and one in front matter, or that are computed from the page."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from searchsocket.content.pages import ExtractedPage
from searchsocket.text.facets import Facets, read_facets

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")


def parse_date(text: str) -> str:
    """An ISO 8601 date or date-time as written; "" if it is not one."""
    text = text.strip()
    return text if _DATE.fullmatch(text) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageField:
    """A field of `StatedFacts` that is read in the same way from every page.

    Attributes:
        name: Of the field. If `[facets]` has the name of a computed field, requests filter by it.
        metas: Names or properties of metas in HTML, in order of precedence; lower case.
        keys: Keys of front matter, likewise.
        parse: Returns the value of the stated text, which is "" if the page states none.
        compute: Returns the value from the extracted page, instead of `parse`.
        version: Part of the extractor's version: raise it if the function changes, and pages are read again.
    """

    name: str
    metas: Sequence[str] = ()
    keys: Sequence[str] = ()
    parse: Callable[[str], Any] | None = None
    compute: Callable[[ExtractedPage], Any] | None = None
    version: int = 1


FIELDS: tuple[PageField, ...] = (
    PageField(
        name="published",
        metas=("article:published_time", "datepublished", "date", "dcterms.created"),
        keys=("published", "date", "publishedAt", "datePublished"),
        parse=parse_date,
    ),
    PageField(
        name="modified",
        metas=("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified"),
        keys=("modified", "updated", "lastmod", "lastUpdated", "updatedAt"),
        parse=parse_date,
    ),
)


def fields_version() -> str:
    """Version of the table, for the key of extracted pages."""
    return " ".join(f"{field.name}={field.version}" for field in FIELDS)


def with_computed_fields(page: ExtractedPage, facets: Facets) -> ExtractedPage:
    """Return the page with its computed fields, also as facets if the settings name them."""
    values = {field.name: field.compute(page) for field in FIELDS if field.compute}
    if not values or page.skip:
        return page
    labels, _ = read_facets({name: kind for name, kind in facets.items() if name in values}, values.get)
    return replace(page, facets=(*page.facets, *labels), **values)
