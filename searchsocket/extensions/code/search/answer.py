"""Query over source code, and answers as JSON in camelCase: of a search, of the index's status, of a sync."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, get_args

from pydantic import Field

from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.parsing.paths import PathFilter, checked_languages, one_of
from searchsocket.extensions.code.parsing.symbols import kind_label
from searchsocket.search.answer import Note
from searchsocket.search.bounds import MAX_CODE_TOP_K, MAX_QUERY_CHARS
from searchsocket.search.wire import Age, ContinuationToken, FirstSkipped, Score, SkipReasons, Truncated, Wire
from searchsocket.types import ChunkKind, CodeKind, Filter

KINDS = (*get_args(CodeKind), *get_args(ChunkKind)[-2:])

MAX_NAMED = 50


@dataclass(frozen=True, slots=True)
class CodeQuery:
    """A question about source code; filters are applied before anything is ranked."""

    q: str
    top_k: int = 10
    path: str = ""  # a folder or file from the project's top, or a glob: src/auth, src/**/*.ts
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    exported: bool = False  # True: only what others can use
    max_per_file: int = 3
    explain: bool = False  # return the parts of each score

    def checked(self) -> "CodeQuery":
        """Return the query itself.

        Raises:
            InvalidRequest: The query is empty, or a value is out of range; the message names it.
        """
        if not self.q.strip() or len(self.q) > MAX_QUERY_CHARS:
            raise InvalidRequest(f"a query must have from 1 to {MAX_QUERY_CHARS:,} characters, not {len(self.q):,}")
        for name, value, most in (
            ("limit", self.top_k, MAX_CODE_TOP_K),
            ("maxPerFile", self.max_per_file, MAX_CODE_TOP_K),
        ):
            if not 1 <= value <= most:
                raise InvalidRequest(f"{name} must be from 1 to {most}, not {value}")
        self.files.checked()
        checked_languages(self.languages)
        one_of("kind", self.kinds, KINDS)
        return self

    @property
    def files(self) -> PathFilter:
        """Filter on paths."""
        return PathFilter(self.path)

    @property
    def where(self) -> Filter:
        """Filter for the store."""
        return Filter(
            path_prefix=self.files.prefix,
            languages=self.languages,
            facets=(
                *([tuple(map(kind_label, self.kinds))] if self.kinds else []),
                *([("exported=true",)] if self.exported else []),
            ),
        )


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


@dataclass(frozen=True, slots=True)
class Files(Wire):
    """Some files."""

    count: int
    paths: Annotated[tuple[str, ...], Field(description=f"The first {MAX_NAMED}.")]


@dataclass(frozen=True, slots=True)
class CodeStatus(Wire):
    """Status of the source code index compared with the files."""

    scope: str
    indexed: bool
    dirty: Annotated[bool, Field(description="True if a sync has work to do.")]
    generation: str | None
    age_seconds: float | None
    files: int  # in the index
    chunks: int
    changed: Files
    new: Files
    deleted: Files
    marked: Annotated[Files, Field(description="Files marked with `invalidate`.")]
    configuration_changed: bool
    rules_changed: Annotated[
        bool, Field(description="True if a new version or other grammars split files differently.")
    ]
    unpublished: Annotated[bool, Field(description="True if the last run stopped before it published.")]
    skipped: FirstSkipped
    skip_reasons: SkipReasons
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeSynced(Wire):
    """Result of a sync."""

    scope: str
    changed: Annotated[bool, Field(description="True if the sync had work to do.")]
    generation: str | None
    files: int  # in the index
    chunks: int
    embedded: int  # texts that were never embedded before
    upserted: int  # chunks that were written
    deleted: int
    skipped: FirstSkipped = ()
    skip_reasons: SkipReasons = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    cost_usd: Annotated[float, Field(description="Charges of the embedding provider, in US dollars.")] = 0.0
    left_out: Annotated[int, Field(description="Texts without a vector, as the provider refused them.")] = 0
