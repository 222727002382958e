"""`llms.txt`: a description of the site and its pages, in the format of llmstxt.org (v2)."""

from collections.abc import Iterator, Sequence

from searchsocket.content.llms.site import FULL, INDEX, UNTITLED, AgentSite, ListedPage, markdown_name, one_line

MAX_LINKS = 500  # in one file, which agents read as a whole
_OWN_SECTION = 2  # minimum pages of a folder with its own heading
_LONG_SECTION = 25  # pages; a longer section is split by subfolder
_PAGES, _LISTS, _OPTIONAL = "Pages", "More lists of pages", "Optional"
_MIN_GROUP = 20  # pages: fewer stay in the list above


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
