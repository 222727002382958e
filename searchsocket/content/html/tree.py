"""Small edits of an lxml tree that keep the text around an element."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element
_AttributeText = etree._ElementUnicodeResult

GONE = "ss-gone"
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = HEADINGS | {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "li", "main", "menu", "nav",
    "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    "caption",
}  # fmt: skip
# C0 and C1 controls without tab and line feed, soft hyphen, zero-width space, word joiner, byte order mark.
# The joiners U+200C and U+200D stay: scripts and emoji need them.
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\xa0\u00ad\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]")


def clean_text(text: str) -> str:
    """Normalise spaces and line ends, and remove invisible characters."""
    # No unclean character is printable, and nearly every text is clean.
    if text.isprintable() or _UNCLEAN.search(text) is None:
        return text
    return _LINE_ENDS.sub("\n", _SPACES.sub(" ", _INVISIBLE.sub("", text)))


def one_line(text: str, max_chars: int = 1000) -> str:
    """Text on one line, whitespace collapsed, cut at `max_chars`."""
    return " ".join(clean_text(text).split())[:max_chars].rstrip()


def raw_text(element: Element) -> str:
    """All text in an element, unchanged."""
    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False))


def text_of(element: Element) -> str:
    """All text in an element on one line."""
    return " ".join(raw_text(element).split())


def has_text(element: Element) -> bool:
    """Return True if an element contains text."""
    text = raw_text(element)
    return bool(text) and not text.isspace()


def drop(element: Element) -> None:
    """Empty an element and mark it for removal; the text after it stays. `sweep` removes all marked elements at once.

    Removing each alone would join the surrounding text again and again: quadratic for thousands of elements.
    """
    if element.getparent() is not None:
        replace_text(element, GONE, "")


def unwrap(element: Element) -> None:
    """Turn an element into a plain `span`, so that only its content remains."""
    element.attrib.clear()
    element.tag = "span"


def sweep(root: Element) -> None:
    """Remove all dropped elements."""
    etree.strip_elements(root, GONE, with_tail=False)


def with_attribute(root: Element, name: str, value: str = "") -> list[Element]:
    """The elements at and under `root` with an attribute (of that value), in page order."""
    texts = _attribute_path(name)(root)
    matches = [text for text in texts if not value or text == value] if isinstance(texts, list) else []
    return _owners(matches)


def elements_of(path: etree.XPath, root: Element) -> list[Element]:
    """The elements, or the elements of the attributes, that a compiled path finds, in page order."""
    matches = path(root)
    return _owners(matches) if isinstance(matches, list) else []


def _owners(matches: Iterable[object]) -> list[Element]:
    owners = (item.getparent() if isinstance(item, _AttributeText) else item for item in matches)
    return [owner for owner in owners if isinstance(owner, etree._Element)]


def link_share(element: Element) -> float:
    """The share of an element's text that is in links; 1.0 without text."""
    total = len(text_of(element))
    linked = sum(len(text_of(anchor)) for anchor in element.iter("a"))
    return linked / total if total else 1.0


def embolden(element: Element) -> None:
    """Make the text of an element strong, unless it has blocks or strong text already."""
    if any(child.tag in {"strong", "b"} | BLOCKS for child in element.iterdescendants()):
        return
    strong = etree.Element("strong")
    strong.text, element.text = element.text, None
    strong.extend(list(element))
    element.append(strong)


@lru_cache(maxsize=32)
def _attribute_path(name: str) -> etree.XPath:
    # `@name` is much faster than a comparison with name(), which only unusual names need. Searching attributes is
    # three times as fast as searching the elements that have them.
    test = f"@{name}" if _NAME.fullmatch(name) else f"@*[name()={name!r}]"
    return etree.XPath(f"descendant-or-self::*/{test}")


def replace_text(element: Element, tag: str, text: str) -> None:
    """Turn an element into `<tag>text</tag>`, without attributes."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail


def classes(element: Element) -> list[str]:
    """The class names of an element."""
    return (element.get("class") or "").split()
