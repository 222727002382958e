"""The tools that a server offers: those that its settings choose, of the corpora that it can answer from."""

from collections.abc import Collection, Sequence
from typing import get_args

from searchsocket.project.settings.features import ToolName, ToolSet

NAMES: tuple[ToolName, ...] = get_args(ToolName)  # in the order in which they are listed
SETS: dict[ToolSet, frozenset[str]] = {
    "core": frozenset({"search", "get_page", "search_code", "fetch", "ask"}),
    "content": frozenset({"related", "search_content", "find_documents", "get_document_text", "get_document_data"}),
    "all": frozenset(NAMES),
}
OF_PAGES = frozenset({"search", "get_page", "related", "ask"})
OF_CODE = frozenset({"search_code", "fetch"})


def offered(chosen: Collection[str], *, pages: bool, code: bool) -> Sequence[str]:
    """The names of the offered tools.

    Args:
        chosen: Names of sets and of tools; none means all.
        pages: There are pages, or there will be.
        code: Likewise, of source code.
    """
    names = frozenset().union(*(SETS.get(name, {name}) for name in chosen or ("all",)))  # type: ignore[call-overload]
    without = (frozenset() if pages else OF_PAGES) | (frozenset() if code else OF_CODE)
    return [name for name in NAMES if name in names - without]
