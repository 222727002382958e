"""`llms.txt`: the site and its pages, in the format of llmstxt.org (v2), and `llms-full.txt`: all texts."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import quote, unquote_to_bytes

from searchsocket.content.chunking.atoms import split_sentences
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.markdown.text import inline_text
from searchsocket.content.pages import Page
from searchsocket.text.hidden import visible

MAX_LINKS = 500  # in one file, which agents read as a whole
_OWN_SECTION = 2  # minimum pages of a folder with its own heading
_LONG_SECTION = 25  # pages; a longer section is split by subfolder
_PAGES, _LISTS, _OPTIONAL = "Pages", "More lists of pages", "Optional"
_MIN_GROUP = 20  # pages: fewer stay in the list above
_RULE = "\n\n---\n\n"
VERSION = 3  # of the output; another value rewrites every file
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


def index_files(site: AgentSite, entries: Sequence[ListedPage], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield (name, text) of `llms.txt`, and for a large site of one per large folder, linked from the file above.

    Args:
        entries: Pages below `prefix`, by URL.
    """
    own, folders = (list(entries), {}) if len(entries) <= MAX_LINKS else grouped(entries, prefix)
    title = site.title if not prefix else f"{site.title}: {folder_name(entries, prefix)}"
    summary = one_line(site.summary)
    parts = [f"# {one_line(title) or UNTITLED}", *([f"> {summary}"] if summary else []), _guide(site)]
    for name, group in _sections(own, prefix):
        parts.append(f"## {name}\n\n" + "\n".join(_link(site, entry) for entry in group))
    if folders:
        lists = [
            f"- [{folder_name(group, folder)}]({site.address(f'{folder[1:]}/{INDEX}')}): "
            f"the {len(group)} pages below {folder}"
            for folder, group in folders.items()
        ]
        parts.append(f"## {_LISTS}\n\n" + "\n".join(lists))
    whole = f"{prefix}/{FULL}".removeprefix("/")
    if not prefix:
        parts.append(f"## {_OPTIONAL}\n\n- [All pages as one text]({site.address(whole)}): the same pages in full")
    yield f"{prefix}/{INDEX}".removeprefix("/"), "\n\n".join(parts) + "\n"
    for folder, group in folders.items():
        yield from index_files(site, group, folder)


def _guide(site: AgentSite) -> str:
    lines = ["Every page is also available as Markdown: add `.md` to its URL."]
    if site.search:
        lines.append(f"Search the site with `GET {site.search}?q=…`, which answers JSON.")
    if site.mcp:
        lines.append(f"An MCP server (streamable HTTP) searches and reads it: {site.mcp}")
    return "\n".join(f"- {line}" for line in lines)


def _sections(entries: Sequence[ListedPage], prefix: str) -> Iterator[tuple[str, list[ListedPage]]]:
    """Headings with their pages: those at the top first, then folder by folder."""
    by_folder = _by_folder([entry for entry in entries if markdown_name(entry.url)], prefix)
    for folder, group in [*by_folder.items()]:
        if len(group) > _LONG_SECTION:
            del by_folder[folder]
            by_folder |= _by_folder(group, folder)
    alone = [entry for group in by_folder.values() if len(group) < _OWN_SECTION for entry in group]
    if alone:
        yield _PAGES, alone
    headings = {_PAGES, _LISTS, _OPTIONAL}
    for folder, group in by_folder.items():
        if len(group) >= _OWN_SECTION:
            heading = one_line(folder_name(group, folder))
            if heading in headings:
                heading += f" in {one_line(folder)}"
            headings.add(heading)
            yield heading, group


def _by_folder(entries: Sequence[ListedPage], prefix: str) -> dict[str, list[ListedPage]]:
    """Group pages by the folder directly below `prefix`; the page of a folder belongs to it."""
    by_folder: dict[str, list[ListedPage]] = {}
    for entry in entries:
        by_folder.setdefault(f"{prefix}/{entry.url[len(prefix) :].strip('/').split('/')[0]}", []).append(entry)
    return by_folder


def _link(site: AgentSite, entry: ListedPage) -> str:
    note = f": {entry.note}" if entry.note else ""
    return f"- [{entry.title}]({site.address(markdown_name(entry.url))}){note}"


