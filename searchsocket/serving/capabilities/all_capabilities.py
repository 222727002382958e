"""Every capability: HTTP and MCP offer what this tuple lists."""

from collections.abc import Sequence
from itertools import chain

from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.project.settings.model import Settings
from searchsocket.serving.capabilities.base import AnyCapability
from searchsocket.serving.capabilities.content import CONTENT
from searchsocket.serving.capabilities.pages import PAGES

_OF_EXTENSIONS = [(each, tuple(load(each.capabilities))) for each in extensions() if each.capabilities]
# In the order of the API's pages.
CAPABILITIES: tuple[AnyCapability, ...] = (
    *PAGES,
    *chain.from_iterable(added for _, added in _OF_EXTENSIONS),
    *CONTENT,
)


def capabilities_of(settings: Settings) -> Sequence[AnyCapability]:
    """Return the capabilities of a project: those of the core, and of the extensions that are on."""
    added = chain.from_iterable(added for each, added in _OF_EXTENSIONS if each.is_on(settings))
    return [*PAGES, *added, *CONTENT]
