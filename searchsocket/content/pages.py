"""Pages in their stages: listed by a source, extracted, and stored in the mirror.

They are separate from `types.py`, since queries do not use them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from searchsocket.types import PageFacts, PageKind, StatedFacts
from searchsocket.web.languages import NO_ALTERNATES, Alternates

DOCUMENTS: Mapping[str, PageKind] = {".pdf": "pdf", ".docx": "docx", ".odt": "odt"}  # kinds by suffix
MARKED = "[data-pagefind-body]"  # value of `ExtractedPage.main` for a page that has this mark


def document_kind(name: str) -> PageKind | None:
    """The kind of a document, by its file name; None if it is not a document."""
    return DOCUMENTS.get(f".{name.rpartition('.')[2].lower()}")


@dataclass(frozen=True, slots=True)
class RawPage:
    """One page that a source lists; its bytes are read only if they may have changed."""

    url: str  # canonical URL path, see `urls.canonical_path`
    served_url: str  # the path that relative links on it resolve against, e.g. `/docs/` for docs/index.html
    locator: str  # where the source reads its bytes, e.g. `docs/index.html`
    stamp: str  # equal stamps mean equal bytes (size, times and inode; a hash); "" when unknown
    kind: PageKind = "html"
    address: str = ""  # the path that opens it on its host, e.g. `/docs/wal.html`; "" = `url`


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a page, resolved against the page but not yet against the set of known pages."""

    target: str  # absolute URL path on this site, percent-encoding as written, without query and fragment
    text: str  # visible text, one line; may be empty


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage(StatedFacts):
    """Extracted content of one HTML or Markdown page, before routes and the link graph are known (spec 8.3)."""

    body: str  # deterministic Markdown; headings carry their anchor as `## Text {#anchor}`
    heading: str = ""  # the h1; if many pages share it, `<title>` is the name: see `html/site_wide.py`
    head_title: str = ""  # text of `<title>`
    canonical: str = ""  # as the page states it; unreliable, never an identity by itself
    version: str = ""  # of the documentation, from metas
    edit_link: str = ""  # branch and path of its source in a repository, see `html/extract.py`
    alternates: Alternates = NO_ALTERNATES  # of its `hreflang` links
    links: tuple[Link, ...] = ()
    source_lines: tuple[int, ...] = ()  # of a content file: see `source_lines` of `markdown/lines.py`
    main: str = ""  # how the main content was found, e.g. `main`, `#content`, `body`
    skip: str = ""  # why the page is not indexed: noindex, list, redirect, fallback, empty; "" if it is indexed
    redirect_to: str = ""  # target of a redirect stub, resolved; "" if not a redirect
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileExtract:
    """Text and metadata of a document, such as a PDF file."""

    html: str = ""
    title: str = ""
    description: str = ""
    published: str = ""  # ISO 8601
    modified: str = ""
    skip: str = ""  # see `ExtractedPage.skip`
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the Markdown mirror: the only input of chunking (spec 8.4)."""

    facts: PageFacts
    scope: str
    body: str
    outgoing_links: int = 0  # distinct other pages that this one links to
    source_lines: tuple[int, ...] = ()  # of each block of the body, first and last in its file; 0, 0 unknown
    generated_at: str = ""  # changes only with other fields, and is part of no hash
