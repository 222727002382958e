"""What a tool is."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from searchsocket.agents.arguments import Arguments, without_titles
from searchsocket.agents.library import Library
from searchsocket.agents.reply import Reply


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


@cache
def output_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of what a tool gives."""
    schema = without_titles(TypeAdapter(kind).json_schema(mode="serialization"))
    schema.pop("description", None)
    assert isinstance(schema, dict)
    return schema
