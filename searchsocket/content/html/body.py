"""Convert the main content to Markdown, links and headings; HTML pages and content files share this step."""

import re
from dataclasses import dataclass

from lxml import etree

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.links import ANCHOR, LinkResolver, collect_links, inner_id, is_permalink
from searchsocket.content.html.opened import settle_opened
from searchsocket.content.html.prune import prune
from searchsocket.content.html.settle import limit_size, settle_blocks
from searchsocket.content.html.tree import BLOCKS, HEADINGS, Element, elements_of, has_text, one_line, raw_text, text_of
from searchsocket.content.pages import Link
from searchsocket.project.settings.site import ExtractSettings, TransformSettings

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


@dataclass(frozen=True, slots=True)
class Body:
    """Text of the main content."""

    markdown: str  # "" when there is no text
    links: tuple[Link, ...]
    h1: str  # text of the only h1; "" when there is none, or several
    first_heading: str  # the first h1, else the first of any level
    only_date: str  # `datetime` of the one <time>; "" if there are several
    warnings: tuple[str, ...]


def read_body(
    main: Element,
    how: str,
    resolver: LinkResolver,
    extract: ExtractSettings,
    transform: TransformSettings,
    converter: Converter = FAST,
) -> Body:
    """Prune, normalise and convert the main content; this changes `main`.

    Args:
        how: How it was found; for `body`, it includes the site's own header and footer.
    """
    settle_opened(main)
    mark_terms(main)
    prune(main, how, extract, transform)
    times = [time.get("datetime") or "" for time in main.iter("time")]
    links = collect_links(main, resolver)
    settle_blocks(main, resolver, converter.custom)
    warnings = [note for note in (limit_size(main),) if note]
    h1, first_heading = _headings(main)
    settle_terms(main)
    markdown = converter.to_markdown(main, keep_tables=transform.preserve_tables)
    if not any(char.isalnum() for char in markdown):
        markdown = ""
        warnings.append(f"no text in {how}: check extract.main_selector and extract.drop_selectors")
    return Body(markdown, links, h1, first_heading, times[0] if len(times) == 1 else "", tuple(warnings))


def _headings(main: Element) -> tuple[str, str]:
    headings = [(element.tag, one_line(raw_text(element), 300)) for element in main.iter(*HEADINGS)]
    titles = list(dict.fromkeys(text for tag, text in headings if tag == "h1" and text))
    first = next((text for _, text in headings if text), "")
    return titles[0] if len(titles) == 1 else "", titles[0] if titles else first
