"""What an answer's fields say of themselves, as plain data: pydantic reads it when an answer is described or written as
JSON, and is loaded no sooner, so that the shell's answers need not wait for it (spec 14.1).

A dataclass field takes it as `field(metadata=SCORE)`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from searchsocket.types import RouteResolution

if TYPE_CHECKING:
    from pydantic import ConfigDict, GetCoreSchemaHandler, SerializationInfo
    from pydantic_core import CoreSchema

T = TypeVar("T")
Metadata = Mapping[str, Any]

SOURCES = "sources"  # the context in which source paths are written


def camel_case(name: str) -> str:
    """`first_line` as `firstLine`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


class Wire:
    """Base of a dataclass that is written as JSON, field by field; one with `exclude` stays inside."""

    __slots__ = ()
    __pydantic_config__ = cast("ConfigDict", {"alias_generator": camel_case, "serialize_by_alias": True})


@dataclass(frozen=True, slots=True)
class ForTheTrusted:
    """Of a field of `kind | None`: null, unless whoever writes the answer says that its reader may see sources."""

    kind: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic import PlainSerializer

        # What nobody asked for is null already, and is not asked about.
        written = PlainSerializer(_for_the_trusted, return_type=self.kind | None, when_used="unless-none")
        return written.__get_pydantic_core_schema__(source, handler)


def _for_the_trusted(value: T, info: "SerializationInfo") -> T | None:
    return value if info.context == SOURCES else None


@dataclass(frozen=True, slots=True)
class FileLines(Wire):
    """Where a passage stands: what an editor opens."""

    file: str | None  # null where no file is known
    first_line: int | None  # from 1; null where the lines are not known
    last_line: int | None  # included


RouteFile = Annotated[str | None, ForTheTrusted(str)]
Resolution = Annotated[RouteResolution | None, ForTheTrusted(RouteResolution)]
Revision = Annotated[str | None, ForTheTrusted(str)]
ChangedSince = Annotated[bool | None, ForTheTrusted(bool)]
PassageLines = Annotated[FileLines | None, ForTheTrusted(FileLines)]

CHANGED_SINCE: Metadata = {
    "description": "Whether the content file or route file was written after the index was published; null for callers "
    "without a key, and where no such file is known.",
}
SCORE: Metadata = {"ge": 0, "le": 1, "description": "Higher is better; comparable only within one answer."}
CONFIDENCE: Metadata = {
    "ge": 0,
    "le": 1,
    "description": "How likely it answers; comparable between answers, models and sites.",
}
AGE: Metadata = {"ge": 0, "description": "Since the index was published."}
MARKS: Metadata = {"description": "Where query words stand in `snippet`: [start, end) in code points."}
SNIPPET_HTML: Metadata = {
    "description": "`snippet` escaped for HTML: `<mark>` around query words, `<pre><code>` around lines of code, "
    "`<br>` between other lines, and no other markup."
}
URL: Metadata = {"description": "The page, as filters and other requests name it; `href` opens it."}
ADDRESS: Metadata = {"description": "Opens the page on its host.", "examples": ["/docs/start.html"]}
HREF: Metadata = {
    "description": "Opens the page on its host, at its section.",
    "examples": ["/docs/start.html#install"],
}
TOTAL: Metadata = {
    "ge": 0,
    "description": "How many results the query's candidates hold, over all offsets. Not all that match: a search by "
    "meaning ranks the nearest, and `topK` says how many of them are looked at.",
}
TRUNCATED: Metadata = {
    "exclude_if": lambda is_so: not is_so,
    "description": "Whether `maxTokens` ended it before `topK`.",
}
CONTINUATION_TOKEN: Metadata = {
    "exclude_if": lambda token: token is None,
    "description": "For the results that follow; absent where none do.",
}
QUALITY: Metadata = {
    "description": "`weak`: nothing fits well, the best result's `confidence` is low; `rejected`: what was found is "
    "too weak to be given, so there are no results."
}
