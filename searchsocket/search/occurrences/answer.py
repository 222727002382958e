"""Query for every occurrence, its answer, and the continuation of the list."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.errors import ContinuationGone
from searchsocket.search.answer import Note
from searchsocket.search.continuation import Continuations
from searchsocket.search.filters import Filters
from searchsocket.search.wire import Age, Href, Marks, Url, Wire
from searchsocket.types import Generation

MAX_CHARS = 400
_KIND = "find"


@dataclass(frozen=True, slots=True)
class FindQuery:
    """Words or a phrase to find literally."""

    q: str
    limit: int = 20  # occurrences: 1 to 100
    whole_words: bool = True
    match_case: bool = False
    path_prefix: str = ""
    tags: tuple[str, ...] = ()
    filters: Filters = ()
    version: tuple[str, ...] = ()  # as in `SearchQuery`
    continuation: str = ""  # of the previous answer; "": start with the first occurrence
    max_tokens: int | None = None  # of text, approximate; None: only `limit` applies

    @property
    def identity(self) -> tuple[object, ...]:
        """The text and filters of the request, without limits and continuation."""
        return self.q, self.whole_words, self.match_case, self.path_prefix, self.tags, self.filters, self.version


@dataclass(frozen=True, slots=True)
class Occurrence(Wire):
    """An occurrence of the words on a page."""

    url: Url
    href: Href
    anchor: str
    title: str
    section_title: str
    line: Annotated[
        int, Field(ge=1, description="Line number in the page's Markdown, as the pages endpoint returns it.")
    ]
    snippet: str
    marks: Marks


@dataclass(frozen=True, slots=True)
class FindAnswer(Wire):
    """Occurrences in the order of pages and, on a page, of its text."""

    q: str  # after normalization
    scope: str
    generation: str
    age_seconds: Age
    total: Annotated[int, Field(ge=0, description="Number of occurrences on all pages that match the filters.")]
    pages: Annotated[int, Field(ge=0, description="Number of pages with an occurrence.")]
    occurrences: tuple[Occurrence, ...]
    continuation: Annotated[str | None, Field(description="Gets the next occurrences; null at the end.")]
    truncated: Annotated[bool, Field(description="True if `maxTokens` ended the answer before `limit`.")]
    notes: Annotated[
        tuple[Note, ...], Field(exclude_if=lambda notes: not notes, description="Reasons why nothing can match.")
    ] = ()


def continuation_of(request: Sequence[object], generation: Generation, offset: int, words: Continuations) -> str:
    """Return the token for the occurrences after the first `offset` ones.

    Args:
        request: The text and filters of the request; plain values.
    """
    return words.make_token(_KIND, generation, _digest(request), offset)


def offset_of(continuation: str, request: Sequence[object], generation: Generation, words: Continuations) -> int:
    """Return the number of occurrences in previous answers.

    Raises:
        ContinuationGone: The token is not valid, or belongs to another query or a generation that is not live.
    """
    if not continuation:
        return 0
    digest, offset = words.position(continuation[:MAX_CHARS], _KIND, generation)
    if digest != _digest(request):
        raise ContinuationGone("the continuation belongs to another query; send it with the same words and filters")
    return offset


def _digest(request: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(request).encode("utf-8", "replace")).hexdigest()[:16]
