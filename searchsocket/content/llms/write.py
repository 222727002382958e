"""Write the files for agents of one generation into a site's folder; unchanged files are not written."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from hashlib import sha256

from searchsocket.content.llms.folder import OwnFiles, names_that_clash
from searchsocket.content.llms.full import VERSION, FullFile, full_files, joined, render_markdown, utf8
from searchsocket.content.llms.index import index_files
from searchsocket.content.llms.site import AgentSite, ListedPage, entry_of, markdown_name
from searchsocket.content.pages import Page


def write_files(
    site: AgentSite,
    pages: Iterable[tuple[str, str]],
    read: Callable[[str], Page],
    files: OwnFiles,
    *,
    max_bytes: int,
) -> list[ListedPage]:
    """Write each page's Markdown, the lists and the full texts.

    Args:
        pages: (URL, digest) of each page, by rising URL; equal digests mean equal pages.
        read: Returns the page of a URL.
        max_bytes: Limit for the pages in one full text.

    Returns:
        The pages that are listed.
    """
    made_with = f"{VERSION} {site!r}"
    listed = {url: digest for url, digest in pages if markdown_name(url)}
    clashing = names_that_clash(map(markdown_name, listed))
    entries, digests = [], {}
    for url, digest in listed.items():
        name = markdown_name(url)
        if name in clashing:
            continue
        made_of = _digest(made_with, digest)
        if facts := files.facts(name, made_of):
            entry, make = ListedPage(**facts), partial(_markdown, site, read, url)
        else:
            page = read(url)
            data = utf8(render_markdown(page, site))
            entry, make = entry_of(page, len(data)), partial(bytes, data)
        files.put(name, made_of, make, asdict(entry))
        entries.append(entry)
        digests[url] = made_of
    for name, text in index_files(site, entries):
        files.put(name, _digest(text), partial(utf8, text), {})
    for full in full_files(site, entries, max_bytes):
        made_of = _digest(full.head, *(digests[entry.url] for entry in full.pages))
        files.put(full.name, made_of, partial(_full, site, read, full), {})
    return entries


def _markdown(site: AgentSite, read: Callable[[str], Page], url: str) -> bytes:
    return utf8(render_markdown(read(url), site))


def _full(site: AgentSite, read: Callable[[str], Page], file: FullFile) -> bytes:
    return utf8(joined(file, [render_markdown(read(entry.url), site) for entry in file.pages]))


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
