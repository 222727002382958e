"""Answer to a source code search, as JSON in camelCase."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from searchsocket.search.answer import Note
from searchsocket.search.wire import Age, ContinuationToken, Score, Truncated, Wire

# The terms of a score. `explain` returns these names; the API describes them in these words.
FEATURES = {
    "meaning": "cosine, scaled over the candidates",
    "words": "BM25 of the chunk, scaled over the candidates",
    "file": "BM25 of the file, scaled over the candidates",
    "name": "share of the words of the file's name that the query contains",
    "query": "share of the query's words that the names of the file and its folder contain",
    "path": "share of the query's words that the path contains",
    "definition": "the chunk or its file is named as the query, or as a name in it",
    "written": "the chunk contains the query's identifiers",
    "changelog": "share of the query's words in one entry; it replaces all others for questions about versions",
}


@dataclass(frozen=True, slots=True)
class Why(Wire):
    """Reasons for the rank of a result."""

    terms: Annotated[tuple[str, ...], Field(description="Query words in its text, name or path.")]
    signals: Annotated[
        tuple[str, ...],
        Field(description="Reasons for its rank (definition, meaning, words, file) and against it (test, generated)."),
    ]


@dataclass(frozen=True, slots=True)
class CodeResult(Wire):
    """Some lines of a file."""

    id: str
    file: Annotated[str, Field(description="Path from the project folder.", examples=["src/auth/token.ts"])]
    lines: Annotated[str, Field(description="First and last line now.", examples=["45-78"])]
    symbol: Annotated[
        str, Field(description="Qualified name of the definition; empty outside of one.", examples=["Parser.parse"])
    ]
    kind: Annotated[str, Field(examples=["function"])]
    language: Annotated[str, Field(examples=["typescript"])]
    signature: str
    exported: bool
    similarity: Annotated[float, Field(ge=-1, le=1, description="Cosine of the query's vector and the chunk's.")]
    score: Score
    why: Why
    preview: Annotated[str, Field(description="The first lines.")]
    changed_since: Annotated[bool, Field(description="True if the file changed since it was indexed.")]
    parts: Annotated[
        Mapping[str, float],
        Field(
            exclude_if=lambda parts: not parts,
            description="With `explain`, what adds up to the score. "
            + "; ".join(f"`{name}`: {text}" for name, text in FEATURES.items()),
        ),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CodeAnswer(Wire):
    """The best lines for a query."""

    q: str
    scope: str
    results: tuple[CodeResult, ...]
    quality: Annotated[str, Field(description="`rejected`: no code matches the query closely.")]
    generation: str
    age_seconds: Age
    notes: tuple[Note, ...] = ()
    truncated: Truncated = False
    continuation_token: ContinuationToken = None
