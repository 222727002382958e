"""Counts of each stage. The names are public: reports, Dagster's plots and `index --json` use them."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Self

Number = int | float


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one stage, one field per number."""

    @classmethod
    def of(cls, values: Mapping[str, Number]) -> Self:
        """Read recorded numbers; an older version may have recorded fewer, which then count as 0."""
        defaults = {field.name: 0 if field.default is MISSING else field.default for field in fields(cls)}
        return cls(**{name: values.get(name, default) for name, default in defaults.items()})

    def values(self) -> dict[str, Number]:
        """Name to number, in the order of the fields; numbers that were not counted are left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PageNumbers(Numbers):
    """Numbers of `site_pages`. `found` counts everything that may be a page: pages, skipped files and failures."""

    found: int
    changed: int
    unchanged: int
    files_skipped: int  # by the source: fallbacks, duplicate addresses
    failed: int
    gone: int
    deletion_eligible: int  # 1: the source was read completely


@dataclass(frozen=True, slots=True)
class MirrorNumbers(Numbers):
    """Numbers of `page_mirror`, in pages."""

    indexed: int
    extracted: int
    reused: int  # copied from another scope
    written: int
    unchanged: int
    removed: int
    pages_skipped: int  # because of their content: noindex, redirects, no text
    failed: int
    routes_exact: int
    routes_best_effort: int
    routes_none: int


@dataclass(frozen=True, slots=True)
class ChunkNumbers(Numbers):
    """Numbers of `page_chunks`."""

    total: int
    changed: int
    pages_cut: int
    pages_kept: int


@dataclass(frozen=True, slots=True)
class EmbeddingNumbers(Numbers):
    """Numbers of `chunk_embeddings`, in distinct texts."""

    unique_texts: int
    created: int
    reused: int
    estimated_tokens: int
    estimated_cost_usd: float
    charged_tokens: int  # as reported by the provider
    charged_cost_usd: float
    dimensions: int
    cut: int = 0  # to what the provider takes
    left_out: int = 0  # without a vector, as the provider refused them


@dataclass(frozen=True, slots=True)
class IndexNumbers(Numbers):
    """Numbers of `search_index`, in records."""

    records: int
    pages: int
    upserted: int
    deleted: int
    unchanged: int
    published: int  # 1: a new generation is live
    generation_cost_usd: float | None = None  # estimated cost of its new embeddings
    replaced_age_hours: float | None = None  # how long the replaced generation was live
    golden_queries: int | None = None  # queries with an expectation; None: there are none, or nothing was published
    golden_recall: float | None = None
    golden_mrr10: float | None = None
    golden_ndcg10: float | None = None
    vector_recall10: float | None = None  # of the live generation; None: its vector index is exact


@dataclass(frozen=True, slots=True)
class CodeNumbers(ChunkNumbers):
    """Numbers of `code_chunks`: the pages are source files."""

    indexed: int
    files_skipped: int  # because of their content: binaries
    failed: int
    removed: int


@dataclass(frozen=True, slots=True)
class LlmsNumbers(Numbers):
    """Numbers of `llms_txt`."""

    pages: int  # listed pages
    files_written: int
    files_removed: int
    files_in_the_way: int  # files of another origin under a name that this stage needs


@dataclass(frozen=True, slots=True)
class StaticNumbers(Numbers):
    """Numbers of `static_search`."""

    pages: int
    files: int  # of this generation
    files_written: int
    files_removed: int  # of the generation before the previous one
    bytes: int  # of the files of this generation
