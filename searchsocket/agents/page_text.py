"""One page as an agent reads it: what is known of it, and as much of its text as fits."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.agents.library import Library
from searchsocket.errors import InvalidRequest
from searchsocket.search.content.bounds import DEFAULT_MAX_TOKENS, LEAST_MAX_TOKENS
from searchsocket.search.content.budget import cut_to
from searchsocket.search.wire import Address, Age, Resolution, RouteFile, Url, Wire

_KIND = "get_page"


@dataclass(frozen=True, slots=True)
class PageText(Wire):
    """A page, or a part of it."""

    url: Url
    href: Address
    title: str
    description: str
    scope: str
    generation: str
    age_seconds: Age
    route_file: Annotated[RouteFile, Field(description="The source file that makes the page; null where none does.")]
    route_resolution: Resolution
    tags: tuple[str, ...]
    modified: str
    markdown: str
    truncated: Annotated[bool, Field(description="Whether the page goes on behind this part.")]
    continuation_token: Annotated[str | None, Field(description="For what follows; null where this is the end.")]


def page_text(library: Library, path: str, max_tokens: int, token: str) -> PageText:
    """The page that a path means, from its top or from where a token goes on.

    Raises:
        PageMissing: There is no such page.
        InvalidRequest: `max_tokens` is below what is given at least.
        ContinuationGone: The token is none, or of another page or generation.
    """
    if 0 < max_tokens < LEAST_MAX_TOKENS:
        raise InvalidRequest(f"maxTokens must be {LEAST_MAX_TOKENS} or more, not {max_tokens}")
    found = library.service.page(path, library.scope)
    answer, generation, words = found.answer(), found.generation, library.service.continuations
    start, budget = 0, max_tokens or DEFAULT_MAX_TOKENS
    if token:
        (url, before), start = words.position(token, _KIND, generation)
        if url != answer.url:
            raise InvalidRequest(f"the continuation is of {url}, not of {answer.url}; send it with that page")
        budget = max_tokens or before
    part = _sections(answer.markdown[start:], budget)
    end = start + len(part)
    more = words.word(_KIND, generation, (answer.url, budget), end) if end < len(answer.markdown) else None
    return PageText(
        url=answer.url,
        href=answer.href,
        title=answer.title,
        description=answer.description,
        scope=answer.scope,
        generation=answer.generation,
        age_seconds=library.age_s(generation.published_at),
        route_file=answer.route_file,
        route_resolution=answer.route_resolution,
        tags=answer.tags,
        modified=answer.modified,
        markdown=part,
        truncated=more is not None,
        continuation_token=more,
    )


def _sections(text: str, max_tokens: int) -> str:
    """As many whole sections as fit; of one that is too long alone, whole paragraphs."""
    part = cut_to(text, max_tokens)
    if len(part) == len(text):
        return text
    heading = part.rfind("\n#", len(part) // 2)
    return part[: heading + 1] if heading > 0 else part
