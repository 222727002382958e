"""Resolve the links of a page, and escape them so that Markdown cannot misread them."""

import re
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit

from searchsocket.content.html.tree import BLOCKS, HEADINGS, Element, one_line, raw_text
from searchsocket.content.pages import Link
from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase, resolve_base, resolve_link

_SCHEMES = frozenset({"http", "https", "mailto", "tel", "ftp"})
_UNSAFE = re.compile(r"[\s()<>\\\"`|{}\x00-\x1f\x7f]")
_ROOTED = re.compile(r"/\w", re.ASCII)
_LINK_TEXT_CHARS = 200
_URL_CHARS = 250  # a longer one carries data (a playground's source), and would fill a chunk


class LinkResolver:
    """Resolves the links of one page; each distinct link is resolved once."""

    def __init__(self, served_url: str, *, base_href: str = "", site: SiteBase = AT_ROOT) -> None:
        self._site = site
        self._fragments_stay = not base_href
        self._served = served_url
        if base_href:
            with suppress(InvalidRequest):
                self._served = resolve_base(base_href, served_url, site)
        self._targets: dict[str, str | None] = {}

    def path(self, href: str) -> str | None:
        """The URL path of a link on this site; None if it leaves the site."""
        if href not in self._targets:
            rooted = len(href) <= _URL_CHARS and _ROOTED.match(href) is not None
            self._targets[href] = (
                _resolve_rooted(href, self._site) if rooted else _resolve(href, self._served, self._site)
            )
        return self._targets[href]

    def destination(self, href: str) -> str:
        """The link as the mirror writes it: absolute on this site, with its query and fragment.

        Returns:
            "" for a link that must not be followed.
        """
        href = href.strip()
        if len(href) > _URL_CHARS:
            return ""
        if href.startswith("#") and self._fragments_stay:
            return _escape(href) if len(href) > 1 else ""
        path = self.path(href)
        if path is not None:
            before, mark, fragment = href.partition("#")
            _, question, query = before.partition("?")
            return _escape(path + (question + query if query else "") + (mark + fragment if fragment else ""))
        try:
            scheme = urlsplit(href).scheme.lower()
        except ValueError:
            return ""
        return _escape(href) if scheme in _SCHEMES or href.startswith("//") else ""

    def external(self, href: str) -> str:
        """An http(s) address of another site, as written; "" for anything else."""
        href = href.strip()
        return _escape(href) if href.lower().startswith(("http://", "https://")) else ""


@lru_cache(maxsize=8_192)
def _resolve_rooted(href: str, site: SiteBase) -> str | None:
    """The target of a link that starts at the root. It is equal for all pages, so pages share the result."""
    return _resolve(href, "/", site)


def _resolve(href: str, served_url: str, site: SiteBase) -> str | None:
    try:
        return resolve_link(href, served_url, site)
    except InvalidRequest:  # too long, or with a NUL: not a valid page URL
        return None


def collect_links(main: Element, resolver: LinkResolver) -> tuple[Link, ...]:
    """The links of the main content in page order, each (target, text) once. Also rewrites `href` for the mirror."""
    links: dict[Link, None] = {}
    for anchor in main.iter("a"):
        href = anchor.get("href")
        if href is None:
            continue
        target = (
            resolver.path(href) if not href.strip().startswith("#") else None
        )  # links to the page itself carry no information
        if target is not None:
            links[Link(target, link_text(anchor))] = None
        anchor.set("href", resolver.destination(href))
    return tuple(links)


def link_text(anchor: Element) -> str:
    """The text of a link: its own text, or its image's text, or its label."""
    heading = next(anchor.iterdescendants(*HEADINGS), None) if len(anchor) else None
    if heading is None and any(child.tag in BLOCKS for child in anchor):
        text = one_line(" ".join(str(text) for text in anchor.itertext()), _LINK_TEXT_CHARS)
    else:
        text = one_line(raw_text(anchor if heading is None else heading), _LINK_TEXT_CHARS)
    if text:
        return text
    images = (image.get("alt") or "" for image in anchor.iter("img"))
    return one_line(next(filter(None, images), "") or anchor.get("aria-label") or anchor.get("title") or "", 200)


def _escape(url: str) -> str:
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)
