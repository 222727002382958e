"""Answer to a search: the same shape for HTTP, command line and agents."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from searchsocket.search.filters import FacetCounts
from searchsocket.search.ranking.answerable import FEATURES as ANSWER_FEATURES
from searchsocket.search.ranking.weights import FEATURES
from searchsocket.search.versions import AnswerVersions
from searchsocket.search.wire import (
    Address,
    Age,
    ChangedSince,
    Confidence,
    ContinuationToken,
    ForTheTrusted,
    Href,
    Marks,
    PassageLines,
    Resolution,
    Revision,
    RouteFile,
    Score,
    SnippetHtml,
    Truncated,
    Url,
    Wire,
    absent_if_empty,
    absent_if_none,
)
from searchsocket.types import ChunkKind, CodeKind, GroupBy

Quality = Literal["answered", "weak", "rejected"]


@dataclass(frozen=True, slots=True)
class AppliedRule(Wire):
    """A rule of the owner that is about the query, and its pages."""

    rule: Annotated[str, Field(description="File and line of the rule.", examples=["curation.toml:12"])]
    effect: Literal["pin", "hide", "boost"]
    pages: tuple[str, ...]  # that the rule changed
    unavailable: Annotated[
        tuple[str, ...], Field(description="Pinned pages that are not in the index, or that the filters exclude.")
    ] = ()


AppliedRules = Annotated[
    tuple[AppliedRule, ...] | None,
    ForTheTrusted(tuple[AppliedRule, ...]),
    absent_if_empty("With `explain`, the rules of `curation.toml` for this query; absent without the key."),
]


@dataclass(frozen=True, slots=True)
class FeaturePart(Wire):
    """A feature of the ranking and its part of the score."""

    name: Annotated[
        str, Field(description="; ".join(f"`{name}`: {text}" for name, text in FEATURES.items()), examples=["title"])
    ]
    weight: Annotated[float, Field(description="1 for `links` and `depth`, whose value is weighted.")]
    value: Annotated[float, Field(description="The feature, in [0, 1] before its weight.")]
    part: Annotated[float, Field(description="Its part of `score`; the parts of a result add up to its score.")]


@dataclass(frozen=True, slots=True)
class AnswerFeature(Wire):
    """A feature of the model that decides if the site answers the query."""

    name: Annotated[
        str,
        Field(
            description="; ".join(f"`{name}`: {text}" for name, text in ANSWER_FEATURES.items()), examples=["nearness"]
        ),
    ]
    weight: float
    value: float
    part: Annotated[float, Field(description="Its part of `logOdds`; the parts add up to it.")]


@dataclass(frozen=True, slots=True)
class AnswerModel(Wire):
    """The model that decides if the site answers the query."""

    log_odds: Annotated[float, Field(description="Logarithm of the odds that the site answers the query.")]
    rejected_below: Annotated[
        float, Field(description="`quality` is `rejected` below it, unless one page has all words of the query.")
    ]
    weak_below: Annotated[float, Field(description="`quality` is `weak` below it, unless the query names a page.")]
    features: tuple[AnswerFeature, ...]


@dataclass(frozen=True, slots=True)
class Explanation(Wire):
    """score = (fused + second + links + depth + exact) x weight, in [0, 1]; fused: vector, keyword, page, by shares."""

    # One divisor for the whole answer scales the score to [0, 1].
    cosine: float  # from the store; for a page, that of its nearest chunk
    bm25: float  # from the store; 0 if no word matches; for a page, that of its best chunk
    vector: float  # cosine scaled over this query's candidates, in [0, 1]
    keyword: float  # bm25 scaled likewise
    page_bm25: float  # of the whole page; 0 if it is not among the best pages
    page: float  # page_bm25 scaled likewise
    fused: float  # vector, keyword and page by their shares, see `search/ranking/weights.py`
    second: float  # added for the second section of a page, see `search/ranking/signals.py`
    links: float
    depth: float
    # For a query that is a name, contains a name of the section, or has neighbouring words of its text: see
    # `ranking/names.py`, `ranking/signals.py`.
    exact: float
    weight: float
    names: float  # part of `exact`: query words in title, path and anchor; 0 if sections are ranked
    passage: float  # part of `exact`: neighbouring words, and words together in one passage
    vector_share: float  # weight of `vector` in `fused`
    keyword_share: float  # of `keyword`
    page_share: float  # of `page`
    rerank: Annotated[
        float | None,
        absent_if_none("Score of the reranker, scaled over its candidates; `fused` then has less weight."),
    ] = None
    features: Annotated[
        tuple[FeaturePart, ...], Field(description="Features that are not 0, by falling part of the score.")
    ] = ()


# Not frozen: an answer has 30 of `SectionResult` and 10 of `Result`. A frozen dataclass sets each field by a call: that
# took 5 % of a query.
@dataclass(slots=True)
class SectionResult(Wire):
    """Another matching section of the page."""

    href: Href
    anchor: str
    title: str  # "" for text before the first heading
    heading_path: tuple[str, ...]
    snippet: str
    snippet_html: SnippetHtml
    marks: Marks
    score: Score
    source: PassageLines
    mirror: PassageLines
    ref: str  # survives edits elsewhere on the page


@dataclass(frozen=True, slots=True)
class AlikePage(Wire):
    """A page with the same text as a result."""

    url: str
    href: Href
    title: str


@dataclass(slots=True)
class Result(Wire):
    """One page, or one chunk."""

    url: Url
    href: Href
    anchor: str
    title: str
    section_title: str
    heading_path: tuple[str, ...]
    snippet: str
    snippet_html: SnippetHtml
    marks: Marks
    score: Score
    confidence: Confidence
    route_file: Annotated[RouteFile, Field(description="Source file of the page; null without the key.")]
    route_resolution: Resolution
    source: Annotated[PassageLines, Field(description="Lines in the content file; null without the key.")]
    mirror: Annotated[PassageLines, Field(description="Lines in the mirror file.")]
    scope: str
    generation: str
    age_seconds: Age
    tags: tuple[str, ...]
    language: str
    modified: str  # ISO 8601 from the page; "" if the page has none
    ref: Annotated[str, Field(description="Id of the chunk; stable while its section stays the same.")]
    sections: tuple[SectionResult, ...]  # the one that opens, then by score; empty when grouped by chunk
    explanation: Explanation | None = None  # on request
    alike: Annotated[
        tuple[AlikePage, ...], Field(description="Pages with the same text, left out of the results.")
    ] = ()
    version: Annotated[
        str,
        absent_if_empty("Version of the documentation that `href` opens; absent if the page belongs to none."),
    ] = ""
    versions: Annotated[
        tuple[str, ...],
        absent_if_empty("All versions in which the page says the same, the one of `href` first."),
    ] = ()
    languages: Annotated[
        tuple[str, ...],
        absent_if_empty(
            "Languages in which the page matches, that of `href` first; absent if it has no translation "
            "among the candidates."
        ),
    ] = ()
    changed_since: ChangedSince = None
    kind: Annotated[ChunkKind | CodeKind, Field(exclude=True)] = "section"  # of the chunk that opens
    code: Annotated[tuple[tuple[int, int], ...], Field(exclude=True)] = ()  # ranges of `snippet` that are code
    is_pinned: Annotated[bool, Field(exclude=True)] = False  # by the owner


@dataclass(frozen=True, slots=True)
class Timings(Wire):
    """Milliseconds by part."""

    embed: float
    vector: float
    keyword: float
    rerank: float
    total: float


@dataclass(frozen=True, slots=True)
class Note(Wire):
    """Reason why an answer is incomplete or degraded."""

    code: str  # public and stable, e.g. `EMBEDDER_TOO_SLOW`
    message: str


@dataclass(frozen=True, slots=True)
class SearchMeta(Wire):
    """Generation, timings and notes of an answer."""

    timings_ms: Timings
    used_rerank: bool
    model_id: str
    generation: str
    published_at: str  # ISO 8601, UTC
    age_seconds: float
    source_revision: Annotated[Revision, Field(description="Indexed commit; null without the key or if unknown.")]
    notes: Annotated[tuple[Note, ...], Field(description="Reasons why the answer is incomplete or degraded.")] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer(Wire):
    """Ranked results; an empty list is not an error."""

    q: str  # after normalization
    scope: str
    group_by: GroupBy
    results: tuple[Result, ...]
    total: Annotated[
        int,
        Field(
            ge=0,
            description="Number of results among the candidates, over all offsets. Not the number of all matches: a "
            "search by meaning ranks the closest ones only.",
        ),
    ]
    meta: SearchMeta
    quality: Annotated[
        Quality,
        Field(
            description="`weak`: no close match, the best `confidence` is low; `rejected`: no result is good enough, "
            "so there are none."
        ),
    ] = "answered"
    facets: Annotated[
        FacetCounts | None,
        absent_if_none("Number of pages per value, for each requested facet."),
    ] = None
    versions: Annotated[
        AnswerVersions | None,
        absent_if_none("Versions of the documentation; absent if the site has none."),
    ] = None
    curation: AppliedRules = None
    answer_model: Annotated[
        AnswerModel | None,
        absent_if_none("With `explain`, the model that decides `quality`; absent if it does not apply to the query."),
    ] = None
    truncated: Truncated = False
    continuation_token: ContinuationToken = None


@dataclass(frozen=True, slots=True)
class RelatedPage(Wire):
    """A related page, with the reason."""

    url: Url
    href: Address
    title: str
    description: str
    score: Score
    meaning: Annotated[float, Field(ge=0, le=1, description="Similarity in meaning.")]  # cosine of its nearest chunk
    is_linked: Annotated[bool, Field(description="True if the page links to it.")]
    is_neighbour: Annotated[bool, Field(description="True if it is in the same directory.")]
    tags: tuple[str, ...]
    route_file: RouteFile
    route_resolution: Resolution


@dataclass(frozen=True, slots=True)
class RelatedAnswer(Wire):
    """Related pages, most similar first."""

    url: str
    scope: str
    generation: str
    age_seconds: float
    results: tuple[RelatedPage, ...]
    truncated: Truncated = False
    continuation_token: ContinuationToken = None