def grouped(entries: Sequence[ListedPage], prefix: str) -> tuple[list[ListedPage], dict[str, list[ListedPage]]]:
    """Split pages into those listed in the folder's own file, and those of subfolders with their own file.

    Args:
        entries: Pages below `prefix`, by URL.
        prefix: "" for the whole site, else as `/docs`.
    """
    by_folder: dict[str, list[ListedPage]] = {}
    for entry in entries:
        segments = entry.url[len(prefix) :].strip("/").split("/")
        by_folder.setdefault(f"{prefix}/{segments[0]}" if segments[0] else "", []).append(entry)
    large = {
        folder: group
        for folder, group in by_folder.items()
        if folder and len(group) >= _MIN_GROUP and any(entry.url != folder for entry in group)
    }
    return [entry for folder, group in by_folder.items() if folder not in large for entry in group], large


def folder_name(entries: Sequence[ListedPage], folder: str) -> str:
    """The display name of a folder: the title of its page, or its name."""
    own = next((entry.title for entry in entries if entry.url == folder), "")
    words = folder.rpartition("/")[2].replace("-", " ").replace("_", " ").strip()
    return own or words[:1].upper() + words[1:] or folder


@dataclass(frozen=True, slots=True)
class FullFile:
    """One of the texts: a head, then whole pages."""

    name: str
    head: str
    pages: list[ListedPage] = field(default_factory=list)


def full_files(site: AgentSite, entries: Sequence[ListedPage], max_bytes: int, prefix: str = "") -> Iterator[FullFile]:
    """Yield the texts that contain all pages; if one would exceed `max_bytes`, yield one text per folder.

    A page larger than `max_bytes` is linked instead of included.

    Args:
        entries: Pages below `prefix`, by URL.
        max_bytes: Limit for the pages in one text.
    """
    included = [entry for entry in entries if entry.size <= max_bytes]
    is_small = sum(_cost(entry) for entry in included) <= max_bytes
    own, folders = (included, {}) if is_small else grouped(included, prefix)
    parts = _pack(own, max_bytes)
    names = [f"{prefix}/{FULL}", *(f"{prefix}/llms-full-{number}.txt" for number in range(2, len(parts) + 1))]
    names = [name.removeprefix("/") for name in names]
    more = [
        *(f"- [Part {number}]({site.address(name)})" for number, name in enumerate(names[1:], 2)),
        *(f"- [{folder_name(group, url)}]({site.address(f'{url[1:]}/{FULL}')})" for url, group in folders.items()),
        *(_too_large(site, entry) for entry in entries if entry.size > max_bytes and not prefix),
    ]
    title = site.title if not prefix else f"{site.title}: {folder_name(entries, prefix)}"
    for number, (name, pages) in enumerate(zip(names, parts, strict=True)):
        head = f"# {one_line(title) or UNTITLED}" + (f", part {number + 1}" if number else "")
        if not number and (summary := one_line(site.summary)):
            head += f"\n\n> {summary}"
        if not number and more:
            head += "\n\nThe rest of the text:\n\n" + "\n".join(more)
        yield FullFile(name, head, pages)
    for folder, group in folders.items():
        yield from full_files(site, group, max_bytes, folder)


def joined(file: FullFile, texts: Sequence[str]) -> str:
    """Join the head and the pages of a file.

    Args:
        texts: The Markdown of its pages, in their order.
    """
    return _RULE.join([file.head, *(text.strip("\n") for text in texts)]) + "\n"


def _pack(entries: Sequence[ListedPage], room: int) -> list[list[ListedPage]]:
    """Pack consecutive entries into parts, each as full as possible; at least one part."""
    parts: list[list[ListedPage]] = [[]]
    used = 0
    for entry in entries:
        if used + _cost(entry) > room and parts[-1]:
            parts.append([])
            used = 0
        parts[-1].append(entry)
        used += _cost(entry)
    return parts


def _cost(entry: ListedPage) -> int:
    return entry.size + len(_RULE)


def _too_large(site: AgentSite, entry: ListedPage) -> str:
    name = markdown_name(entry.url)
    return f"- [{entry.title}]({site.address(name) if name else entry.url}): {entry.size:,} bytes, in a file of its own"


def render_markdown(page: Page, site: AgentSite) -> str:
    """The Markdown of a page for agents: title, address and text, without source paths.

    The front matter is valid YAML: each value is JSON.
    """
    facts = page.facts
    values = {
        "title": facts.title,
        "description": facts.description,
        "url": f"{site.origin}{facts.address or site.base + facts.url}",
        "modified": facts.modified,
        "index": site.address(INDEX),
    }
    head = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value)
    heading = "" if page.body.startswith("# ") else f"# {' '.join(facts.title.split())}\n\n"
    return f"---\n{head}\n---\n\n{heading}{page.body}\n"


def utf8(text: str) -> bytes:
    """Encode a text with hidden characters escaped, since a page may hide a message for a model in them."""
    return visible(text).encode()
