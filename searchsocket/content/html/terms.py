"""Turn terms with an anchor into headings: a function, an option or a word of a glossary is a place to open.

A term is a `dt` with an id, or a short block beside its permalink, such as `def bark(self)` of pdoc.
"""

import re

from lxml import etree

from searchsocket.content.html.anchors import ANCHOR, inner_id, is_permalink
from searchsocket.content.html.tree import BLOCKS, HEADINGS, Element, elements_of, has_text, text_of

_PERMALINKS = etree.XPath("descendant::a[starts-with(@href, '#')]")
_HOLDER = "data-ss-holder"  # on the element that contains a term and its description
_NAME_CHARS = 300
_LEVELS_UP = 4  # from a permalink to the element with its id
_NO_HEADING_IN = frozenset({"li", "td", "th", "blockquote", "a", "summary", "caption", "figcaption"}) | HEADINGS
_LAST_NAME = re.compile(r"[\w$-]+\W*$")


def mark_terms(main: Element) -> None:
    """Store the anchors of terms as attributes; their permalinks are dropped later."""
    for term in main.iter("dt"):
        anchor = term.get("id") or inner_id(term)
        if anchor and _fits(term):
            term.set(ANCHOR, anchor.strip())
            _trim_sign(term)
    for link in elements_of(_PERMALINKS, main):
        if is_permalink(link):
            _mark_block(link)


def _mark_block(link: Element) -> None:
    """Make the short block around or before a permalink a term, if its text contains the last name of the id."""
    anchor = (link.get("href") or "")[1:]
    block = next((parent for parent in link.iterancestors() if parent.tag in BLOCKS), None)
    if block is None or block.tag in {"dt", "figcaption", "caption", *HEADINGS}:
        return
    if block.get("id") == anchor or any(True for child in block if child.tag in BLOCKS):
        before = link.getprevious()
        block = block if before is None or before.tag not in BLOCKS else before
    holder = next(
        (parent for parent in _with_ancestors(block) if parent.get("id") == anchor),
        None,
    )
    name = _LAST_NAME.search(anchor)
    if holder is None or name is None or block.tag not in {"div", "p"} or not _fits(block):
        return
    if name[0].casefold() in text_of(block).casefold() and not any(child.tag in BLOCKS for child in block):
        block.set(ANCHOR, anchor)
        holder.set(_HOLDER, "")


def _with_ancestors(element: Element) -> list[Element]:
    parents = [element]
    for parent in element.iterancestors():
        parents.append(parent)
        if len(parents) > _LEVELS_UP:
            break
    return parents


def _fits(term: Element) -> bool:
    return 0 < len(text_of(term)) <= _NAME_CHARS and not any(
        parent.tag in _NO_HEADING_IN for parent in term.iterancestors()
    )


def _trim_sign(term: Element) -> None:
    """Remove the colon before a name, which Texinfo writes after the kind of a definition."""
    for element in term.iter():
        if (element.text or "").strip():
            element.text = re.sub(r"^\s*:\s+", "", element.text or "")
            return


def settle_terms(main: Element) -> None:
    """Make each term a heading below the heading of its section, and its definition the text below."""
    terms = [element for element in main.iter("dt", "div", "p") if element.get(ANCHOR) and has_text(element)]
    if not terms:
        return
    pending = set(terms)
    bases: dict[Element, int] = {}
    level = 1
    for element in list(main.iter()):
        if element.tag in HEADINGS and element not in pending:
            level = int(str(element.tag)[1])
        elif element in pending:
            around = [parent for parent in element.iterancestors() if parent.tag == "dl" or parent.get(_HOLDER) == ""]
            top = around[-1] if around else element
            depth = max(len(around), 1)
            _name(element, min(bases.setdefault(top, level) + depth, 6))


def _name(term: Element, level: int) -> None:
    if term.tag == "dt":
        for sibling in term.itersiblings():
            if sibling.tag == "dt":
                break
            if sibling.tag == "dd":
                sibling.tag = "div"
    term.tag = f"h{level}"
