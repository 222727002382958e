"""The tables of failure modes, remote faults and foreign files name tests that exist; each row names one."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
TABLE = (DOCS / "failure-modes.md").read_text(encoding="utf-8")
FILES = (DOCS / "files.md").read_text(encoding="utf-8")
TABLES = TABLE + FILES + (DOCS / "notes" / "remote-faults.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/.]+\.py)::(\w+)`")


def test_every_failure_mode_has_a_row_that_names_a_test_or_says_why_not() -> None:
    rows = re.findall(r"^\| (\d+) \| .+ \| (.+) \|$", TABLE, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 78))
    says_why = ("does not apply", "no test yet", "as ")
    assert [number for number, cells in rows if not NAMED.search(cells) and not cells.startswith(says_why)] == []


def test_every_file_has_a_test() -> None:
    rows = [line for line in FILES.splitlines() if line.startswith("| ") and not line.startswith("| file |")]
    assert len(rows) > 40
    assert [row for row in rows if not NAMED.search(row)] == []


def test_every_test_that_is_named_exists() -> None:
    missing = [f"{file}::{name}" for file, name in NAMED.findall(TABLES) if name not in functions(path_of(file))]
    assert missing == []


def path_of(file: str) -> Path:
    """A file of the tests, or of the contracts that other packages run too."""
    return (TESTS.parent if file.startswith("searchsocket/") else TESTS) / file


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
