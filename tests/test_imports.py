"""The import rule of spec 4.1: what may import what, and what an entry point may load."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from searchsocket.extensions import built_in

ROOT = Path(__file__).parent.parent
PACKAGES = ("searchsocket", "searchsocket_assets", "search_api")

ORCHESTRATOR = {"dagster", "dagster_webserver", "dagster_graphql", "searchsocket_assets"}
SERVER = {"fastapi", "starlette", "uvicorn", "search_api"}
CLIENTS = {
    "pymilvus",
    "milvus_lite",
    "pinecone",
    "psycopg",
    "qdrant_client",
    "openai",
    "onnxruntime",
    "tokenizers",
    "dask",
    "distributed",
    "playwright",
}
PARSERS = {"lxml", "bs4", "markdownify"}
PROTOCOL = {"mcp", "mcp_types"}  # a second of CPU
HEAVY = ORCHESTRATOR | SERVER | CLIENTS | PARSERS | PROTOCOL | {"numpy", "pydantic", "rich", "Stemmer"}

# From the centre outward; every room of the library has its place.
CENTRE = {"types", "errors", "events", "dollars", "commit"}
DOOR = {"extensions"}  # without the folders of extensions
PURE = {"project.settings", "text", "web", "content", "system"}
SEAMS = {"project", "curation", "sources", "models", "stores", "state", "backends"}
USE_CASES = {"pipeline", "search", "setup"}
JUDGES = {"quality", "demand"}  # know what was indexed and what it answers
ANSWERS = {"serving"}
AGENTS = {"agents"}
ENTRY = {"cli", "testing"}
LAYERS = (CENTRE, DOOR, PURE, SEAMS, USE_CASES, JUDGES, ANSWERS, AGENTS, ENTRY)


def modules(root: Path) -> dict[str, Path]:
    """Every module of ours below a folder, by its dotted name."""
    results = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            results[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return results


class Import(NamedTuple):
    """One name that a module imports."""

    module: str
    name: str  # dotted
    place: str  # file and line
    is_executed: bool  # else inside a function, or for type checkers


class Tree:
    """The modules of a checkout and their imports."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.modules = modules(root)
        self.imports = [item for name in self.modules for item in self._imports_of(name)]

    def parsed(self, name: str) -> ast.Module:
        return ast.parse(self.modules[name].read_text(encoding="utf-8"))

    def place(self, name: str, line: int) -> str:
        return f"{self.modules[name].relative_to(self._root)}:{line}"

    def _imports_of(self, module: str) -> Iterator[Import]:
        tree = self.parsed(module)
        executed = set(_executed(tree))
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module} has a relative import"
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [item if item in self.modules else str(node.module) for item in inner]
            for name in names:
                yield Import(module, name, self.place(module, node.lineno), node in executed)  # type: ignore[attr-defined]


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


def extension_of(name: str) -> str:
    """The extension that a module belongs to; "" for the core, and for the door itself."""
    parts = name.split(".")
    is_inside = parts[:2] == ["searchsocket", "extensions"] and len(parts) > 2 and parts[2] != "base"
    return parts[2] if is_inside else ""


def layer(name: str) -> int:
    """Return the layer of a module of the library, from 0 at the centre.

    Raises:
        StopIteration: Its room has no place yet.
    """
    parts = name.split(".")[1:] or ["types"]
    rooms_of_name = (".".join(parts[:2]), parts[0])  # the settings of a project are known further in than the project
    return next(rank for room in rooms_of_name for rank, rooms in enumerate(LAYERS) if room in rooms)


Rule = Callable[[Import], bool]  # whether an import breaks it


def library_knows_no_framework(each: Import) -> bool:
    """The library imports neither Dagster nor a server; the command line alone reaches for our other packages."""
    if extension_of(each.module):
        return False
    allowed = set(PACKAGES) if each.module.startswith("searchsocket.cli") else set()
    return top(each.module) == "searchsocket" and top(each.name) in (ORCHESTRATOR | SERVER) - allowed


