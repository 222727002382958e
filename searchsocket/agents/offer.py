"""The tools that a server offers: those that its settings choose, of the corpora that it can answer from."""

from collections.abc import Collection, Sequence
from typing import get_args

from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project, index_folder
from searchsocket.project.settings.features import ToolName, ToolSet
from searchsocket.project.settings.load import config_table, tables_of

NAMES: tuple[ToolName, ...] = get_args(ToolName)  # in the order in which they are listed
SETS: dict[ToolSet, frozenset[str]] = {
    "core": frozenset({"search", "get_page", "search_code", "find_code", "fetch", "status", "sync", "ask"}),
    "content": frozenset({"related", "search_content", "find_documents", "get_document_text", "get_document_data"}),
    "all": frozenset(NAMES),
}
OF_PAGES = frozenset({"search", "get_page", "related", "ask"})
OF_CODE = frozenset({"search_code", "find_code", "fetch", "status", "sync"})
WRITES = frozenset({"sync"})


def offered(chosen: Collection[str], *, pages: bool, code: bool, sync: bool = False) -> Sequence[str]:
    """The names of the offered tools: those of the chosen sets that have something to answer from, and those named.

    Args:
        chosen: Names of sets and of tools; none means all.
        pages: There are pages, or there will be.
        code: Likewise, of source code.
        sync: Agents may index it.
    """
    names = frozenset().union(*(SETS[name] for name in SETS if name in (chosen or ("all",))))
    without = (frozenset() if pages else OF_PAGES) | (frozenset() if code else OF_CODE)
    useful = (names - without) | frozenset(chosen)
    return [name for name in NAMES if name in useful and (sync or name not in WRITES)]


def corpora_of(project: Project, elsewhere: Project | None = None) -> tuple[bool, bool]:
    """Return whether a project has pages, and whether it has source code, that can be asked.

    What is indexed counts, and what the settings announce. A folder with neither has source code: it is indexed when
    it is first asked for.

    Args:
        elsewhere: The same project in another checkout, whose index may answer.
    """
    pages = any(map(_has_index, (project, *([elsewhere] if elsewhere else []))))
    code = project.settings.code.enable or _has_index(code_home(project))
    file, keys = config_table(project.root)
    if not pages and file is not None:
        pages = not code or "source" in tables_of(file, keys)
    return pages, code or not pages


def _has_index(project: Project) -> bool:
    folder = index_folder(project.settings.vector, project.state_dir)
    try:
        return any(entry.is_dir() for entry in folder.iterdir())
    except OSError:
        return False
