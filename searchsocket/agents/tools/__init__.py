"""The tools by subject, with the texts of their answers; here all of them by name, in listing order."""

from collections.abc import Mapping

from searchsocket.agents.reply import plain_reply
from searchsocket.agents.tool import Tool
from searchsocket.agents.tools.content import CONTENT_TOOLS
from searchsocket.agents.tools.pages import PAGE_TOOLS
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES, TOOL_NAMES

_OF_EXTENSIONS = (tool for extension in extensions() if extension.tools for tool in load(extension.tools))
_WITH_TEXT: Mapping[str, Tool] = {tool.name: tool for tool in (*PAGE_TOOLS, *CONTENT_TOOLS, *_OF_EXTENSIONS)}
_CAPABILITIES = {capability.agent.name: capability for capability in CAPABILITIES if capability.agent}
TOOLS: Mapping[str, Tool] = {
    name: _WITH_TEXT.get(name) or Tool(_CAPABILITIES[name], _CAPABILITIES[name].answer, plain_reply)
    for name in TOOL_NAMES
}
