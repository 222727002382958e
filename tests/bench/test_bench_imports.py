"""Programs that no test runs import only what exists."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("searchsocket", "searchsocket_assets", "search_api", "bench", "training", "tests")
FOLDERS = ("bench", "training", "examples", "tests")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts)


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_that_are_imported_exist(folder: str) -> None:
    files = [path for path in FILES if path.is_relative_to(ROOT / folder)]
    assert files
    missing = [
        f"{path.relative_to(ROOT)}: {module}.{name}" for path in files for module, name in imports(path)
        if not exists(module, name)
    ]  # fmt: skip
    assert not missing, missing


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Each imported module of ours, with a name that is taken from it; "" = the module itself."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] in PACKAGES
            and not node.level
        ):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] in PACKAGES)


def exists(module: str, name: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    if (name and (path / f"{name}.py").exists()) or (path / name).is_dir():
        return True
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not source.exists():
        return path.is_dir() and not name
    names = top_level_names(source)
    return not name or name in {"*", *names} or "__getattr__" in names


@cache
def top_level_names(source: Path) -> frozenset[str]:
    """Names that a module defines or imports, also in the branches of an `if` or `try`."""
    names = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {(alias.asname or alias.name).split(".")[0] for alias in aliases}
    return frozenset(names)
