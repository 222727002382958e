"""What the stages of past runs reported, on record in the state database.

The order is that of writing: clocks jump.
"""

import json
import sqlite3
from dataclasses import asdict
from typing import Any

from searchsocket.pipeline.run.results import StageResult


def save_result(db: sqlite3.Connection, run_id: str, scope: str, finished_at: str, result: StageResult) -> None:
    """Keep a stage's result; a stage that ran twice in one run keeps the newer."""
    db.execute(
        "INSERT OR REPLACE INTO stage_results (run_id, scope, stage, finished_at, result) VALUES (?,?,?,?,?)",
        (run_id, scope, result.stage, finished_at, json.dumps(asdict(result), ensure_ascii=False)),
    )


def results_of(db: sqlite3.Connection, run_id: str) -> list[StageResult]:
    """The results of a run, in the order in which its stages ended."""
    rows = db.execute("SELECT result FROM stage_results WHERE run_id = ? ORDER BY rowid", (run_id,))
    return [_result(json.loads(row[0])) for row in rows]


def last_result(db: sqlite3.Connection, scope: str, stage: str) -> StageResult | None:
    """The newest result of one stage of a scope."""
    row = db.execute(
        "SELECT result FROM stage_results WHERE scope = ? AND stage = ? ORDER BY rowid DESC LIMIT 1",
        (scope, stage),
    ).fetchone()
    return _result(json.loads(row[0])) if row else None


def keep_newest(db: sqlite3.Connection, scope: str, runs: int) -> None:
    """Drop the results of all but the newest runs of a scope."""
    db.execute(
        "DELETE FROM stage_results WHERE scope = ? AND run_id NOT IN (SELECT run_id FROM stage_results WHERE scope = ? "
        "GROUP BY run_id ORDER BY MAX(rowid) DESC LIMIT ?)",
        (scope, scope, runs),
    )


def _result(data: dict[str, Any]) -> StageResult:
    return StageResult(**{**data, "warnings": tuple(data["warnings"])})
