"""Core types of the pipeline, in the order of the data; `pages.py` has pages before they are split."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]  # shape (dim,), unit length
Vectors = NDArray[np.float32]  # shape (n, dim), one unit vector a row
Scores = NDArray[np.float64]  # shape (n,), one number a record

PageKind = Literal["html", "markdown", "pdf", "docx", "odt", "record", "code"]
RouteResolution = Literal["exact", "best-effort", "none"]
ChunkKind = Literal["summary", "section", "links", "definition", "block"]  # the last two of code
CodeKind = Literal[  # what a definition of code is
    "function", "method", "class", "struct", "interface", "impl", "type", "enum", "module", "constant", "variable",
    "field", "property", "macro", "component", "rule", "element", "key", "table", "heading",
]  # fmt: skip
GroupBy = Literal["page", "chunk"]
FacetKind = Literal["string", "number", "boolean", "strings"]


@dataclass(frozen=True, slots=True)
class Scope:
    """One index of one project: a branch (spec 6.1)."""

    project_id: str
    name: str
    branch: str = field(default="", compare=False)  # what the name was made of, e.g. `feature/a`; "" = not known

    @property
    def id(self) -> str:
        """`projectId:scopeName`, the identity across projects."""
        return f"{self.project_id}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """Facts that a page states in its head or front matter; a new field reaches every record."""

    title: str
    description: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()  # `name=value` of what the settings name as facets, see `text/facets.py`
    weight: float = 1.0  # `searchsocket-weight`; 0 takes the page out of search
    published: str = ""  # ISO 8601 date or date-time as stated
    modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts(StatedFacts):
    """Facts shared by all records of a page: its own statements, and facts about its place in the site."""

    url: str
    address: str = ""  # the path that opens it on its host, where that is not `url`
    route_file: str = ""  # "" when no route made the page
    route_resolution: RouteResolution = "none"
    source_file: str = ""  # the content file that the page was made from, relative to the project; "" when built
    depth: int = 0  # path segments
    incoming_links: int = 0  # distinct other pages that link here
    link_texts: tuple[str, ...] = ()  # what other pages call this one, most frequent first, at most 8


@dataclass(frozen=True, slots=True)
class Prose:
    """A chunk that is Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A chunk that is source code."""

    text: str
    language: str  # of the code, e.g. `python`; the page's own is what people speak


@dataclass(frozen=True, slots=True)
class Section:
    """Location of prose: under a heading."""

    heading_path: tuple[str, ...]  # outermost heading first, capped
    title: str  # the innermost heading, uncapped; "" before the first one
    anchor: str  # of the nearest heading that has one; "" at the top of the page
    piece: int  # n-th piece under that anchor, from 0
    first: int = 0  # line of the page's mirror file, from 1; 0 for a summary, which stands nowhere
    last: int = 0  # included
    source_first: int = 0  # line of the page's content file, from 1; 0 where that is not known
    source_last: int = 0  # included


@dataclass(frozen=True, slots=True)
class Lines:
    """Location of code: lines of a file, as part of a definition."""

    symbol: str  # qualified: `Parser.parse`; "" outside of definitions
    first: int  # from 1
    last: int  # included
    heading_path: tuple[str, ...] = ()  # the qualified names of all that is defined in these lines
    parents: tuple[str, ...] = ()  # names around the symbol's own, outermost first
    signature: str = ""  # in one line
    doc: str = ""  # the comment above it, or its docstring
    exported: int = 0  # 1: others can use it
    defines: tuple[str, ...] = ()  # the same names as `line:kind:qualified name`

    @property
    def title(self) -> str:
        """Title of the chunk for a reader."""
        return self.symbol

    @property
    def anchor(self) -> str:
        """The fragment that opens a file at these lines."""
        return f"L{self.first}-L{self.last}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieval unit: a heading section of a page, a part of one, the page's summary (spec 9), or code."""

    ordinal: int  # position on the page, from 0; the summary is 0
    kind: ChunkKind | CodeKind
    body: Prose | Code
    at: Section | Lines


