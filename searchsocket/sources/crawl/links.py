"""The links of a page, for finding more pages; nothing else of it is looked at."""

from typing import Any

from lxml import etree


class _Links:
    """An lxml parser target: it builds no tree, so depth and size cost nothing."""

    def __init__(self) -> None:
        self.hrefs: list[str] = []
        self.base = ""
        self.nofollow = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "a" and attributes.get("href"):
            self.hrefs.append(attributes["href"])
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "")
        elif tag == "meta" and attributes.get("name", "").lower() == "robots":
            rules = attributes.get("content", "").lower().replace(",", " ").split()
            self.nofollow |= "nofollow" in rules or "none" in rules

    def close(self) -> None: ...


def page_links(html: bytes) -> tuple[list[str], str]:
    """(hrefs in page order, `<base href>`); no links when the page asks not to be followed or cannot be parsed."""
    found = _Links()
    target: Any = found  # lxml takes any object with these methods
    try:
        etree.fromstring(html, etree.HTMLParser(target=target, huge_tree=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return found.hrefs, found.base
    return ([], found.base) if found.nofollow else (found.hrefs, found.base)
