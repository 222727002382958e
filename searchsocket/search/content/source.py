"""Where content comes from, as an answer says it."""

from searchsocket.search.content.answer import IndexFacts, Source, SourceLines
from searchsocket.search.content.corpus import Corpus
from searchsocket.search.quoting.lines import source_of
from searchsocket.search.quoting.links import href
from searchsocket.search.quoting.titles import displayed
from searchsocket.types import PageFacts, Record


def source_of_chunk(record: Record) -> Source:
    """The page or file of a chunk, and the lines that people edit."""
    lines, at = source_of(record), record.chunk.at
    kept = SourceLines(lines.file, lines.first_line, lines.last_line) if lines.file else None
    return _source(record.page, displayed(at.title), at.anchor, kept)


def source_of_page(page: PageFacts) -> Source:
    """The page or file itself."""
    return _source(page, "", "", SourceLines(page.source_file, None, None) if page.source_file else None)


def index_facts(corpus: Corpus, age_seconds: float) -> IndexFacts:
    """What answered."""
    generation = corpus.reader.generation
    return IndexFacts(corpus.folder_id, generation.scope, generation.name, generation.published_at, age_seconds)


def _source(page: PageFacts, section: str, anchor: str, lines: SourceLines | None) -> Source:
    return Source(page.url, href(page, anchor), displayed(page.title), section, page.route_file or None, lines)
