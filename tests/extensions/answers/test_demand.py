"""The demand report has the questions that were refused and the answers that did not help."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from api_client import Api
from chat_server import ChatServer

from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.report import demand_report
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from tests.extensions.answers.conftest import QUESTION, Reader

VISITORS = 3
STRANGE = "Which taxes must a bakery in Lisbon pay?"


@pytest.fixture
def visitors(make_reader: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch) -> list[Api]:
    """With a random key, two visitors share a bit in one of a thousand pairs."""
    monkeypatch.setattr("searchsocket.extensions.demand.tally.secrets.token_bytes", lambda count: bytes(count))
    reader = make_reader(base="[demand]\nenable = true\nmin_visitors = 3\n")
    DemandLog(reader.api.app.state.answers.project.state_dir).path.unlink(missing_ok=True)
    return [Api(reader.api.app, client=f"198.51.100.{number}") for number in range(VISITORS)]


def stored(visitors: list[Api]) -> dict[str, DemandCounts]:
    app: Any = visitors[0].app
    app.state.demand.close()
    rows = DemandLog(app.state.answers.project.state_dir).rows("main", str(date.min))
    return {row.query: row.counts for row in rows if row.query}


@pytest.mark.parametrize("stream", [True, False])
def test_refused_questions_are_counted(stream: bool, visitors: list[Api], server: ChatServer) -> None:
    server.says("It flies to Norway [1].")
    for visitor in visitors:
        visitor.post({"q": STRANGE, "stream": stream}, "/api/answer")
        visitor.post({"q": QUESTION, "stream": stream}, "/api/answer")
    counts = stored(visitors)
    assert {query: each.refused for query, each in counts.items()} == {STRANGE.lower(): 3, QUESTION.lower(): 3}


def test_answers_that_did_not_help_are_counted(visitors: list[Api]) -> None:
    for visitor in visitors:
        visitor.post({"q": QUESTION}, "/api/answer")
        assert visitor.post({"q": QUESTION, "helpful": False}, "/api/answer/feedback").status_code == 204
        assert visitor.post({"q": STRANGE, "helpful": True}, "/api/answer/feedback").status_code == 204
    assert stored(visitors) == {QUESTION.lower(): DemandCounts(3, 3, not_helpful=3)}


def test_questions_of_fewer_visitors_are_not_stored(visitors: list[Api]) -> None:
    for visitor in visitors[1:]:
        visitor.post({"q": STRANGE}, "/api/answer")
    visitors[0].post({"q": STRANGE}, "/api/answer", headers={"sec-gpc": "1"})
    assert stored(visitors) == {}


def test_feedback_is_checked(reader: Reader) -> None:
    for body in ({"q": "a"}, {"helpful": True}, {"q": "a", "helpful": 1}, {"q": "a", "helpful": True, "n": 1}):
        assert reader.api.post(body, "/api/answer/feedback").status_code == 400
    body = {"q": "a", "helpful": False, "scope": "secret-branch"}
    assert reader.api.post(body, "/api/answer/feedback").status_code == 403


def test_a_log_of_an_earlier_release_is_read_and_written(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "demand.db")) as db, db:
        db.execute(
            "CREATE TABLE demand (day TEXT, scope TEXT, query TEXT, url TEXT, visitors INTEGER NOT NULL, searches "
            "INTEGER NOT NULL, unanswered INTEGER NOT NULL, weak INTEGER NOT NULL, clicked INTEGER NOT NULL, "
            "PRIMARY KEY (day, scope, query, url)) WITHOUT ROWID"
        )
        db.execute("INSERT INTO demand VALUES ('2026-05-01', 'main', 'tides', '', 5, 6, 1, 0, 2)")
    log = DemandLog(tmp_path)
    log.add([DemandRow("2026-05-01", "main", DemandCounts(3, refused=3), "tides")])
    (row,) = log.rows("main", str(date.min))
    assert row.counts == DemandCounts(8, 6, 1, 0, 2, refused=3)


def test_the_report_lists_them_with_pages_that_are_near(make_reader: Callable[..., Reader]) -> None:
    app = make_reader().api.app
    rows = [
        DemandRow("2026-05-01", "main", DemandCounts(5, 5, refused=5), "how is the robot painted"),
        DemandRow("2026-05-01", "main", DemandCounts(4, 4, clicked=4, not_helpful=3), "battery charging"),
        DemandRow("2026-05-01", "main", DemandCounts(9, 9, clicked=4)),
    ]
    project, engine = app.state.answers.project, app.state.service.engine
    scope = project.scope_named("main")
    report = demand_report(project, engine, scope, today=date(2026, 5, 1), days=30, limit=10, rows=rows)
    assert [(each.query, each.refused) for each in report.refused_answers] == [("how is the robot painted", 5)]
    assert [(each.query, each.not_helpful) for each in report.unhelpful_answers] == [("battery charging", 3)]
    assert report.refused_answers[0].nearest
    assert not report.without_click
