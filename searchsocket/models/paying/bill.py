"""Plan embedding work: find the texts missing from the cache and estimate the cost before any call (spec 10.5, 21)."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.refused_texts import RefusedText
from searchsocket.models.paying.cost import estimate
from searchsocket.system.batches import batches

PagesAt = Callable[[Sequence[int]], Sequence[str]]  # positions -> URLs of their pages, in that order

_EARLIER = "refused in an earlier run"
_DEAREST = 10  # pages in the report
_LOOKUP = 500  # texts per look-up in the cache
_MEMORY_KIB = 8_192  # limit of the list in memory; more is stored in a temporary file
_BUILD_FOLDERS = frozenset(
    {
        "_app", "_astro", "_next", "_nuxt", "_static", ".svelte-kit", ".vite", "bundles", "chunks", "coverage", "dist",
        "htmlcov", "lcov-report", "node_modules", "playwright-report", "storybook-static", "target", "test-results",
    }
)  # fmt: skip
_HASH_IN_NAME = re.compile(r"(?:^|[._-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?:$|[._-])", re.IGNORECASE)
_MACHINE_NAME = re.compile(r"\.(?:min|bundle|chunk|map|lock|snap)(?:\.|$)|(?:^|[-_])(?:stats|manifest|sourcemap)\.")


class TextSource(Protocol):
    """A text that needs a vector."""

    @property
    def content_hash(self) -> str: ...
    @property
    def tokens(self) -> int:
        """Tokens as the embedder counts them."""

    @property
    def position(self) -> int:
        """The position of the text for reading; texts are read by rising position."""


@dataclass(frozen=True, slots=True)
class EmbedOutcome:
    """Result of embedding, or of its plan."""

    reused: int  # distinct texts in the cache
    created: int  # distinct texts that were embedded
    tokens: int  # of the created ones and of the run's queries, as the embedder counts
    cost_usd: float  # estimated from the tokens
    charged_tokens: int = 0  # as the provider reports them, else as the embedder counts them; 0 for a plan
    charged_usd: float = 0.0
    cut: tuple[RefusedText, ...] = ()  # texts that the server took only in part
    refused: tuple[RefusedText, ...] = ()  # texts that it left out, now or in an earlier run
    pages: tuple["PageCost", ...] = ()  # the most expensive ones, by falling tokens; empty if everything is free
    build_output: tuple["BuildOutput", ...] = ()  # likewise


@dataclass(frozen=True, slots=True)
class PageCost:
    """Cost of a page; a text on several pages counts for the first one."""

    url: str
    texts: int
    tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class BuildOutput:
    """Cost of pages that look like build output."""

    reason: str
    pages: int
    tokens: int
    cost_usd: float
    example: str  # a URL


def price_of(embedder: Embedder, configured_usd: float | None) -> float:
    """US dollars per million tokens: the configured price, else the embedder's; 0 if it is free."""
    return embedder.price_per_million_tokens_usd if configured_usd is None else configured_usd


