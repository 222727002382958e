"""File and lines of a result, for editors."""

from functools import lru_cache

from searchsocket.content.mirror import mirror_name
from searchsocket.search.wire import FileLines
from searchsocket.types import Lines, Record

_MARKDOWN = (".md", ".svx", ".mdx")
_UNKNOWN = FileLines(None, None, None)
_mirror_name = lru_cache(maxsize=1 << 12)(mirror_name)  # sections of a page share it, and answers repeat pages


def source_of(record: Record) -> FileLines:
    """Return the content file, relative to the project; for a built page, its route file if that is its own source.

    A route file with a parameter is the template of many pages; it is their source only if it is Markdown.
    """
    page, at = record.page, record.chunk.at
    if isinstance(at, Lines):
        return FileLines(page.source_file or None, at.first, at.last)
    if page.source_file:
        return FileLines(page.source_file, at.source_first or None, at.source_last or None)
    is_own = is_markdown(page.route_file) or "[" not in page.route_file
    is_source = page.route_resolution == "exact" and bool(page.route_file) and is_own
    return FileLines(page.route_file, at.source_first or None, at.source_last or None) if is_source else _UNKNOWN


def is_markdown(file: str) -> bool:
    """Return True if a file is Markdown by its name."""
    return file.endswith(_MARKDOWN)


def mirror_of(record: Record) -> FileLines:
    """Return the mirror file, relative to the scope's mirror folder."""
    at = record.chunk.at
    first, last = (0, 0) if isinstance(at, Lines) else (at.first, at.last)
    return FileLines(_mirror_name(record.page.url), first or None, last or None)
