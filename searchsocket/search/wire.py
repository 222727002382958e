"""Types of the fields of answers, with their descriptions and JSON rules (spec 14.1)."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, PlainSerializer, SerializationInfo
from pydantic_core import CoreSchema

from searchsocket.system.json_text import camel_case
from searchsocket.types import RouteResolution

T = TypeVar("T")

SOURCES = "sources"  # serialization context that includes source paths


class Wire:
    """Base of dataclasses that are serialized as JSON with one key per field; fields with `exclude` are left out."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(alias_generator=camel_case, serialize_by_alias=True)


@dataclass(frozen=True, slots=True)
class ForTheTrusted:
    """A field of `kind | None` that is null unless the reader of the answer may see source paths."""

    kind: Any

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        # "unless-none", since a field without a value is null already.
        serializer = PlainSerializer(_for_the_trusted, return_type=self.kind | None, when_used="unless-none")
        return serializer.__get_pydantic_core_schema__(source, handler)


def _for_the_trusted(value: T, info: SerializationInfo) -> T | None:
    return value if info.context == SOURCES else None


def absent_if_empty(description: str) -> Any:
    """Return the field of a value that is left out of the JSON if it is false, "" or ()."""
    return Field(exclude_if=lambda value: not value, description=description)


def absent_if_none(description: str) -> Any:
    """Return the field of a value that is left out of the JSON if it is None."""
    return Field(exclude_if=lambda value: value is None, description=description)


@dataclass(frozen=True, slots=True)
class FileLines(Wire):
    """Lines of a passage in a file, for an editor."""

    file: str | None  # null if unknown
    first_line: int | None  # from 1; null if unknown
    last_line: int | None  # included


@dataclass(frozen=True, slots=True)
class SkippedFile(Wire):
    """A file that is not searched."""

    page: str  # its path; a folder ends with a slash
    reason: str


FirstSkipped = Annotated[
    tuple[SkippedFile, ...], Field(description="Some of the files that are not searched although git lists them.")
]
SkipReasons = Annotated[dict[str, int], Field(description="Number of all these files by reason.")]
RouteFile = Annotated[str | None, ForTheTrusted(str)]
Resolution = Annotated[RouteResolution | None, ForTheTrusted(RouteResolution)]
Revision = Annotated[str | None, ForTheTrusted(str)]
PassageLines = Annotated[FileLines | None, ForTheTrusted(FileLines)]
ChangedSince = Annotated[
    bool | None,
    ForTheTrusted(bool),
    Field(
        description="True if the content file or route file changed after publishing; null without the key or if "
        "the file is unknown."
    ),
]
Score = Annotated[float, Field(ge=0, le=1, description="Higher is better; comparable only within one answer.")]
Confidence = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="Probability that it answers the query; comparable between answers, models and sites.",
    ),
]
Age = Annotated[float, Field(ge=0, description="Seconds since the generation was published.")]
Marks = Annotated[
    tuple[tuple[int, int], ...],
    Field(description="Positions of query words in `snippet`: [start, end) in code points."),
]
SnippetHtml = Annotated[
    str,
    Field(
        description="`snippet` as safe HTML: `<mark>` around query words, `<pre><code>` around code, `<br>` "
        "between lines, no other markup."
    ),
]
Url = Annotated[str, Field(description="URL path of the page, as in filters and other requests; use `href` for links.")]
Address = Annotated[str, Field(description="Link to the page.", examples=["/docs/start.html"])]
Href = Annotated[str, Field(description="Link to the section of the page.", examples=["/docs/start.html#install"])]
Truncated = Annotated[bool, absent_if_empty("True if `maxTokens` ended the answer before `topK`.")]
ContinuationToken = Annotated[str | None, absent_if_none("Gets the next results; absent if there are none.")]
