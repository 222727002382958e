"""Convert a settled tree to Markdown: one file per engine, and the site's own element converters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from searchsocket.content.html.rules import MEANS, RULES, WITHOUT_TABLES, Rule
from searchsocket.content.html.text_markdown import BLOCK, BREAK, FLOW, PRE, join, text_markdown, tidy
from searchsocket.content.html.tree import BLOCKS, Element, clean_text
from searchsocket.project.settings.site import ExtractSettings

_EDGES = {**dict.fromkeys(BLOCKS, BLOCK), "br": BREAK}


def to_markdown(main: Element, *, keep_tables: bool = True) -> str:
    """Return a normalised main content as Markdown."""
    return convert(main, RULES if keep_tables else WITHOUT_TABLES)


def convert(main: Element, rules: dict[str, Rule]) -> str:
    """Convert a normalised main content by the given rules. The walk recurses: `limit_size` bounds the depth."""
    return tidy(_markdown(main, str(main.tag), 0, rules).strip("\n"))


def _markdown(element: Element, tag: str, around: int, rules: dict[str, Rule]) -> str:
    """Convert one element and its content."""
    inside = around | MEANS.get(tag, 0)
    edge = BLOCK if tag in BLOCKS else FLOW
    children = list(element)
    text = element.text
    if not children:
        content = _text(text, edge, edge, inside) if text else ""
    else:
        content = _join_children(text, children, edge, inside, rules)
    rule = rules.get(tag)
    return content if rule is None else rule(element, content, around)


def _join_children(text: str | None, children: list[Element], edge: int, inside: int, rules: dict[str, Rule]) -> str:
    """Convert the text and children of an element; `edge` is the whitespace kind at both ends of the element."""
    parts: list[str] = []
    if text and (part := _text(text, edge, _EDGES.get(children[0].tag, FLOW), inside)):
        parts.append(part)
    last = len(children) - 1
    for index, child in enumerate(children):
        name = child.tag
        if part := _markdown(child, name, inside, rules):
            join(parts, part, inside)
        if text := child.tail:
            after = edge if index == last else _EDGES.get(children[index + 1].tag, FLOW)
            if part := _text(text, _EDGES.get(name, FLOW), after, inside):
                join(parts, part, inside)
    return "".join(parts)


def _text(text: str, before: int, after: int, inside: int) -> str:
    return clean_text(text) if inside & PRE else text_markdown(text, before, after, inside)


class ToMarkdown(Protocol):
    """Converter from a normalised main content to Markdown."""

    def __call__(self, main: Element, *, keep_tables: bool = True) -> str:
        """Return tidy Markdown (see `tidy`), the same bytes for the same tree; `main` may be changed."""


@dataclass(frozen=True, slots=True)
class Converter:
    """Converter from normalised trees to Markdown for one configuration."""

    to_markdown: ToMarkdown
    custom: frozenset[str] = frozenset()  # elements with a converter of the site; they reach it unchanged
    version: str = ""  # of the libraries and site code that the output depends on
    heading_ids: str = ""  # the generator whose ids headings of Markdown get, see `markdown/heading_ids.py`

    def with_heading_ids(self, style: str) -> "Converter":
        """Return the converter of a project whose generator writes ids in a style of its own; "" for none."""
        return replace(self, heading_ids=style, version=f"{self.version} ids={style}") if style else self


FAST = Converter(to_markdown)


def make_converter(root: Path, settings: ExtractSettings) -> Converter:
    """Return the configured converter.

    Args:
        root: The project folder, searched first for the modules of `extract.converters`.

    Raises:
        ConfigError: A class of `extract.converters` cannot be loaded, or converts an element that is not custom.
    """
    if settings.converter == "fast" and not settings.converters:
        return FAST
    return _make(root, settings.converter, settings.converters)


@lru_cache(maxsize=8)
def _make(root: Path, name: str, classes: Sequence[str]) -> Converter:
    from searchsocket.content.html.converters import soup  # heavy: imports a second parser

    custom, digests = soup.load_rules(root, classes)
    versions = [*digests, *(f"{package}={version(package)}" for package in ("beautifulsoup4", "markdownify"))]
    convert_tree = convert if name == "fast" else soup.convert
    with_tables, without = RULES | custom, WITHOUT_TABLES | custom

    def to_markdown(main: Element, *, keep_tables: bool = True) -> str:
        return convert_tree(main, with_tables if keep_tables else without)

    return Converter(to_markdown, frozenset(custom), " ".join(versions))
