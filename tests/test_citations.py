"""Citations of code, tests and documents exist: sections of `docs/spec.md`, other documents, files."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parent.parent
SPEC = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
FOLDERS = ("searchsocket", "searchsocket_assets", "search_api", "tests", "bench", "training", "release")
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "examples/docs-site/README.md"]


def prose(path: Path) -> Iterator[str]:
    """Comments and docstrings of a Python file; other strings may be anything."""
    source = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


@pytest.fixture(scope="module")
def written() -> list[tuple[str, str]]:
    """(file, prose of it) of every Python file of ours."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [(str(path.relative_to(ROOT)), text) for path in files for text in prose(path)]


def test_the_specification_has_every_section_once_and_in_order() -> None:
    """Code and tests cite it as `spec 9.1`."""
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", SPEC, re.M)]
    assert numbers == list(range(1, 29))


def test_cited_sections_of_the_specification_exist(written: list[tuple[str, str]]) -> None:
    sections = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", SPEC, re.M))
    cited = {
        (file, number)
        for file, text in written
        for numbers in re.findall(r"\bspec (\d+(?:\.\d+)?(?:(?:,| and) \d+(?:\.\d+)?)*)", text)
        for number in re.split(r",? (?:and )?", numbers)
    }
    assert len(cited) > 100
    assert {(file, number) for file, number in cited if number not in sections} == set()


def test_cited_documents_exist(written: list[tuple[str, str]]) -> None:
    cited = {
        (file, name)
        for file, text in written
        for name in re.findall(r"(?<![\w/])docs/(?:notes/|decisions/)?[\w-]+\.md\b", text)
    }
    assert len(cited) > 3
    assert {(file, name) for file, name in cited if not (ROOT / name).is_file()} == set()


def test_no_document_is_cited_that_is_not_here(written: list[tuple[str, str]]) -> None:
    """A document is cited by its path or as `spec`; a name in capitals with a number would be another one."""
    assert [(file, text) for file, text in written if re.search(r"\b[A-Z]{4,} (section )?\d+\b", text)] == []


def test_links_of_the_written_documents_resolve() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / unquote(target)).exists(), f"{path.name} links to {target}"


def test_files_and_folders_that_the_map_names_exist() -> None:
    """A path is written from the repository, from its package, or from the room that its line is about."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w-]+/)*(?:[\w-]+\.py|(?<=/)))`", text)) - {""}
    assert len(named) > 80
    paths = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    there = "\n".join(["", *(f"/{path}" for path in paths), *(f"/{path}/" for path in paths), ""])
    assert {name for name in named if f"/{name}\n" not in there and not (ROOT / name).is_dir()} == set()


def test_every_room_is_on_the_map() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## Folders", 1)[1]
    rooms = {path.parent.name for path in (ROOT / "searchsocket").glob("*/__init__.py")}
    assert {room for room in rooms if f"`{room}/`" not in text} == set()