@dataclass(frozen=True, slots=True)
class Record:
    """Record of a store, without its vector (spec 12.1)."""

    id: str  # chunkKey (spec 10.2)
    record_hash: str  # over every field but id and scope: a change of metadata alone is an upsert without an embedding
    content_hash: str  # sha256 of the embedded text
    ref: str  # url#anchor~piece: survives edits elsewhere on the page
    project_id: str
    scope: str
    model_id: str
    page: PageFacts
    chunk: Chunk


class Renamed(NamedTuple):
    """A record with its id in another scope that has the same record; "" = there is none."""

    id: str
    record_hash: str
    origin_id: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on results, applied before top-k in every store."""

    path_prefix: str = ""  # canonical, by whole segments: `/docs` holds `/docs` and `/docs/a`, not `/docs-old`
    tags: tuple[str, ...] = ()  # a record must carry all of them
    languages: tuple[str, ...] = ()  # one of them must be that of the page; `pt` holds `pt-BR`
    kinds: tuple[ChunkKind | CodeKind, ...] = ()  # one of them must be that of the chunk
    facets: tuple[tuple[str, ...], ...] = ()  # of each, the page must state one: (("version=3", "version=4"),)
    directories: tuple[str, ...] = ()  # the page must be in one of them; each is like `path_prefix`


MATCH_ALL = Filter()


@dataclass(frozen=True, slots=True)
class Hit:
    """One record that a store returns, with the score of the list that it came from."""

    id: str
    score: float  # vector lists: cosine in [-1, 1]; keyword lists: BM25, any positive number


@dataclass(frozen=True, slots=True)
class SiteVersion:
    """One version of a documentation site."""

    name: str  # e.g. `1.18`
    folder: str  # URL path of its pages; "" = the root of the site
    title: str = ""  # as the site shows it; "" = the name
    # Alias, e.g. `latest` -> its folder; "" = has no pages. The name itself, if the site prefers an alias's folder.
    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VersionFamily:
    """Folders that contain the same pages in different versions, e.g. `/docs/1.0` and `/docs/2.0`."""

    parent: str  # URL path above the folders; "" = the root of the site
    versions: tuple[SiteVersion, ...]  # newest first
    default: str  # name of the version that is searched by default


class Spread(NamedTuple):
    """Quantiles of the cosines between random texts of an index, by which its model's cosines are read."""

    low: float  # 0.05: texts that have nothing to do with each other
    middle: float  # 0.5


@dataclass(frozen=True, slots=True)
class Recall:
    """Completeness of an approximate vector index, measured before it went live."""

    recall10: float  # of the ten nearest records, the share that the index returns; the mean over all queries
    queries: int
    changed_records: int = 0  # written or deleted since it was measured


EXACT = "exact"  # the `index` of stores that compare all vectors


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete, immutable index of a scope, as its manifest tells it."""

    name: str
    scope: str
    project_id: str
    model_id: str
    dimensions: int
    published_at: str  # ISO 8601, UTC
    records: int
    pages: int
    digest: str  # over the sorted (id, record_hash) pairs: equal digests mean equal indexes
    routes: Mapping[str, int] = field(default_factory=dict)  # resolution -> pages
    estimated_tokens: int = 0
    estimated_cost_usd: float = 0.0
    source_revision: str = ""  # commit that was indexed, where known
    branch: str = ""  # what the scope's name was made of, where known
    bodies: int = 0  # pages whose text is held: all of them, but for a generation of an older version
    bodies_digest: str = ""  # over the sorted (url, digest) pairs of these
    spread: Spread | None = None  # None: too few texts to say
    aliases: Mapping[str, str] = field(default_factory=dict)  # old URL of a page that moved -> its URL now
    versions: tuple[VersionFamily, ...] = ()  # of the site; none on most sites
    vector_index: str = EXACT  # its kind and parameters, see `VectorLimits.index`
    recall: Recall | None = None  # None: that is exact
