"""Convert a settled tree to Markdown: one file per engine, and the site's own element converters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from searchsocket.content.html.converters import fast
from searchsocket.content.html.rules import RULES, WITHOUT_TABLES
from searchsocket.content.html.tree import Element
from searchsocket.project.settings.site import ExtractSettings


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


FAST = Converter(fast.to_markdown)


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
    convert = fast.convert if name == "fast" else soup.convert
    with_tables, without = RULES | custom, WITHOUT_TABLES | custom

    def to_markdown(main: Element, *, keep_tables: bool = True) -> str:
        return convert(main, with_tables if keep_tables else without)

    return Converter(to_markdown, frozenset(custom), " ".join(versions))
