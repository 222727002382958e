"""The import rule of spec 4.1: what may import what, and what an entry point may load."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("searchsocket", "searchsocket_assets", "search_api")

ORCHESTRATOR = {"dagster", "dagster_webserver", "dagster_graphql", "searchsocket_assets"}
SERVER = {"fastapi", "starlette", "uvicorn", "search_api"}
CLIENTS = {"pymilvus", "milvus_lite", "pinecone", "openai", "onnxruntime", "tokenizers", "dask", "distributed"}
PARSERS = {"lxml", "bs4", "markdownify"}
PROTOCOL = {"mcp", "mcp_types"}  # a second of CPU
HEAVY = ORCHESTRATOR | SERVER | CLIENTS | PARSERS | PROTOCOL | {"numpy", "pydantic", "tantivy", "rich", "Stemmer"}

# From the centre outward; every room of the library has its place.
CENTRE = {"types", "pages", "errors", "events", "dollars"}
PURE = {
    "settings",
    "text",
    "urls",
    "routes",
    "html",
    "markdown",
    "mirror",
    "llms",
    "chunking",
    "code",
    "redaction",
    "system",
}
SEAMS = {"project", "sources", "embedders", "stores", "artifacts", "rerankers", "state"}
USE_CASES = {"pipeline", "search", "branches", "watching", "setup"}
JUDGES = {"quality"}  # know what was indexed and what it answers
ANSWERS = {"serving"}
AGENTS = {"agents"}
ENTRY = {"cli"}
LAYERS = (CENTRE, PURE, SEAMS, USE_CASES, JUDGES, ANSWERS, AGENTS, ENTRY)


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(name: str, *, everywhere: bool = True) -> Iterator[str]:
    """What a module imports, dotted; `everywhere` counts imports inside functions and for type checkers too."""
    tree = _parsed(MODULES[name])
    for node in ast.walk(tree) if everywhere else _executed(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else str(node.module)


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _executed(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements that run when the module is imported."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def top(name: str) -> str:
    return name.partition(".")[0]


def layer(name: str) -> int:
    """How far from the centre a module of the library is.

    Raises:
        StopIteration: Its room has no place yet.
    """
    part = name.split(".")[1] if "." in name else "types"
    return next(rank for rank, rooms in enumerate(LAYERS) if part in rooms)


@pytest.mark.parametrize("name", [name for name in MODULES if top(name) == "searchsocket"])
def test_the_library_imports_neither_dagster_nor_a_server(name: str) -> None:
    """Only the command line reaches for the other packages, since it starts them."""
    forbidden = (ORCHESTRATOR | SERVER) - (set(PACKAGES) if name.startswith("searchsocket.cli") else set())
    assert not {imported for imported in imports(name) if top(imported) in forbidden}


def test_the_server_is_started_by_its_own_command_alone() -> None:
    """What the command line and the server have in common lies in `searchsocket.serving`."""
    reaching = {name for name in MODULES if name.startswith("searchsocket") and "search_api" in map(top, imports(name))}
    assert reaching == {"searchsocket.cli.serve"}
    assert "search_api" not in map(top, imports("searchsocket.cli.serve", everywhere=False))


@pytest.mark.parametrize("name", [name for name in MODULES if top(name) != "searchsocket"])
def test_dagster_and_the_api_do_not_know_each_other(name: str) -> None:
    other = ORCHESTRATOR if top(name) == "search_api" else SERVER
    assert not {imported for imported in imports(name) if top(imported) in other - {top(name)}}


@pytest.mark.parametrize("name", [name for name in MODULES if top(name) != "searchsocket"])
def test_entry_points_do_not_import_the_command_line(name: str) -> None:
    assert not {imported for imported in imports(name) if imported.startswith("searchsocket.cli")}


@pytest.mark.parametrize("name", [name for name in MODULES if top(name) == "searchsocket"])
def test_imports_point_inward(name: str) -> None:
    """Entry points -> use cases -> seams -> pure steps -> types."""
    outward = {
        imported
        for imported in imports(name)
        if top(imported) == "searchsocket" and imported != "searchsocket" and layer(imported) > layer(name)
    }
    assert not outward


def test_the_use_cases_do_not_know_each_other() -> None:
    """Indexing and searching meet in the store alone."""
    crossing = {
        (name, imported)
        for name in MODULES
        for imported in imports(name)
        if (name.startswith("searchsocket.pipeline") and imported.startswith("searchsocket.search"))
        or (name.startswith("searchsocket.search") and imported.startswith("searchsocket.pipeline"))
    }
    assert not crossing


def test_modules_import_each_other_in_no_circle() -> None:
    graph = {
        name: {imported for imported in imports(name, everywhere=False) if imported in MODULES and imported != name}
        for name in MODULES
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def loaded(code: str) -> set[str]:
    """Top-level modules in a fresh interpreter after `code`."""
    program = f"{code}\nimport sys; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_help_loads_nothing_heavy() -> None:
    """`searchsocket --help` is instant: no parser, engine, orchestrator, server or numbers."""
    code = (
        "from click.testing import CliRunner\nfrom searchsocket.cli.main import cli\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0"
    )
    assert not loaded(code) & HEAVY


def test_the_api_on_the_local_store_loads_no_orchestrator_and_no_client() -> None:
    code = (
        "import os, tempfile\nfrom pathlib import Path\nfrom search_api.app import create_app\n"
        "from searchsocket.project.project import open_project\n"
        "create_app(open_project(Path(tempfile.mkdtemp()), {}), environ={}, host='127.0.0.1')"
    )
    assert not loaded(code) & (ORCHESTRATOR | CLIENTS | PROTOCOL)


def test_what_answers_loads_no_web_framework() -> None:
    """The command line answers without one."""
    assert not loaded("import searchsocket.serving.service, searchsocket.serving.answer_json") & (SERVER | ORCHESTRATOR)


def test_a_search_of_the_command_line_loads_no_web_framework(tmp_path: Path) -> None:
    code = (
        "from click.testing import CliRunner\nfrom searchsocket.cli.main import cli\n"
        f"done = CliRunner().invoke(cli, ['search', 'nothing', '--json', '--project', {str(tmp_path)!r}])\n"
        "assert 'SCOPE_NOT_INDEXED' in done.output, done.output"
    )
    (tmp_path / "searchsocket.toml").write_text("")
    assert not loaded(code) & (SERVER | ORCHESTRATOR | PROTOCOL)


def test_definitions_load_no_client_and_no_engine() -> None:
    """The code server is started again and again; what a run needs is loaded by the run."""
    code = "from searchsocket_assets.definitions import build_definitions\nbuild_definitions()"
    assert not loaded(code) & (CLIENTS | SERVER - {"starlette"} | {"tantivy"})


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("searchsocket.pipeline")])
def test_the_pipeline_contains_no_sql(name: str) -> None:
    """SQL stays inside `searchsocket.state`."""
    assert not {imported for imported in imports(name) if imported == "sqlite3"}
    calls = {node.attr for node in ast.walk(_parsed(MODULES[name])) if isinstance(node, ast.Attribute)}
    assert not calls & {"execute", "executemany", "rowid"}
