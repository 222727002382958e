"""The status of the source code index, and the result of a sync, as answers."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from searchsocket.search.wire import FirstSkipped, SkipReasons, Wire

MAX_NAMED = 50


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
