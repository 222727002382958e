"""Read the edit link of a page: the path of its source file in a repository."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from searchsocket.content.html.tree import Element, text_of

MARKS = ("/edit/", "/blob/", "/_edit/", "/src/", "_sources/")  # a page without any of them has no edit link
_ADDRESS = re.compile(
    r"https?://[^/?#]+/[^?#]*?/(?P<kind>-/edit|-/blob|-/ide/[^?#]*?|edit|_edit|blob|src/branch|src)/(?P<path>[^?#]+)"
)
_SPHINX = re.compile(r"(?:^|/)(?P<path>_sources/[^?#]+)\.txt$")
_LABEL = re.compile(
    r"\b(?:edit|source|improve|suggest|view|bearbeiten|modifier|editar|modifica)|编辑|編集", re.IGNORECASE
)
_FILE = re.compile(r"\.[A-Za-z]{2,9}$")


def edit_link(root: Element, text: str) -> str:
    """Return the branch and path of a page's edit link, such as `main/docs/install.md`; "" if there is none.

    A link to the copy of a source that Sphinx publishes is `_sources/install.rst`. If several links of the best kind
    name different files, the page itself is about files.

    Args:
        text: The page's HTML. Most pages have none of the addresses, and are not searched.
    """
    if not any(mark in text for mark in MARKS):
        return ""
    links = [*_links(root)]
    best = min((rank for rank, _ in links), default=0)
    paths = {path for rank, path in links if rank == best}
    return paths.pop() if len(paths) == 1 else ""


def _links(root: Element) -> Iterator[tuple[int, str]]:
    """Yield the rank and path of each link that may open the source of the page; the lowest rank is the likeliest."""
    for anchor in root.iter("a", "link"):
        href = (anchor.get("href") or "").strip()
        if match := _SPHINX.search(href):
            yield 2, unquote(match["path"])
        elif (match := _ADDRESS.match(href)) and _FILE.search(match["path"]):
            words = (anchor.get(name) or "" for name in ("title", "aria-label", "class", "rel"))
            is_labelled = bool(_LABEL.search(" ".join([text_of(anchor), *words])))
            if "edit" in match["kind"]:
                yield 0 if is_labelled else 1, unquote(match["path"])
            elif is_labelled:
                yield 1, unquote(match["path"])
