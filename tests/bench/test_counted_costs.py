"""User-visible work costs at most a quarter more than recorded, in function calls, which no load changes.

Seconds are in docs/notes/performance.md; these counts fail if they grow. Record a lower count with the change.
"""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_site import write_page, write_site

from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.unchanged.inputs import inputs_of, keep_record
from searchsocket.pipeline.unchanged.record import unchanged_since
from searchsocket.project.project import open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from tests.counted_calls import calls

RECORDED = {
    "cold": 193_000,
    "one page": 183_000,
    "nothing changed": 18_800,
    "second scope": 158_000,
    "query": 3_260,
    "modules of --help": 148,
    "modules of a shell query": 574,
}
ENVIRON = {"HOME": "/nowhere", "SEARCHSOCKET_CACHE": ".searchsocket", "SEARCHSOCKET__RUN__WORKERS": "1"}


def index(root: Path, scope: str | None = None) -> None:
    project = open_project(root, ENVIRON)
    project.state_dir.mkdir(exist_ok=True)
    run = ScopeRun(project, project.scope(ENVIRON, scope), "run", RunOptions(), environ=ENVIRON)
    inputs = inputs_of(run, time.time_ns())
    summary = index_scope(run)
    if inputs:
        keep_record(run, inputs, summary, None, time.time_ns())


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    BuiltinEmbedder()
    index(write_site(tmp_path_factory.mktemp("warm") / "site"))  # imports and what is remembered in the process
    root = write_site(tmp_path_factory.mktemp("counted") / "site")
    results = {"cold": calls(lambda: index(root))}
    service = open_service(open_project(root, ENVIRON), ENVIRON)
    scope = open_project(root, ENVIRON).scope(ENVIRON)
    service.search(SearchQuery("tides"), scope)
    results["query"] = calls(lambda: service.search(SearchQuery("mooring ropes"), scope))
    write_page(root, "about", "About", "Written by people who like cats!")
    results["one page"] = calls(lambda: index(root))
    now_ns = time.time_ns()
    results["nothing changed"] = calls(lambda: unchanged_since(str(root), None, ENVIRON, now_ns=now_ns, checked_at=""))
    results["second scope"] = calls(lambda: index(root, "preview"))
    for name, code in (
        ("--help", "import searchsocket.cli.main"),
        ("a shell query", "import searchsocket.cli.search"),
    ):
        program = f"import sys; {code}; print(len(sys.modules))"
        result = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
        results[f"modules of {name}"] = int(result.stdout)
    return results


@pytest.mark.parametrize("name", RECORDED)
def test_it_takes_at_most_a_quarter_more_calls_than_were_recorded(counted: dict[str, int], name: str) -> None:
    assert counted[name] <= 1.25 * RECORDED[name], counted
