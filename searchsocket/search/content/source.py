"""Source of content, as answers describe it."""

from searchsocket.search.content.answer import IndexFacts, Source, SourceLines
from searchsocket.search.content.corpus import Corpus
from searchsocket.search.quoting.lines import source_of
from searchsocket.search.quoting.results import displayed, href
from searchsocket.types import Lines, PageFacts, Record


def source_of_chunk(record: Record, corpus: Corpus) -> Source:
    """The page or file of a chunk, and the lines that people edit."""
    lines, at = source_of(record), record.chunk.at
    source_lines = SourceLines(lines.file, lines.first_line, lines.last_line) if lines.file else None
    return _source(record.page, corpus, displayed(at.title), href_of(record), source_lines)


def source_of_page(page: PageFacts, corpus: Corpus) -> Source:
    """The page or file itself."""
    lines = SourceLines(page.source_file, None, None) if page.source_file else None
    return _source(page, corpus, "", href(page) if corpus.kind == "site" else None, lines)


def href_of(record: Record) -> str | None:
    """The link to a passage on its host; None for source code."""
    at = record.chunk.at
    return None if isinstance(at, Lines) else href(record.page, at.anchor)


def index_facts(corpus: Corpus, age_seconds: float) -> IndexFacts:
    """The facts of the index that answered."""
    generation = corpus.reader.generation
    return IndexFacts(corpus.folder_id, generation.scope, generation.name, generation.published_at, age_seconds)


def _source(page: PageFacts, corpus: Corpus, section: str, opens: str | None, lines: SourceLines | None) -> Source:
    url = None if opens is None else page.url
    return Source(url, opens, displayed(page.title), section, page.route_file or None, lines, changed_of(page, corpus))


def changed_of(page: PageFacts, corpus: Corpus) -> bool | None:
    """Return True if the source file of a page changed after it was indexed; None if unknown."""
    return corpus.changed(page.source_file or page.route_file)
