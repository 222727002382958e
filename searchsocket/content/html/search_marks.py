"""Follow the marks that authors wrote for other search tools: Pagefind, DocSearch, Material and search appliances."""

import re
from itertools import islice

from lxml import etree

from searchsocket.content.html.tree import HEADINGS, Element, drop, elements_of, sweep, with_attribute

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
