"""Stage reports of past runs, in the order of writing (clocks jump)."""

import json
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.system.json_text import JsonObject

# Rows with results of golden queries outlive a state: other reports name files and times of one machine and release.
HAS_GOLDEN = "(json_valid(result) AND json_extract(result, '$.numbers.golden_recall') IS NOT NULL)"
GOLDEN_RESULT = """json_object('stage', stage, 'total', json_extract(result, '$.total'),
    'version', json_extract(result, '$.version'), 'generation', json_extract(result, '$.generation'),
    'numbers', json_extract(result, '$.numbers'), 'warnings', json_array())"""
_MEASURES = ", ".join(f"json_extract(result, '$.numbers.golden_{name}')" for name in ("recall", "mrr10", "ndcg10"))


def results_of(db: sqlite3.Connection, run_id: str) -> list[JsonObject]:
    """Return the reports of a run, in the order in which its stages ended."""
    rows = db.execute("SELECT result FROM stage_results WHERE run_id = ? ORDER BY rowid", (run_id,))
    return [json.loads(row[0]) for row in rows]


def last_of_scopes(db: sqlite3.Connection, stage: str) -> dict[str, JsonObject]:
    """Return the newest report of a stage for each scope."""
    newest = "SELECT MAX(rowid) FROM stage_results WHERE stage = ? GROUP BY scope"
    rows = db.execute(f"SELECT scope, result FROM stage_results WHERE rowid IN ({newest}) ORDER BY scope", (stage,))
    return {scope: json.loads(result) for scope, result in rows}


def last_ends(db: sqlite3.Connection) -> dict[str, str]:
    """Return the time of each scope's newest report."""
    newest = "SELECT MAX(rowid) FROM stage_results GROUP BY scope"
    return dict(db.execute(f"SELECT scope, finished_at FROM stage_results WHERE rowid IN ({newest})"))


class GoldenRun(NamedTuple):
    """Measures of the golden queries in one run that published."""

    finished_at: str  # ISO 8601
    generation: str
    recall: float
    mrr10: float
    ndcg10: float


def golden_runs(db: sqlite3.Connection, scope: str, limit: int) -> list[GoldenRun]:
    """Return the newest runs of a scope with golden queries, the newest first."""
    rows = db.execute(
        f"SELECT finished_at, COALESCE(json_extract(result, '$.generation'), ''), {_MEASURES} FROM stage_results "
        f"WHERE scope = ? AND {HAS_GOLDEN} ORDER BY rowid DESC LIMIT ?",
        (scope, limit),
    )
    return [GoldenRun(str(row[0]), str(row[1]), *map(float, row[2:])) for row in rows]


@dataclass(frozen=True, slots=True)
class History:
    """Stage reports of one scope. The pipeline defines their content, as JSON."""

    db: sqlite3.Connection
    scope: str

    def save(self, run_id: str, stage: str, finished_at: str, report: JsonObject) -> None:
        """Store a stage's report; it replaces an earlier report of the same run."""
        self.db.execute(
            "INSERT OR REPLACE INTO stage_results (run_id, scope, stage, finished_at, result) VALUES (?,?,?,?,?)",
            (run_id, self.scope, stage, finished_at, json.dumps(report, ensure_ascii=False)),
        )

    def last(self, stage: str) -> JsonObject | None:
        """Return the newest report of one stage."""
        return next(iter(self.newest(stage, 1)), None)

    def newest(self, stage: str, limit: int) -> list[JsonObject]:
        """Return the reports of one stage in its last runs, the newest first."""
        rows = self.db.execute(
            "SELECT result FROM stage_results WHERE scope = ? AND stage = ? ORDER BY rowid DESC LIMIT ?",
            (self.scope, stage, limit),
        )
        return [json.loads(row[0]) for row in rows]

    def keep_newest(self, runs: int) -> None:
        """Delete the reports of all but the newest runs."""
        self.db.execute(
            "DELETE FROM stage_results WHERE scope = ? AND run_id NOT IN (SELECT run_id FROM stage_results "
            "WHERE scope = ? GROUP BY run_id ORDER BY MAX(rowid) DESC LIMIT ?)",
            (self.scope, self.scope, runs),
        )
