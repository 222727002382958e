"""Requests as query strings: the fields of the body, with lists as repeated parameters."""

from collections.abc import Container
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.alias_generators import to_camel

from searchsocket.serving.capabilities.base import A, AnyCapability, Capability, R


class QueryString(BaseModel):
    """Base of the query strings: everything in them is text."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class LenientQueryString(QueryString):
    """Ignores parameters that it does not know."""

    model_config = ConfigDict(extra="ignore")


def query_string_of(
    capability: AnyCapability, base: type[QueryString] = QueryString, without: Container[str] = ()
) -> type[QueryString]:
    """Return the model of a capability's query string, without some fields."""
    fields: dict[str, Any] = {}
    for name, info in capability.request.model_fields.items():
        if name in without:
            continue
        parameter, kind, default = capability.http.parameters.get(name, (name, info.annotation, info))
        fields[parameter] = (kind, default)
    return create_model(f"{capability.request.__name__}Params", __base__=base, **fields)


def read_query_string(capability: Capability[R, A], params: QueryString, **others: object) -> R:
    """Build the request from a query string and other fields."""
    spelling = {name: parameter for name, (parameter, _, _) in capability.http.parameters.items()}
    names = capability.request.model_fields.keys() - others.keys()
    values = {name: getattr(params, spelling.get(name, name)) for name in names}
    return capability.request.model_construct(None, **values, **others)
