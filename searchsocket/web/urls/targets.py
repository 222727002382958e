"""Find the target page of a link, and rank the link texts that name a page (spec 8.4, 13)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import canonical_path, path_of_file

MAX_TEXTS = 8
MAX_TEXT_CHARS = 80
_MAX_HOPS = 5  # redirects to follow; a longer chain is a loop or a mistake
_SUFFIX = re.compile(r"\.(?:x?html?|md|mdx|svx|markdown)$", re.IGNORECASE)
_INDEX = re.compile(r"/(?:_?index|readme)$", re.IGNORECASE)
_ORDER = re.compile(r"(?<=/)\d+\s*[-_.]+\s*(?=[^-_.\s/])")  # numbers that sort content files are no part of addresses
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_NO_NAME = re.compile(r"\d*|https?:.*|www\..*", re.DOTALL)

# Generic link texts, which do not describe the target.
_GENERIC = frozenset(
    """
    back|back to top|click|click here|continue|continue reading|details|edit|edit page|edit this page|find out more
    |full story|go|here|home|home page|homepage|learn more|link|menu|more|more info|next|next chapter|next page
    |next post|next section|page|permalink|prev|previous|previous chapter|previous page|previous post|read|read more
    |see|see here|see more|show more|skip to content|skip to main content|source|src|table of contents|this|this link
    |this page|toc|top|up|view|view more|view source|website
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)


def resolve_target(
    target: str, is_page: Callable[[str], bool], redirects: Callable[[str], str | None] = lambda _: None
) -> str | None:
    """Find the page of the site that a link means.

    Authors write the same page in several ways: with `.html`, as `/index`, with a trailing slash, or escaped twice.
    The literal reading takes precedence, and a page takes precedence over a redirect.

    Args:
        target: A URL path on this site, as in `Link.target`.
        is_page: Returns True if a canonical path is a page.
        redirects: Returns the target of a redirect, or a page's canonical URL, or None.

    Returns:
        A canonical path for which `is_page` is True; None for a dead link.
    """
    visited: set[str] = set()
    next_target: str | None = target
    while next_target is not None and len(visited) <= _MAX_HOPS:
        try:
            url = canonical_path(next_target)
        except InvalidRequest:
            return None
        if url in visited:
            return None
        visited.add(url)
        readings = list(dict.fromkeys(_readings(url)))
        page = next((reading for reading in readings if is_page(reading)), None)
        if page is not None:
            return page
        next_target = next((to for reading in readings if (to := redirects(reading)) is not None), None)
    return None


def rank_link_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts by which links name a page, most frequent first, then alphabetical.

    Args:
        texts: One per linking page; `Here`, `read more` and the like are dropped.

    Returns:
        At most 8 texts of at most 80 characters; texts that differ only in case or spaces are merged.
    """
    spellings: dict[str, Counter[str]] = {}
    for text in texts:
        cut = _shorten(" ".join(text.split()))
        spellings.setdefault(cut.casefold(), Counter())[cut] += 1
    ranked = sorted(
        (-spelling.total(), min(spelling, key=lambda text: (-spelling[text], text)))
        for key, spelling in spellings.items()
        if not _is_generic(key)
    )
    return tuple(text for _, text in ranked[:MAX_TEXTS])


def _readings(url: str) -> Iterator[str]:
    """Yield all pages that a path may mean, likeliest first."""
    yield url
    bare = _SUFFIX.sub("", url)
    yield _or_root(bare)
    yield _or_root(_INDEX.sub("", bare))
    yield _or_root(_INDEX.sub("", _ORDER.sub("", bare)))
    if "%" in url:
        # Escapes that were escaped again, or file names that contain escapes.
        for variant in (unquote(url), path_of_file(url) if len(url) < 1000 else url):
            try:
                yield _or_root(_SUFFIX.sub("", canonical_path(variant)))
            except InvalidRequest:
                continue


def _is_generic(text: str) -> bool:
    words = _EDGES.sub("", text)  # arrows, dots, brackets; but `C++` and `C` stay two texts
    return words in _GENERIC or bool(_NO_NAME.fullmatch(words))


def _or_root(url: str) -> str:
    return url or "/"


def _shorten(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    head, space, _ = text[: MAX_TEXT_CHARS + 1].rpartition(" ")
    return head.rstrip() if space else text[:MAX_TEXT_CHARS]
