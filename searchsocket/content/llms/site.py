"""Facts about the whole site for the agents' files, and the address of its pages."""

import re
from dataclasses import dataclass
from itertools import islice
from urllib.parse import quote, unquote_to_bytes

from searchsocket.content.chunking.sentences import split_sentences
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.markdown.text import inline_text
from searchsocket.content.pages import Page

INDEX = "llms.txt"
FULL = "llms-full.txt"
UNTITLED = "Site"
_MAX_SEGMENT_BYTES = 255 - len(".md")
_MAX_NOTE_CHARS = 200
_MIN_SENTENCE_CHARS = 25
_MAX_BLOCKS = 40  # blocks that are searched for the note of a page
_WORD = re.compile(r"\w+")
_ENDS = (".", "!", "?", "。", "！", "？")
# Brackets would end a Markdown link.
_SAFE = "/%:@!$&'*+,;=~-._"


@dataclass(frozen=True, slots=True)
class AgentSite:
    """A site as its files for agents describe it."""

    title: str
    summary: str = ""  # one line
    origin: str = ""  # scheme and host of links; "" = links start with the path
    base: str = ""  # URL path of the site
    search: str = ""  # address of the search API; "" = not mentioned
    mcp: str = ""  # address of the MCP server; "" = not mentioned

    def address(self, name: str) -> str:
        """The URL of one of the files.

        Args:
            name: As `markdown_name` returns it.
        """
        return f"{self.origin}{self.base}/{quote(name, safe=_SAFE, errors='surrogateescape')}"


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page in a list of pages."""

    url: str
    title: str
    note: str  # description in one line; may be empty
    size: int  # bytes of its Markdown


def entry_of(page: Page, size: int) -> ListedPage:
    """The entry of a page whose Markdown has `size` bytes."""
    return ListedPage(page.facts.url, one_line(page.facts.title) or one_line(page.facts.url), _note(page), size)


def markdown_name(url: str) -> str:
    """The file of a page's Markdown, below the folder of the site: `/guide/a` is `guide/a.md`, `/` is `index.md`.

    "" if no file system allows the name: the page is served but not written.
    """
    path = unquote_to_bytes(url.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")
    segments = path.removeprefix("/").split("/") if url != "/" else ["index"]
    if len(segments) != max(1, url.count("/")) or any(not _is_name(segment) for segment in segments):
        return ""
    return "/".join(segments) + ".md"


def one_line(text: str) -> str:
    """Put a text on one line, without the brackets that would end a link."""
    return " ".join(text.split()).replace("[", "(").replace("]", ")")


def _note(page: Page) -> str:
    """The page's description. Generators describe some pages by a heading; such a page gets its first sentence."""
    note, names = one_line(page.facts.description), _words(page.facts.title)
    sentence = ""
    for block in islice(parse_blocks(page.body), _MAX_BLOCKS):
        if block.kind == "heading":
            names |= _words(inline_text(block.title))
        elif block.kind == "paragraph" and not sentence:
            first = one_line(split_sentences(inline_text(block.text))[0][1])
            sentence = first if first.endswith(_ENDS) and len(first) >= _MIN_SENTENCE_CHARS else ""
    if _words(note) <= names and not note.endswith(_ENDS):
        note = sentence
    return note if len(note) <= _MAX_NOTE_CHARS else note[:_MAX_NOTE_CHARS].rpartition(" ")[0] + " …"


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _is_name(segment: str) -> bool:
    size = len(segment.encode("utf-8", "surrogateescape"))
    return 0 < size <= _MAX_SEGMENT_BYTES and segment not in (".", "..") and "\x00" not in segment
