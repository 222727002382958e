"""Every capability: HTTP and MCP offer what this tuple lists."""

from collections.abc import Sequence
from itertools import chain

from searchsocket.extensions import built_in, installed
from searchsocket.extensions.base import Extension, load
from searchsocket.project.settings.model import Settings
from searchsocket.serving.capabilities.base import AnyCapability
from searchsocket.serving.capabilities.content import ANSWERS, CONTENT
from searchsocket.serving.capabilities.pages import PAGES


def _capabilities(added: Sequence[Extension]) -> list[tuple[Extension, tuple[AnyCapability, ...]]]:
    return [(each, tuple(load(each.capabilities))) for each in added if each.capabilities]


_OURS, _OTHERS = _capabilities(built_in()), _capabilities(installed())
_AFTER_EXTENSIONS: tuple[tuple[AnyCapability, ...], ...] = (CONTENT, ANSWERS)
# In the order of the API's pages.
CAPABILITIES: tuple[AnyCapability, ...] = (
    *PAGES,
    *chain.from_iterable(added for _, added in (*_OURS, *_OTHERS)),
    *chain.from_iterable(_AFTER_EXTENSIONS),
)

# In the order in which agents see them: of each group, those of the core set first.
TOOL_NAMES = tuple(
    capability.agent.name
    for group in (PAGES, *(added for _, added in _OURS), *_AFTER_EXTENSIONS, *(added for _, added in _OTHERS))
    for capability in sorted(group, key=lambda each: each.agent is None or each.agent.toolset != "core")
    if capability.agent
)


def capabilities_of(settings: Settings) -> Sequence[AnyCapability]:
    """Return the capabilities of a project: those of the core, and of the extensions that are on."""
    added = chain.from_iterable(added for each, added in (*_OURS, *_OTHERS) if each.is_on(settings))
    return [*PAGES, *added, *chain.from_iterable(_AFTER_EXTENSIONS)]
