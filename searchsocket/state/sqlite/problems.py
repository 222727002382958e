"""What is wrong with pages; see `state.base.problems`."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from searchsocket.state.base.problems import Problem, ProblemPart
from searchsocket.state.sqlite.conditions import KNOWN

# Not a plain join: pages are many, problems few.
_OF_SCOPE = f"FROM problems CROSS JOIN pages ON id = page_id WHERE {KNOWN} AND part = ?"


@dataclass(frozen=True, slots=True)
class SqliteProblems:
    """The problems of one scope's pages."""

    db: sqlite3.Connection
    scope: str

    def replace(self, page_id: int, part: ProblemPart, texts: Sequence[str]) -> None:
        self.db.execute("DELETE FROM problems WHERE page_id = ? AND part = ?", (page_id, part))
        self.db.executemany(
            "INSERT INTO problems (page_id, part, number, text) VALUES (?,?,?,?)",
            [(page_id, part, number, text) for number, text in enumerate(texts)],
        )

    def count(self, part: ProblemPart) -> int:
        return int(self.db.execute(f"SELECT COUNT(*) {_OF_SCOPE}", (self.scope, part)).fetchone()[0])

    def first(self, part: ProblemPart, limit: int) -> list[Problem]:
        rows = self.db.execute(f"SELECT url, text {_OF_SCOPE} ORDER BY url, number LIMIT ?", (self.scope, part, limit))
        return [Problem(*row) for row in rows]
