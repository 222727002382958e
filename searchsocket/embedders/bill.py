"""Which texts the cache lacks, and what embedding them will cost: known before anything is called (spec 10.5, 21)."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from searchsocket.embedders.base import Embedder
from searchsocket.embedders.cache import EmbeddingCache
from searchsocket.embedders.cost import estimate
from searchsocket.system.batches import batches

_LOOKUP = 500  # texts that the cache is asked for at once
_MEMORY_KIB = 8_192  # of the list in memory; the rest of it is in a temporary file


class Wanted(Protocol):
    """A text that must have its vector."""

    @property
    def content_hash(self) -> str: ...
    @property
    def tokens(self) -> int:
        """As the embedder counts them."""

    @property
    def position(self) -> int:
        """Where the text can be read; texts are read by rising position."""


@dataclass(frozen=True, slots=True)
class EmbedOutcome:
    """What was embedded, or would be."""

    reused: int  # distinct texts that the cache held
    created: int  # distinct texts that were embedded
    tokens: int  # of the created ones, as the embedder counts
    cost_usd: float


class Bill:
    """The distinct texts that the cache lacks, in a private file that SQLite makes when they outgrow its memory."""

    def __init__(
        self, cache: EmbeddingCache, embedder: Embedder, wanted: Iterable[Wanted], price_per_million_usd: float | None
    ) -> None:
        """Ask the cache for all of them.

        Args:
            price_per_million_usd: Instead of the embedder's.
        """
        self._db = sqlite3.connect("", isolation_level=None)
        try:
            reused, created, tokens = self._fill(cache, embedder.model_id, wanted)
        except BaseException:
            self.close()
            raise
        price = embedder.price_per_million_tokens_usd if price_per_million_usd is None else price_per_million_usd
        self.outcome = EmbedOutcome(reused, created, tokens, estimate(tokens, price))

    def close(self) -> None:
        self._db.close()

    def texts(self) -> Iterator[tuple[bytes, int, int]]:
        """(hash, tokens, position) by rising position."""
        return self._db.execute("SELECT hash, tokens, position FROM texts ORDER BY position")

    def _fill(self, cache: EmbeddingCache, model_id: str, wanted: Iterable[Wanted]) -> tuple[int, int, int]:
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute(f"PRAGMA cache_size = -{_MEMORY_KIB}")
        self._db.execute("CREATE TABLE texts (hash BLOB PRIMARY KEY, tokens INTEGER, position INTEGER) WITHOUT ROWID")
        self._db.execute("BEGIN")
        reused = 0
        for window in batches(wanted, _LOOKUP):
            distinct = {item.content_hash: item for item in window}
            missing = cache.missing(distinct, model_id)
            reused += len(distinct) - len(missing)
            self._db.executemany(
                "INSERT OR IGNORE INTO texts VALUES (?, ?, ?)",
                [(bytes.fromhex(key), distinct[key].tokens, distinct[key].position) for key in missing],
            )
        self._db.execute("COMMIT")
        created, tokens = self._db.execute("SELECT COUNT(*), COALESCE(SUM(tokens), 0) FROM texts").fetchone()
        return reused, created, tokens


def plan_missing(
    cache: EmbeddingCache,
    embedder: Embedder,
    wanted: Iterable[Wanted],
    *,
    price_per_million_tokens_usd: float | None = None,
) -> EmbedOutcome:
    """What `embed_missing` would do; calls nothing."""
    with closing(Bill(cache, embedder, wanted, price_per_million_tokens_usd)) as bill:
        return bill.outcome