def dagster_and_the_api_are_apart(each: Import) -> bool:
    """The Dagster definitions and the service do not know each other."""
    own = top(each.module)
    other = ORCHESTRATOR if own == "search_api" else SERVER
    return own != "searchsocket" and top(each.name) in other - {own}


def entry_points_leave_the_command_line_alone(each: Import) -> bool:
    """Neither of the other packages imports the command line."""
    return top(each.module) != "searchsocket" and each.name.startswith("searchsocket.cli")


def imports_point_inward(each: Import) -> bool:
    """Entry points -> use cases -> seams -> pure steps -> types."""
    is_ours = top(each.module) == top(each.name) == "searchsocket" and each.name != "searchsocket"
    if extension_of(each.module) or extension_of(each.name):
        return False
    return is_ours and layer(each.name) > layer(each.module)


def nobody_knows_an_extension(each: Import) -> bool:
    """The core reaches an extension only through the door, and no extension knows another."""
    return extension_of(each.name) not in ("", extension_of(each.module))


def use_cases_are_apart(each: Import) -> bool:
    """Indexing and searching meet in the store alone."""
    ends = ("searchsocket.pipeline", "searchsocket.search")
    return any(each.module.startswith(one) and each.name.startswith(other) for one, other in (ends, ends[::-1]))


def pipeline_knows_no_database(each: Import) -> bool:
    """SQL stays inside `searchsocket.state`."""
    return each.module.startswith("searchsocket.pipeline") and each.name == "sqlite3"


RULES: tuple[Rule, ...] = (
    library_knows_no_framework,
    dagster_and_the_api_are_apart,
    entry_points_leave_the_command_line_alone,
    imports_point_inward,
    nobody_knows_an_extension,
    use_cases_are_apart,
    pipeline_knows_no_database,
)


def violations(tree: Tree, rule: Rule) -> list[str]:
    return [f"{entry.place}: {entry.module} imports {entry.name}" for entry in tree.imports if rule(entry)]


