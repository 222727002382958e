"""Anchors of headings, and links of a page: resolve them, and escape them so that Markdown cannot misread them."""

import re
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote, urlsplit

from searchsocket.content.html.tree import BLOCKS, GONE, HEADINGS, Element, drop, one_line, raw_text, text_of, unwrap
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


ANCHOR = "data-ss-anchor"
_SIGNS = frozenset({"link", "permalink", "anchor", "copy link", "link to this heading", "direct link"})
_PERMALINK_CLASSES = frozenset({
    "headerlink", "header-anchor", "anchorjs-link", "hash-link", "heading-link", "permalink", "anchor-link",
    "heading-anchor", "direct-link", "copiable-anchor", "copiable-link", "id_link", "pilcrow", "selflink",
})  # fmt: skip
# The whole text of a link into the page itself; `*` and daggers are footnotes.
_PERMALINK_SIGNS = frozenset({"¶", "#", "§", "🔗", "⚓", "⛓", "❡", "◆", "∞", "link", "permalink"})
_RETURN_SIGNS = frozenset({"↩", "↵", "⏎", "⤴", "↥"})
_RETURN_SIGNS_TO_NOTES = _RETURN_SIGNS | {"↑", "^"}
_LEVELS_UP = 5


def mark_anchor(heading: Element) -> None:
    """Store the heading's anchor as an attribute, and remove permalink signs from its text (spec 8.3).

    Candidates, in order: its own id; its permalink's target; an id or name inside it; an empty anchor directly before;
    the id of a section that it opens.
    """
    permalink = ""
    for anchor in list(heading.iter("a")):
        href = anchor.get("href") or ""
        if not href.startswith("#") and not _is_sign(anchor, ""):
            continue
        permalink = permalink or (unquote(href[1:]) if href.startswith("#") else "")
        if _is_sign(anchor, text_of(heading)):
            if anchor.get("id") or anchor.get("name"):
                permalink = permalink or anchor.get("id") or anchor.get("name") or ""
            drop(anchor)
        else:
            unwrap(anchor)  # the heading's own text, linked to itself
    anchor_id = heading.get("id") or permalink or inner_id(heading) or _id_before(heading) or _section_id(heading)
    if anchor_id:
        heading.set(ANCHOR, anchor_id.strip())


def _is_sign(anchor: Element, heading_text: str) -> bool:
    """Return True if a link in a heading only copies the heading's URL."""
    text = text_of(anchor)
    if text and text == heading_text:
        return False
    if len(text) <= 2 and not any(char.isalnum() for char in text):
        return (
            anchor.get("href") is None
            or (anchor.get("href") or "").startswith("#")
            or not any(True for _ in anchor.iter("img"))
        )
    names = (anchor.get("class") or "").split()
    return text.lower() in _SIGNS or not _PERMALINK_CLASSES.isdisjoint(names)


def is_permalink(link: Element) -> bool:
    """Return True if a link only shows the address of the element around or before it, outside headings too."""
    sign = _sign_of(link)
    if sign in _PERMALINK_SIGNS:
        return not sign.isalpha() or _leads_here(link)  # a word may be part of a sentence
    names = (link.get("class") or "").split()
    return not _PERMALINK_CLASSES.isdisjoint(names) and not any(map(str.isalnum, text_of(link)))


def _leads_here(link: Element) -> bool:
    """Return True if the fragment of a link is the id of an element around it or directly before it."""
    target = unquote((link.get("href") or "").partition("#")[2])
    around = [link, link.getprevious(), *islice(link.iterancestors(), _LEVELS_UP)]
    return any(element is not None and element.get("id") == target for element in around)


def is_return(link: Element) -> bool:
    """Return True if a link leads from a footnote back to the text."""
    sign, target = _sign_of(link), (link.get("href") or "").lower()
    return sign in _RETURN_SIGNS or (sign in _RETURN_SIGNS_TO_NOTES and "ref" in target)


def _sign_of(link: Element) -> str:
    """The short text of a link, without variation selectors."""
    return one_line(raw_text(link)).replace("\ufe0e", "").replace("\ufe0f", "").lower() if len(link) < 3 else ""


def inner_id(heading: Element) -> str:
    """The id or name of the first element in a heading that has one."""
    for element in heading.iterdescendants():
        if element.tag in {"button", "input", "svg"}:
            continue
        anchor = element.get("id") or (element.get("name") if element.tag == "a" else None)
        if anchor:
            return anchor
    return ""


def _id_before(heading: Element) -> str:
    """The id of an empty element directly before the heading."""
    element = heading.getprevious()
    while element is not None and not (element.tail or "").strip():
        if (element.text or "").strip() or len(element) or element.tag not in {"a", "span", "div", "i", GONE}:
            break
        anchor = element.get("id") or element.get("name") or (element.get("href") or "")
        if anchor and (anchor[0] != "#" or anchor[1:]):
            return unquote(anchor[1:]) if anchor[0] == "#" else anchor
        element = element.getprevious()
    return ""


def _section_id(heading: Element) -> str:
    """The id of the section that starts with this heading, at most `_LEVELS_UP` levels up."""
    element = heading
    for _ in range(_LEVELS_UP):
        parent = element.getparent()
        if parent is None or parent.tag in {"body", "main", "li", "td"} or parent.tag in HEADINGS:
            return ""
        if (parent.text or "").strip() or not _only_empty_before(element):
            return ""
        if parent.get("id") and parent.tag in BLOCKS:
            return parent.get("id") or ""
        element = parent
    return ""


def _only_empty_before(element: Element) -> bool:
    before = element.getprevious()
    while before is not None:
        if (before.tail or "").strip() or text_of(before):
            return False
        before = before.getprevious()
    return True
