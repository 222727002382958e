"""Find source files that an indexed page was made from, so that a text is not cited twice."""

from pathlib import PurePosixPath

from searchsocket.search.answering.terms import text_words
from searchsocket.search.quoting.lines import is_markdown
from searchsocket.stores.base import IndexReader
from searchsocket.types import PageFacts, Record

_ROUTE_FILE = "+page"
_CANDIDATES = 3
_SAME_SHARE = 0.9  # of the words of a Markdown file that its page repeats; markup and front matter are not on the page


def is_copy(record: Record, site: IndexReader) -> bool:
    """Return True if a chunk of source code repeats a page of the site.

    The page names the file as its source, or contains nearly all words of the Markdown, as with a template.
    """
    file = record.page.source_file
    markdown = is_markdown(file)
    if not markdown and not PurePosixPath(file).name.startswith(_ROUTE_FILE):
        return False
    text = record.chunk.body.text
    own = text_words(text) if markdown else frozenset[str]()
    for hit in site.words.search_pages(text, top_k=_CANDIDATES):
        page = site.catalogue.page_records(hit.id)[0].page
        if file in (page.source_file, _own_route_file(page)):
            return True
        if own and len(own & text_words(site.catalogue.page_body(page.url) or "")) >= _SAME_SHARE * len(own):
            return True
    return False


def _own_route_file(page: PageFacts) -> str:
    """Return the route file of a page, or "" if a parameter makes it the template of many pages."""
    return "" if "[" in page.route_file else page.route_file
