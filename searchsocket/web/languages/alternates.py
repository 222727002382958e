"""Read the `hreflang` links of a page."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from searchsocket.errors import InvalidRequest
from searchsocket.web.languages.codes import is_same_language, language_of_name
from searchsocket.web.urls.paths import canonical_path, page_path

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}")
_DEFAULT = "x-default"
MAX_ALTERNATES = 300  # a page with more is treated as having none


class Alternates(NamedTuple):
    """The language of a page, and the group of its translations."""

    language: str = ""  # of the page
    group: str = ""  # equal for a page and its translations; "" if it has none
    is_default: bool = False  # the page is `x-default`, for visitors with other languages


NO_ALTERNATES = Alternates()


def read_alternates(links: Sequence[tuple[str, str]], url: str, served_url: str) -> Alternates:
    """Read the language of a page, and its translation group, from its `hreflang` links.

    Links are ignored unless one of them leads to the page itself: some sites link to all start pages everywhere.

    Args:
        links: `hreflang` and `href` of each link; a path may include the base path, which `url` does not.
    """
    if not links or len(links) > MAX_ALTERNATES:
        return NO_ALTERNATES
    distinct = {(language.strip().replace("_", "-"), _path(href, served_url)) for language, href in links}
    languages = {(language, path) for language, path in distinct if path and _LANGUAGE.fullmatch(language)}
    path = _own_path(url, languages)
    own = sorted((language for language, other in languages if other == path), key=lambda tag: (len(tag), tag))
    # `en` and `en-US` may lead to the same page. If `en` and `de` do, only their hosts differ, which is no help here.
    if not own or not all(is_same_language(own[0], other) for other in own):
        return NO_ALTERNATES
    paths = sorted({other for _, other in languages})
    group = hashlib.sha256("\n".join(paths).encode("utf-8", "replace")).hexdigest()[:16] if len(paths) > 1 else ""
    return Alternates(own[0], group, (_DEFAULT, path) in {(language.lower(), other) for language, other in distinct})


def _path(href: str, served_url: str) -> str:
    """The page path of a link; "" if it has none."""
    try:
        path = urlsplit(urljoin(served_url, href.strip())).path or "/"
        return page_path(canonical_path(path)) if path.startswith("/") else ""
    except (ValueError, InvalidRequest):
        return ""


def _own_path(url: str, languages: Iterable[tuple[str, str]]) -> str:
    """The path that leads to the page itself, with any base path; "" if there is none."""
    tail = url if url != "/" else ""
    paths = [path for language, path in languages if _is_own(path.rstrip("/"), tail, language)]
    return min(paths, key=lambda path: (len(path), path), default="")


def _is_own(path: str, tail: str, language: str) -> bool:
    if not path.endswith(tail):
        return False
    base = path[: len(path) - len(tail)]
    names = (language_of_name(part) for part in base.split("/"))
    return not any(name and is_same_language(name, language) for name in names)
