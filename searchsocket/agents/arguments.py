"""Arguments of tools, made from requests; errors about wrong arguments name the fix."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from searchsocket.errors import InvalidRequest
from searchsocket.serving.capabilities.base import Agent, AnyCapability, merged_options
from searchsocket.serving.capabilities.fields import AGENT_FIELDS, AGENT_NAMES, MAX_SCOPE_CHARS
from searchsocket.system.json_text import JsonObject
from searchsocket.text.mistakes import explain_mistake

_MAX_COMPLAINTS = 3
_MAX_VALUE_CHARS = 60
A = TypeVar("A", bound="Arguments")


# Argument -> other accepted names.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("q", "question", "text"),
    "question": ("query", "q"),
    "url": ("path_or_url", "href", "page"),
    "file": ("file_path",),
    "file_path": ("file",),
    "limit": ("top_k", "max_results"),
    "path_prefix": ("path",),
    "path": ("path_prefix", "glob", "files"),
    "languages": ("language", "lang"),
    "kinds": ("kind",),
    "folder_id": ("base_folder_path", "folder"),
    "continuation_token": ("continuation",),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES = ("properties", "$defs")  # their keys are names of fields, not schema keywords
# Keywords that a validator of the shape does not need; the text of an answer explains the fields to the model.
_PROSE = frozenset({"description", "examples", "default", "minimum", "maximum"})
_REF = "#/$defs/"


class Arguments(BaseModel):
    """Base of the arguments; their accepted names are in `ALIASES`."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    ignored: ClassVar[Mapping[str, object]] = {}  # arguments of other servers' tools that may be sent

    # Every tool accepts it; only a server of several projects lists it.
    project: Annotated[str, Field(max_length=MAX_SCOPE_CHARS)] = ""

    @property
    def scope_name(self) -> str:
        """Scope that the arguments name; "" is the current one.

        Raises:
            InvalidRequest: The arguments name two scopes.
        """
        own, of_folder = getattr(self, "scope", ""), getattr(self, "folder_id", "").rpartition("/")[0]
        if own and of_folder and own != of_folder:
            raise InvalidRequest(f"scope {own!r} and folder_id {self.folder_id!r} name two scopes")  # type: ignore[attr-defined]
        return str(own or of_folder)


def arguments_of(capability: AnyCapability, agent: Agent) -> type[Arguments]:
    """Return the model of the arguments of a capability's tool."""
    fields: JsonObject = {}
    for name in agent.arguments:
        own = capability.request.model_fields.get(name)
        field = agent.spelling.get(name) or AGENT_FIELDS.get(name)
        fields[_argument(name)] = field or (own and (own.annotation, own))
    base = type("Base", (Arguments,), {"ignored": agent.ignored})
    return create_model(f"{agent.name}_arguments", __base__=base, **fields)


def read_request(capability: AnyCapability, agent: Agent, arguments: Arguments, **changes: object) -> Any:
    """Return the request for arguments; an empty argument is the request's default.

    Args:
        changes: Fields of the request that replace the arguments.
    """
    all_values = {name: getattr(arguments, _argument(name)) for name in agent.arguments}
    values = agent.translate({name: value for name, value in all_values.items() if value or value is False})
    values = {**values, **agent.constants, **changes}
    fields = capability.request.model_fields
    return capability.request.model_construct(None, **{name: values[name] for name in values if name in fields})


def _argument(field: str) -> str:
    return AGENT_NAMES.get(field, field)


def read_arguments(model: type[A], sent: JsonObject, *, listed: Sequence[str] = ()) -> A:
    """Return the checked arguments.

    Args:
        listed: Arguments of all tools that the server lists.

    Raises:
        InvalidRequest: Arguments are wrong; the message has the name and value of each as sent.
    """
    sent = {name: value for name, value in sent.items() if (name, value) not in model.ignored.items()}
    values, typed = values_by_argument(merged_options(sent), model.model_fields)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InvalidRequest(_complaints(error.errors(include_url=False), [*names_of(model), *listed], typed)) from None


def names_of(model: type[Arguments]) -> list[str]:
    """Return the names of the arguments in the schema."""
    return list(schema_of(model)["properties"])


@cache
def schema_of(model: type[Arguments]) -> JsonObject:
    """Return the JSON schema of a tool's arguments, without texts that a model does not need."""
    schema = without_titles(model.model_json_schema())
    assert isinstance(schema, dict)
    schema.pop("description", None)
    schema["properties"].pop("project")
    return schema


