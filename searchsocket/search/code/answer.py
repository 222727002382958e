"""What a search of source code answers, as JSON in camelCase."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.search.answer import Note
from searchsocket.search.wire import Age, ContinuationToken, Score, Truncated, Wire


@dataclass(frozen=True, slots=True)
class Why(Wire):
    """Why a result is one."""

    terms: Annotated[tuple[str, ...], Field(description="Words of the query that its text, name or path holds.")]
    signals: Annotated[
        tuple[str, ...],
        Field(
            description="What counted: definition, meaning, words, file; and what counted against it: test, generated."
        ),
    ]


@dataclass(frozen=True, slots=True)
class CodeResult(Wire):
    """Some lines of a file."""

    id: str
    file: Annotated[str, Field(description="From the project's top.", examples=["src/auth/token.ts"])]
    lines: Annotated[str, Field(description="First and last, where they stand now.", examples=["45-78"])]
    symbol: Annotated[
        str, Field(description="Qualified name; empty outside of definitions.", examples=["Parser.parse"])
    ]
    kind: Annotated[str, Field(examples=["function"])]
    language: Annotated[str, Field(examples=["typescript"])]
    signature: str
    exported: bool
    similarity: Annotated[float, Field(ge=-1, le=1, description="Cosine of the query's vector and the chunk's.")]
    score: Score
    why: Why
    preview: Annotated[str, Field(description="The first lines.")]
    changed_since: Annotated[bool, Field(description="Whether the file is another one than the one that was indexed.")]


@dataclass(frozen=True, slots=True)
class CodeAnswer(Wire):
    """The best lines for a query."""

    q: str
    scope: str
    results: tuple[CodeResult, ...]
    quality: Annotated[str, Field(description="`rejected` where nothing in the code is near the query.")]
    generation: str
    age_seconds: Age
    notes: tuple[Note, ...] = ()
    truncated: Truncated = False
    continuation_token: ContinuationToken = None
