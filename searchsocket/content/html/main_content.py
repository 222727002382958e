"""Find the main content of a page."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from searchsocket.content.html.search_marks import BODY
from searchsocket.content.html.tree import Element, elements_of, raw_text, with_attribute
from searchsocket.content.pages import MARKED
from searchsocket.errors import ConfigError

_IDS = (
    "content", "main-content", "maincontent", "main", "doccontent", "page-content", "doc-content", "docs-content",
    "primary", "body-content",
)  # fmt: skip
_CLASSES = (
    "markdown-body", "vp-doc", "vt-doc", "theme-doc-markdown", "md-content", "rst-content", "rspress-doc", "yui-b",
    "main-content", "page-content", "post-content", "entry-content", "article-content", "docs-content", "doc-content",
    "col-content", "content", "bodywrapper", "body",
)  # fmt: skip
_FRAMES = frozenset({"header", "footer", "nav", "aside"})
_SHARE = 0.3  # of the page's text that an element found by its id or class must contain
_LENGTH = etree.XPath("string-length(normalize-space())")
_CLASS = re.compile(r"\.([A-Za-z_-][\w-]*)")


def choose_main(root: Element, selector: str, *, marked: bool = False) -> tuple[Element, str]:
    """Return the main content and how it was found, e.g. `main`, `#content`, `body`.

    Order: a configured selector other than `main`, `data-pagefind-body`, `main`, `[role=main]`, content-like ids and
    classes, `article`, `body`. Of nested matches the outermost is used; matches beside each other are combined. Scripts
    and the like are already removed.

    Args:
        marked: True if an element may have `data-pagefind-body`.
    """
    body = next(root.iter("body"), root)
    ways: tuple[tuple[str, Callable[[], list[Element]]], ...] = (
        (selector, lambda: elements_of(main_rule(selector), root) if selector != "main" else []),
        (MARKED, lambda: with_attribute(root, BODY) if marked else []),
        ("main", lambda: list(root.iter("main"))),
        ("[role=main]", lambda: with_attribute(root, "role", "main")),
    )
    for name, find in ways:
        outer = [element for element in _outermost(find()) if _has_text(element) and element.get("hidden") is None]
        if outer:
            return _together(outer), name
    total = _length(body)
    for name, element in _guesses(body):
        if _length(element) >= _SHARE * total > 0:
            return element, name
    articles = _outermost(list(body.iter("article")))
    if len(articles) > 1:  # only the page's own article has its title; the others show related pages
        articles = [article for article in articles if next(article.iter("h1"), None) is not None]
    if len(articles) == 1 and _length(articles[0]) >= _SHARE * total > 0:
        return articles[0], "article"
    return body, "body"


def _guesses(body: Element) -> list[tuple[str, Element]]:
    """Elements with a content-like id or class, likeliest first."""
    by_id: dict[str, Element] = {}
    by_class: dict[str, Element] = {}
    for element in body.iter():
        if element.tag in _FRAMES:
            continue
        key = element.get("id")
        if key is not None and key.lower() in _IDS:
            by_id.setdefault(key.lower(), element)
        names = element.get("class")
        if names is not None:
            for name in names.split():
                if name in _CLASSES:
                    by_class.setdefault(name, element)
    return [(f"#{by_id[key].get('id')}", by_id[key]) for key in _IDS if key in by_id] + [
        (f".{name}", by_class[name]) for name in _CLASSES if name in by_class
    ]


def _outermost(elements: list[Element]) -> list[Element]:
    inside = set(elements)
    return [element for element in elements if not any(parent in inside for parent in element.iterancestors())]


def _together(elements: list[Element]) -> Element:
    if len(elements) == 1:
        return elements[0]
    parent = etree.Element("div")
    parent.extend(elements)
    return parent


def _has_text(element: Element) -> bool:
    return bool(raw_text(element).strip(" \t\r\n"))


def _length(element: Element) -> float:
    length = _LENGTH(element)
    return length if isinstance(length, float) else 0.0


@dataclass(frozen=True, slots=True)
class DropRules:
    """`extract.drop_selectors` in two parts: class names, checked during the walk, and one XPath for all others."""

    class_names: frozenset[str]
    others: etree.XPath | None

    def matched_by_path(self, root: Element) -> set[Element]:
        """The elements under `root` that a selector other than a class name matches."""
        if self.others is None:
            return set()
        return set(elements_of(self.others, root))


@lru_cache(maxsize=32)
def drop_rules(selectors: tuple[str, ...]) -> DropRules:
    """Compile `extract.drop_selectors`.

    Raises:
        ConfigError: A selector is not CSS.
    """
    simple = {match[1] for text in selectors if (match := _CLASS.fullmatch(text.strip()))}
    paths = [_xpath(text, "extract.drop_selectors") for text in selectors if not _CLASS.fullmatch(text.strip())]
    return DropRules(frozenset(simple), etree.XPath(" | ".join(paths)) if paths else None)


@lru_cache(maxsize=32)
def main_rule(selector: str) -> etree.XPath:
    """Compile `extract.main_selector`.

    Raises:
        ConfigError: The selector is not CSS.
    """
    return etree.XPath(_xpath(selector, "extract.main_selector"))


def _xpath(selector: str, key: str) -> str:
    try:
        path = HTMLTranslator().css_to_xpath(selector.strip(), prefix="descendant-or-self::")
        etree.XPath(path)
    except (SelectorError, etree.XPathError) as error:
        raise ConfigError(f"{key}: {selector!r} is not a CSS selector that can be used here: {error}") from error
    return path
