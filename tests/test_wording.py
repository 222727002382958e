"""Plain English where people read first: the documentation, help texts, and docstrings of the public surface.

Part of `make check`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from searchsocket.cli.main import cli

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples/docs-site/src").rglob("*.md"))
    if path.name != "contract.md"  # made of the tests' own words
)
MAX_LINE = 120
REJECTED = re.compile(
    r"\b(anew|mend(s|ed|ing)?|whoever|whatever (is|was)|lies? (in|there|here|beside)|stands in|is told|is said|are said"
    r"|slips?|there is nothing that)\b|; none\b"
    r"|\d[\d,.]* ?(s|ms|MB|kB|GB|bytes|pages|chunks|files|requests|runs|dollars|tokens) a"
    r" (page|chunk|second|minute|day|month|scope|query|file|run|site|branch)\b",
    re.IGNORECASE,
)
CIRCLING = re.compile(r"(What|Whether|Where|How|Which|Who)\b")
PRODUCT = ("searchsocket", "searchsocket_assets", "search_api")


def prose_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a document that people read as text: no code block, no front matter."""
    fenced = False
    lines = path.read_text(encoding="utf-8").split("\n")
    start = lines.index("---", 1) + 1 if lines[0] == "---" else 0
    for number, line in enumerate(lines[start:], start + 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            yield number, line


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_line_of_a_document_is_longer_than_a_screen(path: Path) -> None:
    """Tables, HTML and the targets of links may be longer."""
    too_long = [
        number
        for number, line in prose_lines(path)
        if not line.lstrip().startswith(("|", "<", "![")) and len(re.sub(r"\]\([^)]*\)", "]", line)) > MAX_LINE
    ]
    assert not too_long, f"{name_of(path)}: lines {too_long} are longer than {MAX_LINE} characters"


def rejected_words(text: str) -> list[str]:
    return [match[0] for match in REJECTED.finditer(re.sub(r"`[^`]*`", "", text))]


def test_documents_use_no_rejected_word() -> None:
    """Write "again" for "anew", "fix" for "mend", "per page" for "a page" after a number."""
    results = {
        name_of(path): words
        for path in DOCUMENTS
        if (words := [(number, word) for number, line in prose_lines(path) for word in rejected_words(line)])
    }
    assert results == {}


def commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{prefix}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} ")


def help_of(command: click.Command) -> str:
    options = [param.help or "" for param in command.params if isinstance(param, click.Option)]
    return "\n".join([command.help or "", command.short_help or "", *options])


def test_help_texts_use_no_rejected_word() -> None:
    results = {name for name, command in commands(cli) if rejected_words(help_of(command))}
    assert results == set()


def circling_docstrings(path: Path) -> bool:
    """Return True if a docstring of the file begins with What, Whether, Where, How, Which or Who."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return any(CIRCLING.match(ast.get_docstring(node) or "") for node in ast.walk(tree) if isinstance(node, nodes))


def test_docstrings_begin_with_a_plain_statement() -> None:
    """The first line says what a thing is or does."""
    files = [path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 400
    results = {name_of(path) for path in files if circling_docstrings(path)}
    assert results == set()