class Bill:
    """The distinct texts missing from the cache, in memory or in a temporary SQLite file if they are too many."""

    def __init__(
        self,
        cache: EmbeddingCache,
        embedder: Embedder,
        texts: Iterable[TextSource],
        price_per_million_usd: float | None,
        query_tokens: int = 0,
    ) -> None:
        """Look up all texts in the cache.

        Args:
            query_tokens: Tokens of queries that the run also embeds.
            price_per_million_usd: Replaces the embedder's price.
        """
        self._db = sqlite3.connect("", isolation_level=None)
        try:
            reused, created, tokens, refused = self._fill(cache, embedder.model_id, texts)
        except BaseException:
            self.close()
            raise
        self.price = price_of(embedder, price_per_million_usd)
        tokens += query_tokens
        self.outcome = EmbedOutcome(reused, created, tokens, estimate(tokens, self.price), refused=tuple(refused))

    def close(self) -> None:
        self._db.close()

    def texts(self) -> Iterator[tuple[bytes, int, int]]:
        """Return (hash, tokens, position) by rising position."""
        return self._db.execute("SELECT hash, tokens, position FROM texts ORDER BY position")

    def with_pages(self, pages_at: PagesAt | None) -> EmbedOutcome:
        """Return the outcome with the cost of its pages, if there is a cost and pages are known."""
        if pages_at is None or not self.outcome.cost_usd:
            return self.outcome
        self._db.execute("CREATE TABLE pages (url TEXT PRIMARY KEY, texts, tokens, reason) WITHOUT ROWID")
        self._db.execute("BEGIN")
        for window in batches(self.texts(), _LOOKUP):
            urls = pages_at([position for _, _, position in window])
            self._db.executemany(
                "INSERT INTO pages VALUES (?, 1, ?, ?) "
                "ON CONFLICT DO UPDATE SET texts = texts + 1, tokens = tokens + excluded.tokens",
                [(url, tokens, build_output_reason(url)) for url, (_, tokens, _) in zip(urls, window, strict=True)],
            )
        self._db.execute("COMMIT")
        pages = self._db.execute(f"SELECT url, texts, tokens FROM pages ORDER BY tokens DESC, url LIMIT {_DEAREST}")
        built = self._db.execute(
            "SELECT reason, COUNT(*), SUM(tokens), MIN(url) FROM pages WHERE reason != '' "
            "GROUP BY reason ORDER BY 3 DESC, reason"
        )
        return replace(
            self.outcome,
            pages=tuple(PageCost(url, texts, tokens, self._cost_usd(tokens)) for url, texts, tokens in pages),
            build_output=tuple(
                BuildOutput(reason, count, tokens, self._cost_usd(tokens), url) for reason, count, tokens, url in built
            ),
        )

    def _cost_usd(self, tokens: int) -> float:
        """Round the cost to the billionth, so that tables show no binary fractions."""
        return round(estimate(tokens, self.price), 9)

    def _fill(
        self, cache: EmbeddingCache, model_id: str, texts: Iterable[TextSource]
    ) -> tuple[int, int, int, list[RefusedText]]:
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute(f"PRAGMA cache_size = -{_MEMORY_KIB}")
        self._db.execute("CREATE TABLE texts (hash BLOB PRIMARY KEY, tokens INTEGER, position INTEGER) WITHOUT ROWID")
        self._db.execute("BEGIN")
        reused = 0
        refused_texts: list[RefusedText] = []
        for window in batches(texts, _LOOKUP):
            distinct = {item.content_hash: item for item in window}
            missing, refused = cache.look_up(distinct, model_id)
            refused_texts += [RefusedText(key, distinct[key].position, _EARLIER, is_cut=False) for key in refused]
            reused += len(distinct) - len(missing)
            self._db.executemany(
                "INSERT OR IGNORE INTO texts VALUES (?, ?, ?)",
                [(bytes.fromhex(key), distinct[key].tokens, distinct[key].position) for key in missing],
            )
        self._db.execute("COMMIT")
        created, tokens = self._db.execute("SELECT COUNT(*), COALESCE(SUM(tokens), 0) FROM texts").fetchone()
        return reused, created, tokens, refused_texts


def plan_missing(
    cache: EmbeddingCache,
    embedder: Embedder,
    texts: Iterable[TextSource],
    *,
    price_per_million_tokens_usd: float | None = None,
    pages_at: PagesAt | None = None,
    query_tokens: int = 0,
) -> EmbedOutcome:
    """Plan `embed_missing` without calling the embedder."""
    with closing(Bill(cache, embedder, texts, price_per_million_tokens_usd, query_tokens)) as bill:
        return bill.with_pages(pages_at)


def build_output_reason(url: str) -> str:
    """The reason why a canonical URL looks like build output instead of a page for readers; "" if it does not."""
    *folders, name = url.lower().strip("/").split("/")
    if folder := next((part for part in folders if part in _BUILD_FOLDERS), ""):
        return f"in a folder `{folder}`"
    if _HASH_IN_NAME.search(name):
        return "a hash in its name"
    if _MACHINE_NAME.search(name):
        return "named like a file of a build"
    return ""
