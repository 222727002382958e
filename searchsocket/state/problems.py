"""Lasting problems of pages, reported by every run until they are fixed."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from searchsocket.state.sql import IN_SCOPE

ProblemPart = Literal["page", "chunks", "secrets"]


class Problem(NamedTuple):
    """One problem of one page."""

    url: str
    text: str


# Not a plain join: pages are many, problems few.
_OF_SCOPE = f"FROM problems CROSS JOIN pages ON id = page_id WHERE {IN_SCOPE} AND part = ?"


@dataclass(frozen=True, slots=True)
class Problems:
    """The problems of a scope's known pages; problems of chunks are deleted with the chunks."""

    db: sqlite3.Connection
    scope: str

    def replace(self, page_id: int, part: ProblemPart, texts: Sequence[str]) -> None:
        """Replace the problems of one part of a page; usually by an empty list."""
        self.db.execute("DELETE FROM problems WHERE page_id = ? AND part = ?", (page_id, part))
        self.db.executemany(
            "INSERT INTO problems (page_id, part, number, text) VALUES (?,?,?,?)",
            [(page_id, part, number, text) for number, text in enumerate(texts)],
        )

    def count(self, part: ProblemPart) -> int:
        """Return the number of problems."""
        return int(self.db.execute(f"SELECT COUNT(*) {_OF_SCOPE}", (self.scope, part)).fetchone()[0])

    def first(self, part: ProblemPart, limit: int) -> list[Problem]:
        """Return some problems, by rising URL; those of one page in the order of their detection."""
        rows = self.db.execute(f"SELECT url, text {_OF_SCOPE} ORDER BY url, number LIMIT ?", (self.scope, part, limit))
        return [Problem(*row) for row in rows]
