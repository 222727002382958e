"""The same rules on another engine, BeautifulSoup's tree walked by markdownify; and the site's custom converters.

It is slower than the walk over lxml's tree, and tests check that both produce the same Markdown. Custom converters are
`convert_<tag>` methods of the site's own classes, called as markdownify does.
"""

import hashlib
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString
from markdownify import MarkdownConverter

from searchsocket.content.html.rules import MEANS, Rule
from searchsocket.content.html.text_markdown import BLOCK, BREAK, FLOW, INLINE, PRE, VERBATIM, join, text_markdown, tidy
from searchsocket.content.html.tree import BLOCKS, Element, clean_text
from searchsocket.errors import ConfigError

_ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_PREFIX = "convert_"


def convert(main: Element, rules: dict[str, Rule]) -> str:
    """Convert a normalised main content by the given rules."""
    return tidy(_Converter(rules).process_tag(_tag_of(main)).strip("\n"))


def _tag_of(element: "Element | _AsElement") -> Tag:
    """Copy an element into a BeautifulSoup tree; writing and parsing it could change the tree."""
    if isinstance(element, _AsElement):
        return element.node
    soup = BeautifulSoup("", "html.parser")
    soup.append(_copy(soup, element))
    top = soup.contents[0]
    assert isinstance(top, Tag)
    return top


def _copy(soup: BeautifulSoup, element: Element) -> Tag:
    tag = soup.new_tag(str(element.tag), attrs={str(name): str(value) for name, value in element.attrib.items()})
    if element.text:
        tag.append(element.text)
    for child in element:
        tag.append(_copy(soup, child))
        if child.tail:
            tag.append(child.tail)
    return tag


class _Converter(MarkdownConverter):
    """markdownify with this project's rules for all elements."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        super().__init__()
        self._rules = rules

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        """Convert one element and its content."""
        parents = parent_tags or set()
        inside = parents | {node.name}
        flags = _flags(inside)
        parts: list[str] = []
        for child in node.children:
            part = self.process_tag(child, inside) if isinstance(child, Tag) else self.process_text(child, inside)
            if part:
                join(parts, part, flags)
        text = "".join(parts)
        rule = self._rules.get(node.name)
        return rule(_AsElement(node), text, _flags(parents)) if rule else text  # type: ignore[arg-type]  # acts as one

    def process_text(self, el: Any, parent_tags: set[str] | None = None) -> str:
        """Convert one text node."""
        flags = _flags(parent_tags or set())
        text = str(el)
        if flags & PRE:
            return clean_text(text)
        edge = BLOCK if el.parent.name in BLOCKS else FLOW
        return text_markdown(text, _meets(el.previous_sibling, edge), _meets(el.next_sibling, edge), flags)


def _flags(tags: set[str]) -> int:
    flags = 0
    for tag in tags:
        flags |= MEANS.get(tag, 0)
    return flags


def _meets(neighbour: object, edge: int) -> int:
    """The whitespace kind at one end of a text; `edge` is that of the parent element."""
    if neighbour is None:
        return edge
    name = neighbour.name if isinstance(neighbour, Tag) else ""
    return BLOCK if name in BLOCKS else BREAK if name == "br" else FLOW


class _AsElement:
    """A `Tag` with the subset of lxml's element interface that rules use."""

    __slots__ = ("node", "tag")

    def __init__(self, node: Tag) -> None:
        self.node = node
        self.tag = node.name

    def get(self, name: str) -> str | None:
        value = self.node.get(name)
        return None if value is None else str(value)

    @property
    def text(self) -> str:
        return _leading_text(next(self.node.children, None))

    @property
    def tail(self) -> str:
        return _leading_text(self.node.next_sibling)

    def find(self, name: str) -> "_AsElement | None":
        return _wrap(self.node.find(name, recursive=False))

    def getparent(self) -> "_AsElement | None":
        return _wrap(self.node.parent)

    def getnext(self) -> "_AsElement | None":
        return _wrap(self.node.find_next_sibling())

    def getprevious(self) -> "_AsElement | None":
        return _wrap(self.node.find_previous_sibling())


def _wrap(node: object) -> _AsElement | None:
    return _AsElement(node) if isinstance(node, Tag) else None


def _leading_text(node: object) -> str:
    return str(node) if isinstance(node, NavigableString) else ""


def load_rules(root: Path, entries: Sequence[str]) -> tuple[dict[str, Rule], list[str]]:
    """Load the rules of the configured classes, and a digest of each class's file.

    Args:
        root: Folder that is searched for modules first.
        entries: `module:Class`; if two convert the same element, the later one is used.

    Raises:
        ConfigError: A class cannot be loaded, or has no converter methods.
    """
    rules: dict[str, Rule] = {}
    digests = []
    for entry in entries:
        converter = _load(root, entry)
        rules_by_tag = dict(_rules(converter))
        if not rules_by_tag:
            raise ConfigError(
                f"extract.converters: {entry!r} has no method such as convert_my_note(self, el, text, parent_tags)"
            )
        rules |= rules_by_tag
        file = inspect.getsourcefile(type(converter))
        digests.append(hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16] if file else entry)
    return rules, digests


def _load(root: Path, entry: str) -> object:
    if not _ENTRY.fullmatch(entry):
        raise ConfigError(f"extract.converters: {entry!r} must be module:Class, e.g. search_converters:Notes")
    module, _, name = entry.partition(":")
    sys.path.insert(0, str(root))
    try:
        return getattr(importlib.import_module(module), name)()
    except Exception as error:  # the site's code may raise anything
        message = f"extract.converters: {entry!r} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigError(f"{message}; searchsocket looks for modules in {root}, then in Python's path") from error
    finally:
        sys.path.remove(str(root))


def _rules(converter: object) -> Iterator[tuple[str, Rule]]:
    for name in dir(converter):
        tag = name.removeprefix(_PREFIX).replace("_", "-")
        inherited = getattr(MarkdownConverter, name, None)
        if not name.startswith(_PREFIX) or (inherited and getattr(type(converter), name) is inherited):
            continue
        if "-" not in tag:
            raise ConfigError(
                f"extract.converters: {type(converter).__name__}.{name} is for <{tag}>; only custom elements, whose "
                "names have a hyphen, can be converted by the site"
            )
        yield tag, _rule(getattr(converter, name))


def _rule(convert: Callable[..., str]) -> Rule:
    def rule(element: Element, text: str, around: int) -> str:
        return str(convert(_tag_of(element), text, parent_tags=_parent_tags(element, around)))

    return rule


def _parent_tags(element: Element, around: int) -> set[str]:
    """The names of the elements around an element, with markdownify's pseudo-tags for restricted places."""
    names: set[str] = set()
    above = element.getparent()
    while above is not None:
        names.add(str(above.tag))
        above = above.getparent()
    return names | ({"_inline"} if around & INLINE else set()) | ({"_noformat"} if around & VERBATIM else set())
