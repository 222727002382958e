"""How answers travel: a dataclass is its JSON, in camelCase, and the description of it (spec 14.1)."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, PlainSerializer, SerializationInfo
from pydantic.alias_generators import to_camel

from searchsocket.types import RouteResolution

T = TypeVar("T")


class Wire:
    """Base of a dataclass that is written as JSON, field by field; one with `exclude` stays inside."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)


def _for_the_trusted(value: T, info: SerializationInfo) -> T | None:
    """Null, unless whoever writes the answer says that its reader may see sources."""
    return value if info.context == SOURCES else None


def for_the_trusted(kind: Any) -> PlainSerializer:
    """Of a field of `kind | None`: null, unless its reader may see sources."""
    return PlainSerializer(_for_the_trusted, return_type=kind | None, when_used="unless-none")


SOURCES = "sources"  # the context in which source paths are written
# What nobody asked for is null already, and is not asked about.
RouteFile = Annotated[str | None, for_the_trusted(str)]
Resolution = Annotated[RouteResolution | None, for_the_trusted(RouteResolution)]
Revision = Annotated[str | None, for_the_trusted(str)]


@dataclass(frozen=True, slots=True)
class FileLines(Wire):
    """Where a passage stands: what an editor opens."""

    file: str | None  # null where no file is known
    first_line: int | None  # from 1; null where the lines are not known
    last_line: int | None  # included


PassageLines = Annotated[FileLines | None, for_the_trusted(FileLines)]
Score = Annotated[float, Field(ge=0, le=1, description="Higher is better; comparable only within one answer.")]
Confidence = Annotated[
    float, Field(ge=0, le=1, description="How likely it answers; comparable between answers, models and sites.")
]
Age = Annotated[float, Field(ge=0, description="Since the index was published.")]
Marks = Annotated[
    tuple[tuple[int, int], ...],
    Field(description="Where query words stand in `snippet`: [start, end) in code points."),
]
SnippetHtml = Annotated[
    str,
    Field(
        description="`snippet` escaped for HTML: `<mark>` around query words, `<pre><code>` around lines of code, "
        "`<br>` between other lines, and no other markup."
    ),
]
Url = Annotated[str, Field(description="The page, as filters and other requests name it; `href` opens it.")]
Address = Annotated[str, Field(description="Opens the page on its host.", examples=["/docs/start.html"])]
Href = Annotated[
    str, Field(description="Opens the page on its host, at its section.", examples=["/docs/start.html#install"])
]
