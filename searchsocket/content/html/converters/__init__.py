"""Convert a settled tree to Markdown: one file per converter, and the site's own element converters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from searchsocket.content.html.converters import fast
from searchsocket.content.html.rules import RULES, WITHOUT_TABLES, Rule
from searchsocket.content.html.tree import Element
from searchsocket.project.settings.site import ExtractSettings


class ToMarkdown(Protocol):
    """Turns a settled main content into Markdown."""

    def __call__(self, main: Element, *, keep_tables: bool = True) -> str:
        """The Markdown: the same bytes for the same tree, tidy (see `tidy`); `main` may be used up."""


@dataclass(frozen=True, slots=True)
class Converter:
    """Converter from settled trees to Markdown for one configuration."""

    to_markdown: ToMarkdown
    custom: frozenset[str] = frozenset()  # elements that the site converts itself; they are kept for it
    version: str = ""  # of everything that decides the bytes besides this project's own code


FAST = Converter(fast.to_markdown)


def make_converter(root: Path, settings: ExtractSettings) -> Converter:
    """The converter that a project names.

    Args:
        root: The project: modules of `extract.converters` are looked for there first.

    Raises:
        ConfigError: A class of `extract.converters` cannot be loaded, or converts what is no custom element.
    """
    if settings.converter == "fast" and not settings.converters:
        return FAST
    return _make(root, settings.converter, settings.converters)


@lru_cache(maxsize=8)
def _make(root: Path, name: str, classes: Sequence[str]) -> Converter:
    from searchsocket.content.html.converters.custom import load_rules  # brings a second parser

    rules, digests = load_rules(root, classes)
    versions = [*digests, *(f"{package}={version(package)}" for package in ("beautifulsoup4", "markdownify"))]
    return Converter(_with_rules(name, rules), frozenset(rules), " ".join(versions))


def _with_rules(name: str, custom: dict[str, Rule]) -> ToMarkdown:
    with_tables, without = RULES | custom, WITHOUT_TABLES | custom
    if name == "fast":
        return lambda main, *, keep_tables=True: fast.convert(main, with_tables if keep_tables else without)
    from searchsocket.content.html.converters import soup

    return lambda main, *, keep_tables=True: soup.convert(main, with_tables if keep_tables else without)
