"""Answer to a question: cited passages, or a refusal."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.search.answer import Note
from searchsocket.search.wire import Age, ChangedSince, Confidence, Href, PassageLines, RouteFile, Url, Wire


@dataclass(frozen=True, slots=True)
class AskQuery:
    """A question about the pages of a scope and, if the caller may read it, its source code."""

    question: str
    limit: int = 3  # passages: 1 to 10
    max_tokens: int | None = None  # of all passages: 200 to 100,000; None: that of the previous answer, else 2,000
    continuation_token: str = ""  # of the previous answer, to get the next passages
    path_prefix: str = ""  # only pages in this directory, and no source code
    languages: tuple[str, ...] = ()  # only pages in one of them; empty = all


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
