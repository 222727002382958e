"""Parse text to an lxml tree of limited depth."""

import re
from html.entities import html5
from itertools import islice
from typing import Any

from lxml import etree

from searchsocket.content.html.tree import Element

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