def statements_of_sql(tree: Tree) -> list[str]:
    """Places where the pipeline speaks to a database."""
    return [
        f"{tree.place(name, node.lineno)}: .{node.attr}"
        for name in tree.modules
        if name.startswith("searchsocket.pipeline")
        for node in ast.walk(tree.parsed(name))
        if isinstance(node, ast.Attribute) and node.attr in {"execute", "executemany", "rowid"}
    ]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """This checkout."""
    return Tree(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_checkout_keeps_the_rule(tree: Tree, rule: Rule) -> None:
    assert len(tree.imports) > 3_000
    assert violations(tree, rule) == []


def test_the_pipeline_speaks_no_sql(tree: Tree) -> None:
    """SQL stays inside `searchsocket.state`."""
    assert statements_of_sql(tree) == []


BREACHES = {
    library_knows_no_framework: ("searchsocket/search/engine.py", "import dagster.core"),
    dagster_and_the_api_are_apart: ("searchsocket_assets/jobs.py", "from fastapi import FastAPI"),
    entry_points_leave_the_command_line_alone: ("search_api/app.py", "from searchsocket.cli import main"),
    imports_point_inward: ("searchsocket/text/words.py", "from searchsocket import search"),
    nobody_knows_an_extension: ("searchsocket/search/engine.py", "from searchsocket.extensions.demand import log"),
    use_cases_are_apart: ("searchsocket/search/engine.py", "import searchsocket.pipeline.run"),
    pipeline_knows_no_database: ("searchsocket/pipeline/run.py", "from sqlite3 import connect"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("where", ["at the top", "in a function", "for type checkers"])
def test_a_breach_is_named_with_its_file_and_line(tmp_path: Path, rule: Rule, where: str) -> None:
    """Also inside a function, and where only type checkers see it."""
    file, statement = BREACHES[rule]
    heads = {"in a function": "def late():\n    ", "for type checkers": "if TYPE_CHECKING:\n    ", "at the top": "\n"}
    for each in {file, "searchsocket/search/__init__.py", "searchsocket/cli/main.py", "searchsocket/cli/__init__.py"}:
        path = tmp_path / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / file).write_text(f"{heads[where]}{statement}\n")
    (violation,) = violations(Tree(tmp_path), rule)
    assert violation.startswith(f"{file}:2: ")


def test_sql_in_the_pipeline_is_named_with_its_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "searchsocket/pipeline/run.py"
    path.parent.mkdir(parents=True)
    path.write_text("\ndatabase.execute('DELETE FROM pages')\n")
    assert statements_of_sql(Tree(tmp_path)) == ["searchsocket/pipeline/run.py:2: .execute"]


def test_the_core_names_no_database(tree: Tree) -> None:
    """A database is described by its extension alone, also in messages and comments."""
    names = re.compile("|".join(entry.name for entry in built_in() if entry.store), re.IGNORECASE)
    core = {name: path.read_text(encoding="utf-8") for name, path in tree.modules.items() if not extension_of(name)}
    assert names.search("pgvector")
    assert [name for name, text in core.items() if names.search(text)] == [
        "searchsocket.extensions",  # lists them
        "searchsocket.text.redaction",  # recognises the keys of many services
    ]


def test_the_server_is_started_by_its_own_command_alone(tree: Tree) -> None:
    """Code that the command line and the server share is in `searchsocket.serving`."""
    reaching = [
        entry for entry in tree.imports if top(entry.module) == "searchsocket" and top(entry.name) == "search_api"
    ]
    assert {element.module for element in reaching if not extension_of(element.module)} == {"searchsocket.cli.server"}
    starting = [item for item in tree.imports if item.name == "searchsocket.cli.server"]
    assert {(each.module, each.is_executed) for each in starting if not extension_of(each.module)} == {
        ("searchsocket.cli.sites", False)
    }


def test_modules_import_each_other_in_no_circle(tree: Tree) -> None:
    """Imports inside functions and for type checkers count too."""
    graph: dict[str, set[str]] = {name: set() for name in tree.modules}
    for each in tree.imports:
        if each.name in tree.modules and each.name != each.module:
            graph[each.module].add(each.name)
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def loaded(code: str) -> set[str]:
    """Top-level modules in a fresh interpreter after `code`."""
    program = f"{code}\nimport sys; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(result.stdout.split())


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
        "create_app(open_project(Path(tempfile.mkdtemp()), {}), environ={}, host='127.0.0.1')\n"
        "import sys\nassert 'searchsocket.state.project' not in sys.modules"
    )
    assert not loaded(code) & (ORCHESTRATOR | CLIENTS | PROTOCOL | {"httpx"})


def test_modules_that_answer_load_no_web_framework() -> None:
    """The command line answers without one."""
    assert not loaded("import searchsocket.serving.service, searchsocket.serving.answers") & (SERVER | ORCHESTRATOR)


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
    assert not loaded(code) & (CLIENTS | SERVER - {"starlette"})


def test_a_run_of_the_command_loads_no_orchestrator_no_client_and_no_server() -> None:
    """Dagster was four fifths of the CPU of a run after an edit.

    Nor is the engine loaded, which only golden queries need, nor the stages of source code.
    """
    code = (
        "import sys, searchsocket.cli.index_run as command\nfrom searchsocket.pipeline.run.stages import every_stage\n"
        "every_stage(command.SITE)\nothers = ('searchsocket.search.engine', 'searchsocket.extensions.code.pipeline')\n"
        "assert not [name for name in sys.modules if name.startswith(others)]"
    )
    assert not loaded(code) & (ORCHESTRATOR | CLIENTS | SERVER | {"httpx"})
