"""Tool of the MCP server."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property
from typing import Any

from pydantic import TypeAdapter

from searchsocket.agents.arguments import Arguments, arguments_of, read_request, shape_of
from searchsocket.agents.library import Library
from searchsocket.agents.reply import Reply
from searchsocket.errors import InvalidRequest
from searchsocket.pipeline.run.context import SITE
from searchsocket.search.bounds import DEFAULT_MAX_TOKENS, LEAST_MAX_TOKENS
from searchsocket.serving.capabilities.all_capabilities import TOOL_NAMES
from searchsocket.serving.capabilities.base import AGENT, Agent, AnyCapability
from searchsocket.system.json_text import JsonObject
from searchsocket.text.token_count import LEAST

CLIENTS_TAKE = 25_000  # tokens of one reply; clients cut or refuse a larger one
MOST_TOKENS = int(CLIENTS_TAKE * LEAST)  # the same limit in tokens of `count_tokens`
_SENTENCE = re.compile(r"(?<=[.?!:]) +")
_QUOTED = re.compile(r"`(\w+)`")
_SHRINK = 0.9  # names and URLs around the text keep their size


def about_offered(text: str, offered: Collection[str]) -> str:
    """Remove the sentences that name, in backticks, a tool that is not offered."""
    absent = frozenset(TOOL_NAMES) - frozenset(offered)
    sentences = _SENTENCE.split(" ".join(text.split()))
    return " ".join(sentence for sentence in sentences if absent.isdisjoint(_QUOTED.findall(sentence)))


class IndexUpdate(Enum):
    """Update of the code index before a call, so that it includes the last edit."""

    NEVER = auto()
    UPDATES = auto()  # update an existing index
    BEGINS = auto()  # update the index, or make the first one


@dataclass(frozen=True)
class Tool:
    """A capability as an MCP tool."""

    capability: AnyCapability
    gives: object  # dataclass of the answer's data
    reply: Callable[[Library, Any, Any], Reply]  # takes the request and its answer
    index_update: IndexUpdate = IndexUpdate.NEVER

    @cached_property
    def agent(self) -> Agent:
        """Names and descriptions for agents."""
        assert self.capability.agent
        return self.capability.agent

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.agent.name

    def description(self, offered: Collection[str]) -> str:
        """Return the description, without the sentences about tools that are not offered."""
        return about_offered(self.capability.description, offered)

    @cached_property
    def takes(self) -> type[Arguments]:
        """Model of the arguments."""
        return arguments_of(self.capability, self.agent)

    def run(self, library: Library, arguments: Arguments) -> Reply:
        """Answer a call; raises as the capability."""
        changes = {"scope": library.scope.name}
        if version := self._version(library, arguments):
            changes["version"] = version
        index_update = self.index_update
        if hasattr(arguments, "folder_id"):
            changes["folder_id"] = folder = library.folder(arguments.folder_id)
            index_update = IndexUpdate.BEGINS if not folder.endswith(f"/{SITE.name}") else index_update
        if hasattr(arguments, "file_path"):
            changes["file_path"] = _file_path(library, arguments)
        notes = (
            () if index_update is IndexUpdate.NEVER else library.sync_if_stale(first=index_update is IndexUpdate.BEGINS)
        )
        request = read_request(self.capability, self.agent, arguments, **changes)
        answer = self.capability.run(library.services, request, AGENT)
        return self.reply(library, request, answer).with_notes(notes).of_project(library.listed_name)

    def _version(self, library: Library, arguments: Any) -> str:
        """Return the version in the argument `project`, for tools that can select one; ignored if a URL selects it."""
        version = library.version(arguments.project)
        if not version or hasattr(arguments, "version"):
            if version and arguments.version not in ("", version):
                raise InvalidRequest(f"project {arguments.project!r} and version {arguments.version!r} differ")
            return version
        if not hasattr(arguments, "url"):
            raise InvalidRequest(f"{self.name} cannot select a version; send project without {'@' + version!r}")
        return ""


def _file_path(library: Library, arguments: Any) -> str:
    """Return the document from the argument `file_path` or `url`."""
    if bool(arguments.file_path) == bool(arguments.url):
        raise InvalidRequest("send either `file_path`, as results give it, or the `url` of a page")
    return str(arguments.file_path) or library.file_path(arguments.url)


def fitting_reply(tool: Tool, library: Library, arguments: Arguments) -> Reply:
    """Answer a call within the size limit of clients, unless the caller sets `max_tokens`.

    The size is known only after formatting: escaped characters take more tokens, and names and URLs are added. A reply
    that is too large is therefore made again from less text.
    """
    reply = tool.run(library, arguments)
    budget: int = getattr(arguments, "max_tokens", 0)
    if budget and "max_tokens" in arguments.model_fields_set:
        return reply
    tokens = reply.tokens(MOST_TOKENS)
    budget = budget or max(DEFAULT_MAX_TOKENS, tokens // 2)  # the reply contains each text twice
    while tokens > MOST_TOKENS and budget > LEAST_MAX_TOKENS:
        budget = shrink(budget, tokens)
        reply = tool.run(library, arguments.model_copy(update={"max_tokens": budget}))
        tokens = reply.tokens(MOST_TOKENS)
    return reply


def shrink(budget: int, tokens: int) -> int:
    """Return the next text budget to try, after `budget` led to an answer of `tokens`, more than `MOST_TOKENS`."""
    return max(int(budget * _SHRINK * MOST_TOKENS / tokens), LEAST_MAX_TOKENS)


@cache
def output_schema(kind: Any) -> JsonObject:
    """Return the JSON schema of a tool's data, reduced to its shape: clients send the list in each conversation."""
    return shape_of(TypeAdapter(kind).json_schema(mode="serialization"))
