"""Interface of a converter: a function."""

from typing import Protocol

from searchsocket.content.html.tree import Element


class ToMarkdown(Protocol):
    """Turns a settled main content into Markdown."""

    def __call__(self, main: Element, *, keep_tables: bool = True) -> str:
        """The Markdown: the same bytes for the same tree, tidy (see `tidy`); `main` may be used up."""
