"""Source of content, as answers describe it."""

from searchsocket.search.content.answer import ContentSource, IndexFacts, SourceLines
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.quoting.lines import source_of
from searchsocket.search.quoting.results import href, short_title
from searchsocket.types import Lines, PageFacts, Record


def source_of_chunk(record: Record, folder: ContentFolder) -> ContentSource:
    """Return the page or file of a chunk, and its lines in the source file."""
    lines, at = source_of(record), record.chunk.at
    source_lines = SourceLines(lines.file, lines.first_line, lines.last_line) if lines.file else None
    return _source(record.page, folder, short_title(at.title), href_of(record), source_lines)


def source_of_page(page: PageFacts, folder: ContentFolder) -> ContentSource:
    """Return the page or file itself."""
    lines = SourceLines(page.source_file, None, None) if page.source_file else None
    return _source(page, folder, "", href(page) if folder.has_urls else None, lines)


def href_of(record: Record) -> str | None:
    """Return the link to a passage on its host; None for source code."""
    at = record.chunk.at
    return None if isinstance(at, Lines) else href(record.page, at.anchor)


def index_facts(folder: ContentFolder, age_seconds: float) -> IndexFacts:
    """Return the facts of the index that answered."""
    generation = folder.reader.generation
    return IndexFacts(folder.folder_id, generation.scope, generation.name, generation.published_at, age_seconds)


def _source(
    page: PageFacts, folder: ContentFolder, section: str, opens: str | None, lines: SourceLines | None
) -> ContentSource:
    url = None if opens is None else page.url
    return ContentSource(
        url, opens, short_title(page.title), section, page.route_file or None, lines, changed_of(page, folder)
    )


def changed_of(page: PageFacts, folder: ContentFolder) -> bool | None:
    """Return True if the source file of a page changed after it was indexed; None if unknown."""
    return folder.changed(page.source_file or page.route_file)
