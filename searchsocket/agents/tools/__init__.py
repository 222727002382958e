"""The tools by subject, with the texts of their answers; here all of them by name, in listing order."""

from searchsocket.agents.library import NAMES
from searchsocket.agents.tool import Tool
from searchsocket.agents.tools.content import CONTENT_TOOLS
from searchsocket.agents.tools.pages import PAGE_TOOLS
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load

_OF_EXTENSIONS = (tool for extension in extensions() if extension.tools for tool in load(extension.tools))
_TOOLS: tuple[Tool, ...] = (*PAGE_TOOLS, *CONTENT_TOOLS, *_OF_EXTENSIONS)
_ORDER: dict[str, int] = {name: rank for rank, name in enumerate(NAMES)}
TOOLS: dict[str, Tool] = {tool.name: tool for tool in sorted(_TOOLS, key=lambda tool: _ORDER[tool.name])}
