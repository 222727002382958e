"""`llms-full.txt`: all pages in one text, or in several texts if one would be too large."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from searchsocket.content.llms.index import folder_name, grouped
from searchsocket.content.llms.site import FULL, INDEX, UNTITLED, AgentSite, ListedPage, markdown_name, one_line
from searchsocket.content.pages import Page
from searchsocket.text.hidden import visible

_RULE = "\n\n---\n\n"
VERSION = 3  # of the output; another value rewrites every file


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
