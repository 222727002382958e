"""`GET /api/glossary`, and the tool `glossary`."""

from typing import Annotated

from pydantic import Field

from searchsocket.serving.capabilities import fields
from searchsocket.serving.capabilities.base import Agent, Caller, Capability, Http, Request, Services
from searchsocket_glossary.terms import Definition, define


class TermRequest(Request):
    """A request for the definition of a term; every request names a scope, even if its answer is the same in all."""

    scope: fields.ScopeName | None = None
    term: Annotated[str, Field(min_length=1, max_length=200, description="The term, in any case.")]


def glossary_term(services: Services, request: TermRequest, caller: Caller) -> Definition:
    """Get the definition of a term of this site's glossary. Returns the term and its definition."""
    return define(services.project, request.term)


GLOSSARY = Capability(
    glossary_term,
    Http("/glossary", get=("getDefinition", "Get the definition of a term")),
    agent=Agent("glossary", "what a term of this site means", ("term", "scope"), title="Define a term", toolset="core"),
)
CAPABILITIES = (GLOSSARY,)
