"""Target page of a link, and the link texts that name it (spec 8.4, 13)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import canonical_path, path_of_file

MAX_TEXTS = 8
MAX_TEXT_CHARS = 80
_MAX_HOPS = 5  # redirects followed; a longer chain is a loop or a mistake
_SUFFIX = re.compile(r"\.(?:html?|md|mdx|svx|markdown)$", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|readme)$", re.IGNORECASE)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SAYS_NOTHING = re.compile(r"\d*|https?:.*|www\..*", re.DOTALL)

# Words that say where the reader goes next, and nothing of what is there.
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
    """The page of the site that a link means.

    Authors write one page in several ways: with `.html`, as `/index`, with a trailing slash, escaped once too often.
    The plain reading wins over all others, and a page over a redirect.

    Args:
        target: A URL path on this site, as in `Link.target`.
        is_page: Whether a canonical path is a page.
        redirects: Where a canonical path redirects to (or the page that it names as its canonical one), else None.

    Returns:
        A canonical path for which `is_page` holds; None for a dead link.
    """
    seen: set[str] = set()
    next_target: str | None = target
    while next_target is not None and len(seen) <= _MAX_HOPS:
        try:
            url = canonical_path(next_target)
        except InvalidRequest:
            return None
        if url in seen:
            return None
        seen.add(url)
        readings = list(dict.fromkeys(_readings(url)))
        page = next((reading for reading in readings if is_page(reading)), None)
        if page is not None:
            return page
        next_target = next((to for reading in readings if (to := redirects(reading)) is not None), None)
    return None


def rank_link_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """The words by which a page is known, most frequent first, ties by alphabet.

    Args:
        texts: One for each page that links with it; `Here`, `read more` and the like are dropped.

    Returns:
        At most 8 texts of at most 80 characters; spellings that differ only in case or space are one.
    """
    spellings: dict[str, Counter[str]] = {}
    for text in texts:
        cut = _shorten(" ".join(text.split()))
        spellings.setdefault(cut.casefold(), Counter())[cut] += 1
    ranked = sorted(
        (-spelling.total(), min(spelling, key=lambda text: (-spelling[text], text)))
        for key, spelling in spellings.items()
        if not _says_nothing(key)
    )
    return tuple(text for _, text in ranked[:MAX_TEXTS])


def _readings(url: str) -> Iterator[str]:
    """All pages that a path may mean, the likeliest first."""
    yield url
    bare = _SUFFIX.sub("", url)
    yield _or_root(bare)
    yield _or_root(_INDEX.sub("", bare))
    if "%" in url:
        # Escapes that were escaped again, or file names that hold escapes.
        for variant in (unquote(url), path_of_file(url) if len(url) < 1000 else url):
            try:
                yield _or_root(_SUFFIX.sub("", canonical_path(variant)))
            except InvalidRequest:
                continue


def _says_nothing(text: str) -> bool:
    words = _EDGES.sub("", text)  # arrows, dots, brackets; but `C++` and `C` stay two texts
    return words in _GENERIC or bool(_SAYS_NOTHING.fullmatch(words))


def _or_root(url: str) -> str:
    return url or "/"


def _shorten(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    head, space, _ = text[: MAX_TEXT_CHARS + 1].rpartition(" ")
    return head.rstrip() if space else text[:MAX_TEXT_CHARS]
