"""The links of a page, for finding more pages; nothing else of it is looked at."""

from typing import Any

from lxml import etree

from searchsocket.web.urls.paths import without_query

MAX_LINKS = 10_000  # different ones on one page; as many pages as a whole crawl fetches unless it is told otherwise


class PageLinks:
    """Links of a page. An lxml parser target: it builds no tree, so depth and size cost nothing."""

    def __init__(self) -> None:
        self.hrefs: dict[str, None] = {}  # in page order, without queries and fragments
        self.base = ""  # `<base href>`
        self.canonical = ""
        self.nofollow = False
        self.cut = False  # there were more than `MAX_LINKS`

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "a":
            if href := without_query(attributes.get("href", "")):
                self._add(href)
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "")
        elif tag == "link" and not self.canonical and "canonical" in attributes.get("rel", "").lower().split():
            self.canonical = attributes.get("href", "")
        elif tag == "meta" and attributes.get("name", "").lower() == "robots":
            rules = attributes.get("content", "").lower().replace(",", " ").split()
            self.nofollow |= "nofollow" in rules or "none" in rules

    def _add(self, href: str) -> None:
        if len(self.hrefs) < MAX_LINKS:
            self.hrefs[href] = None
        elif href not in self.hrefs:
            self.cut = True

    def close(self) -> None: ...


def page_links(html: bytes) -> PageLinks:
    """The links of a page; none when it asks not to be followed, and those before the break when it is broken."""
    found = PageLinks()
    target: Any = found  # lxml takes any object with these methods
    try:
        etree.fromstring(html, etree.HTMLParser(target=target, huge_tree=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return found
    if found.nofollow:
        found.hrefs, found.cut = {}, False
    return found
