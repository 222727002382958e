"""Counts of each stage. The names are public: they are in records, Dagster's plots, and `index --json`."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Self

Number = int | float


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one stage; a field each."""

    @classmethod
    def of(cls, values: Mapping[str, Number]) -> Self:
        """The numbers on record, where an older version may have kept fewer; none at all count nothing."""
        defaults = {field.name: 0 if field.default is MISSING else field.default for field in fields(cls)}
        return cls(**{name: values.get(name, default) for name, default in defaults.items()})

    def values(self) -> dict[str, Number]:
        """Name to number, in the order of the fields; those that nothing was counted for are left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PageNumbers(Numbers):
    """Of `site_pages`. Whatever could be a page is found: as a page, as a file that is skipped, or as a failure."""

    found: int
    changed: int
    unchanged: int
    files_skipped: int  # by the source: fallbacks, second spellings
    failed: int
    gone: int
    deletion_eligible: int  # 1: the source was seen completely


@dataclass(frozen=True, slots=True)
class MirrorNumbers(Numbers):
    """Of `page_mirror`, in pages."""

    indexed: int
    extracted: int
    reused: int  # taken from another scope
    written: int
    unchanged: int
    removed: int
    pages_skipped: int  # for what they say: noindex, redirects, no text
    failed: int
    routes_exact: int
    routes_best_effort: int
    routes_none: int


@dataclass(frozen=True, slots=True)
class ChunkNumbers(Numbers):
    """Of `page_chunks`."""

    total: int
    changed: int
    pages_cut: int
    pages_kept: int


@dataclass(frozen=True, slots=True)
class EmbeddingNumbers(Numbers):
    """Of `chunk_embeddings`, in distinct texts."""

    unique_texts: int
    created: int
    reused: int
    estimated_tokens: int
    estimated_cost_usd: float
    charged_tokens: int  # as the provider says
    charged_cost_usd: float
    dimensions: int


@dataclass(frozen=True, slots=True)
class IndexNumbers(Numbers):
    """Of `search_index`, in records."""

    records: int
    pages: int
    upserted: int
    deleted: int
    unchanged: int
    published: int  # 1: another generation is live
    generation_cost_usd: float | None = None  # of embedding what is new in it, estimated
    replaced_age_hours: float | None = None  # how long the generation was live that this one replaced
    golden_queries: int | None = None  # that expect something; None: there are none, or nothing was published
    golden_recall: float | None = None
    golden_mrr10: float | None = None
    golden_ndcg10: float | None = None
    vector_recall10: float | None = None  # of the live generation; None: its vector index is exact


@dataclass(frozen=True, slots=True)
class CodeNumbers(ChunkNumbers):
    """Of `code_chunks`: the pages are source files."""

    indexed: int
    files_skipped: int  # for what is in them: binaries
    failed: int
    removed: int


@dataclass(frozen=True, slots=True)
class LlmsNumbers(Numbers):
    """Of `llms_txt`."""

    pages: int  # that are listed
    files_written: int
    files_removed: int
    files_in_the_way: int  # of somebody else, under a name that one of ours would have


@dataclass(frozen=True, slots=True)
class StaticNumbers(Numbers):
    """Of `static_search`."""

    pages: int
    files: int  # of this generation
    files_written: int
    files_removed: int  # of the generation before the previous one
    bytes: int  # of the files of this generation