def _complaints(errors: Sequence[ErrorDetails], names: Sequence[str], typed: Mapping[str, str]) -> str:
    complaints = [_complaint(error, names, typed) for error in errors[:_MAX_COMPLAINTS]]
    more = len(errors) - len(complaints)
    return "; ".join([*complaints, f"and {more} more"] if more > 0 else complaints)


def _complaint(error: ErrorDetails, names: Sequence[str], typed: Mapping[str, str]) -> str:
    first, *inner = map(str, error["loc"])
    path = ".".join([typed.get(first, first), *inner])[:_MAX_VALUE_CHARS]
    if error["type"] == "extra_forbidden":
        meanings = dict(names_for(names))
        near = get_close_matches(snake_case(path), meanings, n=1, cutoff=0.0)
        return f"{path!a} is not an argument of this tool; did you mean {meanings[near[0]]!r}?"
    if error["type"] == "missing":
        return f"{path} is missing"
    message = explain_mistake(error)
    return f"{path}: {message}, not {_short(error['input'])}"


def _short(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}…"


def snake_case(name: str) -> str:
    """Convert `pathPrefix` to `path_prefix`."""
    return _HUMP.sub("_", name).lower() if name.isidentifier() else name


def argument_of(name: str, arguments: Collection[str]) -> str:
    """Return the argument with a name or alias; the name itself if there is none."""
    snake = snake_case(name)
    if snake in arguments:
        return snake
    return next((argument for argument in arguments if snake in ALIASES.get(argument, ())), name)


def values_by_argument(sent: JsonObject, arguments: Collection[str]) -> tuple[JsonObject, dict[str, str]]:
    """Return the values by argument, and the sent name of each argument.

    Raises:
        InvalidRequest: An argument was sent under two names.
    """
    values: JsonObject = {}
    typed: dict[str, str] = {}
    for name, value in sent.items():
        argument = argument_of(name, arguments)
        if argument in values:
            raise InvalidRequest(f"{typed[argument][:60]} and {name[:60]} are the same argument; send one of them")
        values[argument], typed[argument] = value, name
    return values, typed


def names_for(arguments: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each accepted name with its argument."""
    for argument in arguments:
        yield argument, argument
        yield from ((alias, argument) for alias in ALIASES.get(argument, ()) if alias not in arguments)


def without_titles(value: object) -> object:
    """Remove generated titles from a schema; an argument may still have the name `title`."""
    return _without(value, frozenset({"title"}))


def shape_of(schema: JsonObject) -> JsonObject:
    """Reduce a schema to names, types and required fields, for clients that validate answers.

    Definitions that are used once are inlined.
    """
    bare = _with_short_types(_without(schema, _PROSE | {"title"}))
    parts: JsonObject = bare.pop("$defs", {})
    text = json.dumps([bare, parts])
    shared = {name for name in parts if text.count(f'"{_REF}{name}"') > 1}
    definitions = {name: _inline(part, parts, shared) for name, part in parts.items() if name in shared}
    return {**({"$defs": definitions} if definitions else {}), **_inline(bare, parts, shared)}


def _without(value: object, words: frozenset[str]) -> object:
    if isinstance(value, list):
        return [_without(item, words) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: {key: _without(inner, words) for key, inner in item.items()} if name in _NAMES else _without(item, words)
        for name, item in value.items()
        if name not in words
    }


def _with_short_types(value: Any) -> Any:
    """Replace unions of plain types by the short form: `{"type": ["string", "null"]}`."""
    if isinstance(value, list):
        return [_with_short_types(item) for item in value]
    if not isinstance(value, dict):
        return value
    kinds = value.get("anyOf", ())
    if kinds and all(isinstance(kind, dict) and kind.keys() == {"type"} for kind in kinds):
        others = {name: item for name, item in value.items() if name != "anyOf"}
        return {**_with_short_types(others), "type": [kind["type"] for kind in kinds]}
    return {name: _with_short_types(item) for name, item in value.items()}


def _inline(value: Any, parts: JsonObject, shared: set[str]) -> Any:
    if isinstance(value, list):
        return [_inline(item, parts, shared) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$ref"} and (name := value["$ref"].removeprefix(_REF)) not in shared:
        return _inline(parts[name], parts, shared)
    return {name: _inline(item, parts, shared) for name, item in value.items()}
