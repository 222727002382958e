"""Answer to a question: cited passages, or a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.search.answer import Note
from searchsocket.search.filters import Filters
from searchsocket.search.query import SearchQuery
from searchsocket.search.wire import Age, ChangedSince, Confidence, Href, PassageLines, RouteFile, Url, Wire
from searchsocket.stores.base.labels import LANGUAGE

_NO_LANGUAGE = "zxx"  # the tag of texts without a language, which no page has


@dataclass(frozen=True, slots=True)
class AskQuery:
    """A question about the pages of a scope and, if the caller may read it, its source code."""

    question: str
    limit: int = 3  # passages: 1 to 10
    max_tokens: int | None = None  # of all passages: 200 to 100,000; None: that of the previous answer, else 2,000
    continuation_token: str = ""  # of the previous answer, to get the next passages
    # Conditions on pages, as of a `SearchQuery`; source code meets none.
    path_prefix: str = ""
    tags: tuple[str, ...] = ()
    filters: Filters = ()
    version: tuple[str, ...] = ()
    prefer_language: str = ""
    languages: tuple[str, ...] = ()  # of pages that the owner allows, besides the filters; empty = all

    @property
    def is_about_pages(self) -> bool:
        """Return True if a condition leaves out source code."""
        return bool(self.path_prefix or self.tags or self.filters or self.version)


def pages_query(query: AskQuery, top_k: int = 10) -> SearchQuery:
    """Return the search for pages that meet the conditions of a question."""
    return SearchQuery(
        query.question,
        top_k,
        path_prefix=query.path_prefix,
        tags=query.tags,
        filters=query.filters,
        version=query.version,
        prefer_language=query.prefer_language,
    )


def in_languages(filters: Filters, languages: Sequence[str]) -> Filters:
    """Add the languages that the owner allows to checked filters; of the requested ones, only these remain."""
    if not languages:
        return filters
    allowed = [language.lower().replace("_", "-") for language in languages]
    requested = dict(filters).get(LANGUAGE)
    within = {value for value in requested or () if any(_is_in(value, each) for each in allowed)}
    within |= {each for each in allowed if any(_is_in(each, value) for value in requested or ())}
    searched = (tuple(sorted(within)) or (_NO_LANGUAGE,)) if requested else tuple(allowed)
    return (*(each for each in filters if each[0] != LANGUAGE), (LANGUAGE, searched))


def _is_in(language: str, other: str) -> bool:
    """Return True if a language is another, or a variant of it, such as `pt-br` of `pt`."""
    return f"{language}-".startswith(f"{other}-")


@dataclass(frozen=True, slots=True)
class AnswerPassage(Wire):
    """Whole sentences, or whole lines of code, that answer or help to."""

    text: str
    folder_id: str
    file_path: Annotated[str, Field(description="Path for requests about this document.")]
    chunk_id: str
    url: Annotated[Url | None, Field(description="URL path of the page; null for source code.")]
    href: Annotated[Href | None, Field(description="Link to the section; null for source code.")]
    title: str
    section_title: str
    route_file: RouteFile
    source: Annotated[PassageLines, Field(description="Lines of the section in its source file.")]
    changed_since: ChangedSince
    generation: str
    confidence: Annotated[Confidence, Field(description="Probability that this section answers the question.")]


@dataclass(frozen=True, slots=True)
class IndexReference(Wire):
    """An index that was asked."""

    folder_id: str
    generation: str
    age_seconds: Age


@dataclass(frozen=True, slots=True)
class AskAnswer(Wire):
    """Passages, most likely first; an empty list is not an error."""

    question: str
    answered: Annotated[
        bool, Field(description="True if a passage supports an answer; otherwise there are no passages.")
    ]
    confidence: Annotated[Confidence, Field(description="Probability that the index answers the question.")]
    message: str
    passages: tuple[AnswerPassage, ...]
    indexes: tuple[IndexReference, ...]
    next_actions: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    truncated: Annotated[bool, Field(description="True if `max_tokens` ended the answer before `limit`.")] = False
    continuation_token: Annotated[str | None, Field(description="Gets the next passages; null if there are none.")] = (
        None
    )
