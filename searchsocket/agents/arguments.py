"""Arguments of tools, made from requests; complaints about wrong ones say what to send instead."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, ClassVar, TypeVar

from pydantic import AliasChoices, AliasGenerator, BaseModel, ConfigDict, ValidationError, create_model, model_validator
from pydantic.alias_generators import to_camel

from searchsocket.agents.schemas import without_titles
from searchsocket.errors import InvalidRequest
from searchsocket.serving.capabilities.base import Agent, Capability, merged_options
from searchsocket.serving.capabilities.fields import AGENT_FIELDS, AGENT_NAMES

_MAX_COMPLAINTS = 3
_MAX_VALUE_CHARS = 60
A = TypeVar("A", bound="Arguments")


class Arguments(BaseModel):
    """Base of the arguments; camelCase and snake_case are both accepted."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        alias_generator=AliasGenerator(validation_alias=lambda name: AliasChoices(to_camel(name), name)),
    )
    ignored: ClassVar[Mapping[str, object]] = {}  # arguments of other servers' tools that may be sent
    has_options: ClassVar[bool] = True  # further arguments may be sent in an object, `opts`

    @model_validator(mode="before")
    @classmethod
    def _accept_options(cls, sent: dict[str, Any]) -> dict[str, Any]:
        sent = {name: value for name, value in sent.items() if (name, value) not in cls.ignored.items()}
        return merged_options(sent) if cls.has_options else sent

    @property
    def scope_name(self) -> str:
        """The scope that the arguments name; "" is the current one."""
        return str(getattr(self, "scope", "") or getattr(self, "folder_id", "").rpartition("/")[0])


class SnakeArguments(Arguments):
    """Base of the arguments whose public names are snake_case."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=lambda name: AliasChoices(name, to_camel(name)))
    )
    has_options: ClassVar[bool] = False


def arguments_of(capability: Capability[Any, Any], agent: Agent) -> type[Arguments]:
    """Return the model of the arguments of a capability's tool."""
    fields: dict[str, Any] = {}
    for name in agent.arguments:
        own = capability.request.model_fields.get(name)
        field = agent.spelling.get(name) or AGENT_FIELDS.get(name)
        fields[_argument(agent, name)] = field or (own and (own.annotation, own))
    base = type("Base", (SnakeArguments if agent.is_snake_case else Arguments,), {"ignored": agent.ignored})
    return create_model(f"{agent.name}_arguments", __base__=base, **fields)


def read_request(capability: Capability[Any, Any], agent: Agent, arguments: Arguments, **changes: object) -> Any:
    """Return the request that arguments state; an empty argument is the request's default.

    Args:
        changes: Fields of the request that are not what the arguments say.
    """
    sent = {name: getattr(arguments, _argument(agent, name)) for name in agent.arguments}
    values = agent.translate({name: value for name, value in sent.items() if value or value is False})
    changes = {name: value for name, value in changes.items() if name in capability.request.model_fields}
    return capability.request.model_construct(None, **{**values, **agent.constants, **changes})


def _argument(agent: Agent, field: str) -> str:
    return AGENT_NAMES.get(field, field) if not agent.is_snake_case else field


def read_arguments(model: type[A], sent: Mapping[str, Any]) -> A:
    """Return the checked arguments.

    Raises:
        InvalidRequest: It names each argument that is wrong, and what was sent.
    """
    try:
        return model.model_validate(dict(sent))
    except ValidationError as error:
        raise InvalidRequest(_complaints(error.errors(include_url=False), names_of(model))) from None


def names_of(model: type[Arguments]) -> list[str]:
    """The names of the arguments, as the schema has them."""
    return list(schema_of(model)["properties"])


@cache
def schema_of(model: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments, without text that no model reads."""
    schema = without_titles(model.model_json_schema())
    schema.pop("description", None)
    assert isinstance(schema, dict)
    return schema


def _complaints(errors: Sequence[Any], names: Sequence[str]) -> str:
    complaints = [_complaint(error, names) for error in errors[:_MAX_COMPLAINTS]]
    more = len(errors) - len(complaints)
    return "; ".join([*complaints, f"and {more} more"] if more > 0 else complaints)


def _complaint(error: Mapping[str, Any], names: Sequence[str]) -> str:
    where = ".".join(str(part) for part in error["loc"])[:_MAX_VALUE_CHARS]
    if error["type"] == "extra_forbidden":
        near = get_close_matches(where, names, n=1, cutoff=0.0)
        return f"{where!a} is not an argument of this tool; did you mean {near[0]!r}?"
    if error["type"] == "missing":
        return f"{where} is missing"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{where}: {message}, not {_short(error['input'])}"


def _short(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}…"
