"""This project stands on what Dagster promises: no private module, and releases up to the next major one."""

import ast
import re
from collections.abc import Iterator
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
    files = {str(path.relative_to(ROOT)) for path in SOURCES if _PRIVATE.search(path.read_text(encoding="utf-8"))}
    assert files == {"tests/assets/test_public_dagster.py"}


def test_no_class_of_ours_is_a_storage_of_dagster() -> None:
    bases = re.compile(r"^class \w+\((?:\w+\.)?\w*(?:Storage|RunLauncher|LogManager)\b", re.MULTILINE)
    ours = [path for path in SOURCES if path.is_relative_to(ROOT / "searchsocket_assets")]
    assert not [path for path in ours if bases.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("line", ["instance._storage", "getattr(handler, '_handlers', ())", "context.run._x.y"])
def test_the_search_finds_private_attributes(line: str) -> None:
    assert list(private_attributes(ast.parse(line)))


@pytest.mark.parametrize("line", ["self._stream", "cls._known", "module.__file__", "getattr(x, 'name')"])
def test_the_search_lets_a_classs_own_attributes_pass(line: str) -> None:
    assert not list(private_attributes(ast.parse(line)))


def test_no_file_that_imports_dagster_reads_a_private_attribute() -> None:
    """Not only modules are private: `_handlers` of a log manager was."""
    ours = [path for path in SOURCES if path.suffix == ".py" and not path.is_relative_to(ROOT / "tests")]
    texts = {path: path.read_text(encoding="utf-8") for path in ours}
    reading = {path: ast.parse(text) for path, text in texts.items() if re.search(r"^\s*import dagster\b", text, re.M)}
    assert len(reading) > 15
    assert {path: results for path, tree in reading.items() if (results := [*private_attributes(tree)])} == {}


def private_attributes(tree: ast.AST) -> Iterator[str]:
    """Names with an underscore that are read of anything but `self` or `cls`, also by `getattr` and its like."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name) if name.startswith("_") and not name.startswith("__"):
                yield name
            case ast.Call(
                func=ast.Name(id="getattr" | "setattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]
            ):
                if name.startswith("_"):
                    yield name
