"""This project stands on what Dagster promises: no private module, and releases up to the next major one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# As an import, and as the name of a module in a string that Dagster or `importlib` would import.
_PRIVATE = re.compile(r"\bdagster(?:_\w+)?\._|\bfrom dagster import _|\bdagster_shared\b")
SOURCES = sorted(
    path
    for package in ("searchsocket", "searchsocket_assets", "search_api", "tests", "bench")
    for kind in ("*.py", "*.yaml")
    for path in (ROOT / package).rglob(kind)
)


@pytest.mark.parametrize(
    "line", ["from dagster._core import x", "import dagster_webserver._x", "from dagster import _a"]
)
def test_the_pattern_finds_private_modules(line: str) -> None:
    assert _PRIVATE.search(line)


def test_no_file_names_a_private_module_of_dagster() -> None:
    """A minor release may rename those."""
    found = {str(path.relative_to(ROOT)) for path in SOURCES if _PRIVATE.search(path.read_text(encoding="utf-8"))}
    assert found == {"tests/assets/test_public_dagster.py"}


def test_no_class_of_ours_is_a_storage_of_dagster() -> None:
    bases = re.compile(r"^class \w+\((?:\w+\.)?\w*(?:Storage|RunLauncher|LogManager)\b", re.MULTILINE)
    ours = [path for path in SOURCES if path.is_relative_to(ROOT / "searchsocket_assets")]
    assert not [path for path in ours if bases.search(path.read_text(encoding="utf-8"))]
