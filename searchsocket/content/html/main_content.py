"""Find the main content of a page, also by the marks that authors wrote for other search tools."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from searchsocket.content.html.tree import HEADINGS, Element, drop, elements_of, raw_text, sweep, with_attribute
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
BODY = "data-pagefind-body"
_WEIGHT = "data-pagefind-weight"
_EXCLUDED = etree.XPath("descendant::*[@data-pagefind-ignore or @data-search-exclude]")
_SWITCH = re.compile(r"<!--\s*googleo(ff|n):\s*(index|all)\s*-->", re.IGNORECASE)
_SWITCH_TYPE = "searchsocket/google"
# Tags of pages that only list other pages; the theme's own search never shows them.
_LIST_TAGS = frozenset({
    "blog_posts_list", "blog_tags_list", "blog_tags_posts", "blog_archive", "blog_authors_list", "blog_authors_posts",
    "docs_tags_list", "doc_tags_list", "doc_tag_doc_list",
})  # fmt: skip


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


def is_list_page(docusaurus_tag: str) -> bool:
    """Return True if Docusaurus excludes a page from its search since it only lists other pages."""
    return docusaurus_tag.strip() in _LIST_TAGS


def mark_switches(text: str) -> str:
    """Replace the comments `googleoff: index` and `googleon: index` by elements, since the parser drops comments."""
    if "googleo" not in text:
        return text
    return _SWITCH.sub(lambda match: f'<script type="{_SWITCH_TYPE}{match[1].lower()}"></script>', text)


def drop_excluded(root: Element, text: str) -> None:
    """Remove what a mark excludes.

    Args:
        text: Of the page; a page without marks is not searched for them.
    """
    if _SWITCH_TYPE in text:
        _drop_switched_off(root)
    if "data-pagefind-ignore" not in text and "data-search-exclude" not in text:
        return
    for element in elements_of(_EXCLUDED, root):
        if element.tag in HEADINGS:
            _drop_section(element)
        if element.tag not in {"html", "body"}:
            drop(element)
    sweep(root)


def weight_of(root: Element) -> str:
    """The weight that Pagefind gives to the whole content of a page; "" if it states none."""
    bodies = with_attribute(root, BODY)
    holders = bodies or list(islice(root.iter("body", "main"), 2))
    return next((weight for holder in holders if (weight := holder.get(_WEIGHT))), "")


def _drop_section(heading: Element) -> None:
    """Drop what follows a heading, up to the next heading."""
    heading.tail = None
    for sibling in list(heading.itersiblings()):
        if sibling.tag in HEADINGS or next(sibling.iterdescendants(*HEADINGS), None) is not None:
            break
        sibling.tail = None
        drop(sibling)


def _drop_switched_off(root: Element) -> None:
    """Remove everything between two switches, also if they are not in the same element."""
    elements = list(root.iter())
    places = {element: place for place, element in enumerate(elements)}
    last = list(range(len(elements)))  # the place of the last element inside each
    for place in range(len(elements) - 1, 0, -1):
        if (parent := elements[place].getparent()) is not None and parent in places:
            above = places[parent]
            last[above] = max(last[above], last[place])
    end_of = _switched_off(elements)
    for place, element in enumerate(elements):
        if place and end_of[place - 1] > last[place]:
            drop(element)
        elif end_of[place]:
            element.text = None
        if end_of[last[place]]:
            element.tail = None
    sweep(root)


def _switched_off(elements: list[Element]) -> list[int]:
    """For the point after the start of each element, the place where text counts again; 0 if it counts here."""
    end_of = [0] * len(elements)
    start = -1
    for place, element in enumerate(elements):
        kind = (element.get("type") or "") if element.tag == "script" else ""
        if kind == _SWITCH_TYPE + "ff" and start < 0:
            start = place
        elif kind == _SWITCH_TYPE + "n" and start >= 0:
            end_of[start:place] = [place] * (place - start)
            start = -1
    if start >= 0:
        end_of[start:] = [len(elements)] * (len(elements) - start)
    return end_of
