"""Parse text to an lxml tree of limited depth, and small edits of it that keep the text around an element."""

import re
from collections.abc import Iterable
from functools import lru_cache
from html.entities import html5
from itertools import islice
from typing import Any, TypeAlias

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


_LONG_PAGE = 65_536  # characters; a shorter page cannot have enough attributes to matter
_MAX_ATTRIBUTES = 1000  # of one tag; the parser compares each with all before it
# A name with the value after it, quoted or not; possessive, so that each character is read once.
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
_USUAL_TAGS = re.compile(
    rf"(?:[^<]++|<(?![A-Za-z])|<[A-Za-z][^\s/>]*+(?:{_ATTRIBUTE}){{0,{_MAX_ATTRIBUTES}}}+[\s/]*+>)*+"
)
_DEPTH = 200  # of a document that the parser refused for its depth
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]{0,40})([^<>]*)>")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_HEAD_TAGS = frozenset({"title", "meta", "link", "base", "script", "style", "noscript", "template"})
# Control characters, which lxml rejects in text that is set in the tree; the conversion to Markdown drops them anyway.
_CONTROLS = bytes({*range(32)} - {9, 10, 13})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_REFERENCE = re.compile(r"&#(?:0*(?:\d|[12]\d|3[01])|[xX]0*1?[0-9a-fA-F])(?![0-9a-fA-F])")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")  # of an encoding, from which the text is decoded
_ENTITY = re.compile(r"<!ENTITY\s+([\w.-]+)\s")
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z]\w{1,30});")
_RAW = re.compile(r"<(script|style|textarea|template|svg)\b", re.IGNORECASE)


def html_of_xhtml(text: str) -> str:
    """Write an XHTML page as HTML: elements that end in `/>`, CDATA and the entities of its own DTD.

    Returns:
        The page; unchanged if it is no XML, which browsers refuse.
    """
    internal: Any = "internal"  # lxml's types know only bool
    parser = etree.XMLParser(resolve_entities=internal, no_network=True, remove_comments=True, remove_pis=True)
    own = set(_ENTITY.findall(text))
    text_in_xml = _NAMED.sub(lambda match: match[0] if match[1] in own else html5.get(match[1] + ";", match[0]), text)
    try:
        root = etree.fromstring(_DECLARATION.sub("", text_in_xml).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return text
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    etree.cleanup_namespaces(root)
    return str(etree.tostring(root, method="html", encoding="unicode"))


def parse_html(text: str) -> tuple[Element | None, str]:
    """Parse a page; broken markup is repaired the way the parser can.

    Returns:
        The root (None for a page without content) and a warning ("" if there is nothing to report).

    Raises:
        MemoryError: Not enough memory to parse the page.
    """
    root, too_deep = _parse(text)
    if not too_deep:
        return root, ""
    return _parse(_flatten(text))[0], "nested too deeply: the innermost tags were ignored"


def _parse(text: str) -> tuple[Element | None, bool]:
    target: Any = None if _has_usual_tags(text) else _FewAttributes()  # lxml takes any object with these methods
    # Bytes and an explicit encoding, since the text was decoded and a declaration inside the page is now wrong.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, target=target)
    try:
        data = text.encode("utf-8", "replace")
        root = etree.fromstring(data.translate(None, _CONTROLS), parser)
    except etree.XMLSyntaxError:
        root = None
    errors = {entry.type for entry in parser.error_log}
    if etree.ErrorTypes.ERR_NO_MEMORY in errors:  # the tree is incomplete
        raise MemoryError
    if root is not None:
        if _REFERENCE.search(text):
            _drop_controls(root)
        _repair_head(root)
    return root, etree.ErrorTypes.ERR_RESOURCE_LIMIT in errors


def _drop_controls(root: Element) -> None:
    """Remove control characters that character references (`&#1;`) produced."""
    for element in root.iter():
        if element.text and _CONTROL.search(element.text):
            element.text = _CONTROL.sub("", element.text)
        if element.tail and _CONTROL.search(element.tail):
            element.tail = _CONTROL.sub("", element.tail)
        for name, value in element.attrib.items():
            if _CONTROL.search(str(value)):
                element.set(name, _CONTROL.sub("", str(value)))


def _has_usual_tags(text: str) -> bool:
    """Return True if no tag has more than `_MAX_ATTRIBUTES` attributes; False means that one may."""
    if len(text) < _LONG_PAGE:
        return True
    usual = _USUAL_TAGS.match(text)
    return usual is not None and usual.end() == len(text)


class _FewAttributes:
    """A parser target that builds the usual tree but drops attributes beyond `_MAX_ATTRIBUTES` per tag.

    With a target the parser takes linear time; building its own tree takes quadratic time in the attributes of a tag.
    """

    def __init__(self) -> None:
        builder = etree.TreeBuilder()
        self._start: Any = builder.start
        self.end, self.data, self.close = builder.end, builder.data, builder.close

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._start(tag, dict(islice(attributes.items(), _MAX_ATTRIBUTES)))


def _repair_head(root: Element) -> None:
    """Move content out of an unclosed `head`: the parser does not know `main` and leaves it there."""
    head = next(root.iterchildren("head"), None)
    if head is None:
        return
    stray = [child for child in head if child.tag not in _HEAD_TAGS]
    loose = next((child for child in head if (child.tail or "").strip()), None)
    if not stray and loose is None:
        return
    body = next(root.iterchildren("body"), None)
    if body is None:
        body = etree.SubElement(root, "body")
    nodes = list(head)[list(head).index(stray[0]) :] if stray else []
    text, body.text = body.text, None
    if loose is not None and loose not in nodes:
        body.text, loose.tail = loose.tail, None
    if nodes:
        nodes[-1].tail = (nodes[-1].tail or "") + (text or "")
    else:
        body.text = (body.text or "") + (text or "")
    for index, child in enumerate(nodes):
        body.insert(index, child)


def _flatten(text: str) -> str:
    """The page without the tags that open deeper than `_DEPTH`."""
    depth = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal depth
        closing, name, attributes = match.groups()
        if name.lower() in _VOID or attributes.endswith("/"):
            return match[0]
        if closing:
            depth = max(depth - 1, 0)
            return match[0] if depth < _DEPTH else " "
        depth += 1
        return match[0] if depth <= _DEPTH else " "

    return _TAG.sub(keep, _without_raw_text(text))


def _without_raw_text(text: str) -> str:
    parts, at, lowered = [], 0, text.lower()
    while match := _RAW.search(text, at):
        parts.append(text[at : match.start()])
        end = lowered.find(f"</{match[1].lower()}", match.end())
        at = len(text) if end < 0 else end + len(match[1]) + 2
    return "".join([*parts, text[at:]])
