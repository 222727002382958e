"""Every capability: HTTP and MCP offer what this tuple lists."""

from searchsocket.serving.capabilities.base import AnyCapability
from searchsocket.serving.capabilities.code import CODE
from searchsocket.serving.capabilities.content import CONTENT
from searchsocket.serving.capabilities.pages import PAGES

CAPABILITIES: tuple[AnyCapability, ...] = (*PAGES, *CODE, *CONTENT)  # in the order of the API's pages
