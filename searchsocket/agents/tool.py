"""What a tool is."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from searchsocket.agents.arguments import Arguments
from searchsocket.agents.library import Library
from searchsocket.agents.reply import Reply
from searchsocket.agents.schemas import shape_of
from searchsocket.search.content.bounds import DEFAULT_MAX_TOKENS, LEAST_MAX_TOKENS
from searchsocket.text.token_count import LEAST

CLIENTS_TAKE = 25_000  # tokens of one reply, beyond which clients cut or refuse it
MOST_TOKENS = int(CLIENTS_TAKE * LEAST)  # as they are counted here
_SHRINK = 0.9  # what stands around the text does not shrink with it


@dataclass(frozen=True, slots=True)
class Tool:
    """One of the things an agent can ask; reads, and changes nothing."""

    name: str
    title: str
    takes: type[Arguments]  # with `scope` among its fields
    gives: Any  # the dataclass that its data is of
    run: Callable[[Library, Any], Reply]

    @property
    def description(self) -> str:
        """When to call it and what comes back: the docstring of what runs, and nothing of any page."""
        return inspect.getdoc(self.run) or ""


def fitting_reply(tool: Tool, library: Library, asked: Arguments) -> Reply:
    """What a tool says, within what clients take, unless the caller says himself how much he wants.

    What fits is not known before all is written: text may hold what counts for more when it is made visible, and
    names and addresses come on top of it. So a reply that is too large is made again, of less text.
    """
    reply = tool.run(library, asked)
    budget: int = getattr(asked, "max_tokens", 0)
    if budget and "max_tokens" in asked.model_fields_set:
        return reply
    tokens = reply.tokens(MOST_TOKENS)
    budget = budget or max(DEFAULT_MAX_TOKENS, tokens // 2)  # each text is there twice
    while tokens > MOST_TOKENS and budget > LEAST_MAX_TOKENS:
        budget = shrunk(budget, tokens)
        reply = tool.run(library, asked.model_copy(update={"max_tokens": budget}))
        tokens = reply.tokens(MOST_TOKENS)
    return reply


def shrunk(budget: int, tokens: int) -> int:
    """The budget of text to try where one made an answer of so many tokens, more than `MOST_TOKENS`."""
    return max(int(budget * _SHRINK * MOST_TOKENS / tokens), LEAST_MAX_TOKENS)


@cache
def output_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of what a tool gives: its shape alone, since each talk begins with the list of tools."""
    return shape_of(TypeAdapter(kind).json_schema(mode="serialization"))
