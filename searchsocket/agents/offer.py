"""Select the tools that a server offers: by its settings, and by the content that it can search."""

from collections.abc import Collection, Sequence
from typing import get_args

from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project, index_folder
from searchsocket.project.settings.features import ToolName, ToolSet
from searchsocket.project.settings.load import config_table, tables_of
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES

NAMES: tuple[ToolName, ...] = get_args(ToolName)  # in the order in which they are listed
_AGENTS = [capability.agent for capability in CAPABILITIES if capability.agent]
SETS: dict[ToolSet, frozenset[str]] = {
    "core": frozenset(agent.name for agent in _AGENTS if agent.toolset == "core"),
    "content": frozenset(agent.name for agent in _AGENTS if agent.toolset == "content"),
    "all": frozenset(NAMES),
}
OF_PAGES = frozenset(agent.name for agent in _AGENTS if agent.corpus == "pages")
OF_CODE = frozenset(agent.name for agent in _AGENTS if agent.corpus == "code")
WRITES = frozenset(agent.name for agent in _AGENTS if agent.is_writing)


def offered_tools(chosen: Collection[str], *, pages: bool, code: bool, sync: bool = False) -> Sequence[str]:
    """Return the names of the offered tools: those of the chosen sets that have content, and tools chosen by name.

    Args:
        chosen: Names of sets and of tools; empty means all.
        pages: True if there are pages, or will be.
        code: True if there is source code, or will be.
        sync: True if agents may index the source code.
    """
    names = frozenset().union(*(SETS[name] for name in SETS if name in (chosen or ("all",))))
    useless = (frozenset() if pages else OF_PAGES) | (frozenset() if code else OF_CODE)
    useful = (names - useless) | frozenset(chosen)
    return [name for name in NAMES if name in useful and (sync or name not in WRITES)]


def corpora_of(project: Project, main_checkout: Project | None = None) -> tuple[bool, bool]:
    """Return True if a project has pages to search, and True if it has source code to search.

    Indexed content counts, and content that the settings configure. A folder with neither counts as source code: the
    first search indexes it.

    Args:
        main_checkout: The same project in the main checkout, whose index may answer.
    """
    pages = any(map(_has_index, (project, *([main_checkout] if main_checkout else []))))
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
