"""Record of payments by project, month, use and model; safe between threads and processes."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from searchsocket.errors import StateUnavailable
from searchsocket.models.paying.ledger import Ledger, Paid

NOVEMBER = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
CHILD = """
import sys
from pathlib import Path
from searchsocket.models.paying.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]), "site")
for _ in range(25):
    ledger.add("index", "m", tokens=2, cost_usd=0.5)
"""


def test_payments_are_summed(tmp_path: Path) -> None:
    now = NOVEMBER
    ledger = Ledger(tmp_path / "folder" / "costs.db", "site", lambda: now)
    other = Ledger(tmp_path / "folder" / "costs.db", "another site", lambda: now)
    ledger.add("index", "m", tokens=10, cost_usd=1.0)
    ledger.add("index", "m", tokens=5, cost_usd=0.5)
    ledger.add("queries", "m", tokens=1, cost_usd=0.25)
    other.add("index", "m", tokens=99, cost_usd=9.0)
    assert ledger.paid_usd() == 1.75
    now += timedelta(minutes=1)
    assert ledger.paid_usd() == 0.0
    ledger.add("index", "n", tokens=1, cost_usd=0.125)
    assert ledger.lines() == [
        Paid("2026-12", "index", "n", 1, 0.125),
        Paid("2026-11", "index", "m", 15, 1.5),
        Paid("2026-11", "queries", "m", 1, 0.25),
    ]
    assert other.paid_usd() == 0.0


def test_the_month_is_that_of_utc() -> None:
    east = datetime(2026, 12, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    assert Ledger(Path("nowhere"), "site", lambda: east).month() == "2026-11"


def test_reading_makes_nothing(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "folder" / "costs.db", "site")
    assert (ledger.lines(), ledger.paid_usd()) == ([], 0.0)
    assert not (tmp_path / "folder").exists()


def test_runs_and_services_pay_at_once(tmp_path: Path) -> None:
    """Three processes, and four threads of this one."""
    path = tmp_path / "costs.db"
    command = [sys.executable, "-c", CHILD, str(path)]
    children = [subprocess.Popen(command, cwd=Path(__file__).parents[3]) for _ in range(3)]
    ledger = Ledger(path, "site")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ledger.add("index", "m", tokens=2, cost_usd=0.5), range(25)))
    assert [child.wait(60) for child in children] == [0, 0, 0]
    (line,) = ledger.lines()
    assert (line.tokens, line.cost_usd) == (200, 50.0)


def test_a_damaged_ledger_is_named(tmp_path: Path) -> None:
    """It is never reset automatically: that would reset the budget."""
    (tmp_path / "costs.db").write_bytes(b"no database at all" * 100)
    ledger = Ledger(tmp_path / "costs.db", "site")
    for use in (ledger.paid_usd, lambda: ledger.add("index", "m", tokens=1, cost_usd=1.0)):
        with pytest.raises(StateUnavailable, match=r"costs\.db is damaged; rename it"):
            use()
