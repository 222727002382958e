"""One page as an agent reads it: what is known of it, and as much of its text as fits."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.agents.library import Library
from searchsocket.search.wire import Address, Age, ChangedSince, Resolution, RouteFile, Url, Wire
from searchsocket.serving.page_parts import page_part
from searchsocket.serving.parts import Part


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
    route_file: Annotated[RouteFile, Field(description="Source file of the page; null if unknown.")]
    route_resolution: Resolution
    changed_since: ChangedSince
    tags: tuple[str, ...]
    modified: str
    markdown: str
    truncated: Annotated[bool, Field(description="True if the page continues after this part.")]
    continuation_token: Annotated[str | None, Field(description="Gets the rest; null at the end.")]


def page_text(library: Library, path: str, max_tokens: int, token: str) -> PageText:
    """The page that a path means, from its top or from where a token goes on.

    Raises:
        PageMissing: There is no such page.
        InvalidRequest: `max_tokens` is below what is given at least.
        ContinuationGone: The token is none, or of another page or generation.
    """
    found = library.service.page(path, library.scope)
    answer = found.answer()
    part = page_part(found, Part(max_tokens or None, token), library.service.continuations)
    return PageText(
        url=answer.url,
        href=answer.href,
        title=answer.title,
        description=answer.description,
        scope=answer.scope,
        generation=answer.generation,
        age_seconds=library.age_s(found.generation.published_at),
        route_file=answer.route_file,
        route_resolution=answer.route_resolution,
        changed_since=answer.changed_since,
        tags=answer.tags,
        modified=answer.modified,
        markdown=part.markdown,
        truncated=part.token is not None,
        continuation_token=part.token,
    )
