"""What agents send to tools: bounds and examples in the schema, and complaints that say what to send instead."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from searchsocket.agents.schemas import without_titles
from searchsocket.errors import InvalidRequest
from searchsocket.search.content.bounds import LEAST_MAX_TOKENS, MOST_MAX_TOKENS
from searchsocket.search.content.query import MAX_TOKEN_CHARS
from searchsocket.search.query import MAX_QUERY_CHARS, MAX_TAG_CHARS, MAX_TAGS
from searchsocket.web.urls.paths import MAX_URL_CHARS

_MAX_COMPLAINTS = 3
_MAX_VALUE_CHARS = 60
A = TypeVar("A", bound="Arguments")


class Arguments(BaseModel):
    """Base of what a tool takes: names as its documentation has them; camelCase and snake_case are both understood."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @property
    def scope_asked(self) -> str:
        """The scope that is named; "" means the current one."""
        return str(getattr(self, "scope", ""))


class SiteArguments(Arguments):
    """Of tools that the specification names in camelCase."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=lambda name: AliasChoices(to_camel(name), name))
    )

    @model_validator(mode="before")
    @classmethod
    def _with_options(cls, sent: dict[str, Any]) -> dict[str, Any]:
        return merged_options(sent)


def merged_options(sent: dict[str, Any]) -> dict[str, Any]:
    """Merge `opts`, an object with further arguments, into the arguments; a name in both stays an error."""
    options = sent.get("opts")
    if not isinstance(options, dict) or options.keys() & sent.keys():
        return sent
    return {name: value for name, value in sent.items() if name != "opts"} | options


class ContentArguments(Arguments):
    """Of those that it names in snake_case."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=lambda name: AliasChoices(name, to_camel(name)))
    )


def _listed(value: object) -> object:
    """Some clients send a list as the text of one, or one text where several may be sent."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, list) else [value]


def _enough(max_tokens: int) -> int:
    if 0 < max_tokens < LEAST_MAX_TOKENS:
        raise ValueError(f"must be 0, or {LEAST_MAX_TOKENS} or more")
    return max_tokens


AsList = BeforeValidator(_listed)
Query = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUERY_CHARS, description="A question or keywords.", examples=["rate limits"]),
]
ScopeName = Annotated[
    str, Field(max_length=200, description="Scope or branch; default: the current one.", examples=["main"])
]
PageName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_URL_CHARS,
        description="`url` or `href` of a result, or any URL of the site.",
        examples=["/docs/getting-started"],
    ),
]
Tags = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS)]],
    AsList,
    Field(max_length=MAX_TAGS, description="Only pages with all of these tags.", examples=[["guides"]]),
]
MaxTokens = Annotated[
    int,
    Field(
        ge=0,
        le=MOST_MAX_TOKENS,
        description=f"Approximate maximum size in tokens, {LEAST_MAX_TOKENS} or more; 0: one full answer.",
    ),
    AfterValidator(_enough),
]
ContinuationToken = Annotated[
    str, Field(max_length=MAX_TOKEN_CHARS, description="Token of the previous answer, to get the rest.")
]


def read_arguments(model: type[A], sent: Mapping[str, Any]) -> A:
    """What was sent, checked.

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
    """The JSON schema of what a tool takes, without what no model reads."""
    schema = without_titles(model.model_json_schema())
    schema.pop("description", None)
    assert isinstance(schema, dict)
    return schema


def _complaints(errors: Sequence[Any], names: Sequence[str]) -> str:
    found = [_complaint(error, names) for error in errors[:_MAX_COMPLAINTS]]
    more = len(errors) - len(found)
    return "; ".join([*found, f"and {more} more"] if more > 0 else found)


def _complaint(error: Mapping[str, Any], names: Sequence[str]) -> str:
    where = ".".join(str(part) for part in error["loc"])[:_MAX_VALUE_CHARS]
    if error["type"] == "extra_forbidden":
        near = get_close_matches(where, names, n=1, cutoff=0.0)
        return f"{where!a} is no argument of this tool; did you mean {near[0]!r}?"
    if error["type"] == "missing":
        return f"{where} is missing"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{where}: {message}, not {_short(error['input'])}"


def _short(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}…"
