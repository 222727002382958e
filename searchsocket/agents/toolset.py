"""All tools, and the ones that a project offers."""

from collections.abc import Sequence

from searchsocket.agents.tool import Tool
from searchsocket.agents.tools.ask import ASK_TOOLS
from searchsocket.agents.tools.code import CODE_TOOLS
from searchsocket.agents.tools.content import CONTENT_TOOLS
from searchsocket.agents.tools.pages import PAGE_TOOLS
from searchsocket.project.settings.model import Settings

TOOLS = (*PAGE_TOOLS, *CODE_TOOLS, *CONTENT_TOOLS, *ASK_TOOLS)


def offered(settings: Settings) -> Sequence[Tool]:
    """Those that `mcp.tools` names; unless it does, those of the corpora that are indexed.

    All of them, since readers of the descriptions alone take none for another, see `docs/notes/quality.md`.
    """
    named = settings.mcp.tools
    if named:
        return [tool for tool in TOOLS if tool.name in named]
    return [tool for tool in TOOLS if settings.code.enable or not tool.capability.private]
