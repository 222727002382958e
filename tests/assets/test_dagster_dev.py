"""`searchsocket dagster` with its real processes: one for each home, runs that are terminated, runs that are killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner
from small_site import write_page, write_site

from bench.crashes.processes import kill_tree
from bench.indexing.generate import write_site as write_large_site
from searchsocket.cli.main import cli
from searchsocket.project.project import open_project
from searchsocket.stores import make_store
from tests.pipeline.branches.repository import add_file
from tests.sources.git_repository import git

pytestmark = pytest.mark.dagster

T = TypeVar("T")
COMMAND = [sys.executable, "-m", "searchsocket.cli.main"]
ROOT = Path(__file__).parents[2]
_PATIENCE_S = 240.0
STAGES = ["site_pages", "page_mirror", "page_chunks", "chunk_embeddings", "search_index"]
# Loaded by every interpreter that Dagster starts: a run pauses where a file says, in the first text that it embeds or
# beside what it built, before that goes live.
PAUSE = """
import importlib.abc, importlib.util, os, sys, time
PLACES = {
    "searchsocket.models.embedders.hash": ("embed", "HashEmbedder", "embed"),
    "searchsocket.quality.candidate": ("publish", "", "judge_candidate"),
}
class Patch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in PLACES:
            return None
        place, owner, function = PLACES.pop(name)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module
        def exec_module(module):
            load(module)
            where = getattr(module, owner) if owner else module
            real, calls = getattr(where, function), []
            def paused(*arguments, **options):
                calls.append(1)
                if len(calls) == 1 and open(os.environ["PAUSE_FLAG"] + "-at").read() == place:
                    with open(os.environ["PAUSE_FLAG"], "w") as flag:
                        flag.write(str(os.getpid()))
                    while True:  # `signal.pause` would miss a signal that comes just before it
                        time.sleep(0.05)
                return real(*arguments, **options)
            setattr(where, function, paused)
        spec.loader.exec_module = exec_module
        return spec
if os.environ.get("PAUSE_FLAG"):
    sys.meta_path.insert(0, Patch())
"""


class Dagster:
    """`searchsocket dagster &` as a script starts it: deaf to SIGINT, in a session of its own."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.root = root
        self.log = root / "dagster.log"
        self.port = free_port()
        deaf = (
            "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
        )
        arguments = ["dagster", "--project", str(root), "--port", str(self.port)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", deaf, *COMMAND, *arguments],
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | environ,
        )
        try:
            wait_for(lambda: self.ask("{ repositoriesOrError { __typename } }"), "the UI")
        except BaseException:
            self.end()
            raise

    def ask(self, query: str, **variables: object) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"Content-Type": "application/json"}
        )
        with suppress(OSError), urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["data"]
        return None

    def launch(self) -> str:
        """Launch the job for the scope `main`, as the launchpad does."""
        selector = {
            "repositoryLocationName": "searchsocket",
            "repositoryName": "__repository__",
            "jobName": "index_site",
        }
        tags = [{"key": "dagster/partition", "value": "main"}]
        answer = self.ask(
            "mutation($p: ExecutionParams!) { launchRun(executionParams: $p) "
            "{ __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }",
            p={"selector": selector, "runConfigData": {}, "executionMetadata": {"tags": tags}},
        )
        assert answer["launchRun"]["__typename"] == "LaunchRunSuccess", answer
        return str(answer["launchRun"]["run"]["runId"])

    def terminate(self, run_id: str, policy: str) -> None:
        answer = self.ask(
            "mutation($r: String!, $p: TerminateRunPolicy) { terminateRun(runId: $r, terminatePolicy: $p) "
            "{ __typename } }",
            r=run_id,
            p=policy,
        )
        assert answer["terminateRun"]["__typename"] == "TerminateRunSuccess", answer

    def status(self, run_id: str) -> str:
        answer = self.ask("query($r: ID!) { runOrError(runId: $r) { ... on Run { status } } }", r=run_id)
        return str(answer["runOrError"]["status"]) if answer else ""

    def start_backfill(self, mutation: str, variable: str, argument: str, **params: object) -> str:
        answer = self.ask(
            f"mutation({variable}) {{ {mutation}({argument}: $p) "
            "{ __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }",
            p=params,
        )
        assert answer[mutation]["__typename"] == "LaunchBackfillSuccess", answer
        return str(answer[mutation]["backfillId"])

    def backfill_status(self, backfill_id: str) -> str:
        query = (
            "query($b: String!) { partitionBackfillOrError(backfillId: $b) { ... on PartitionBackfill { status } } }"
        )
        answer = self.ask(query, b=backfill_id)
        return str(answer["partitionBackfillOrError"]["status"]) if answer else ""

    def process_of(self, run_id: str) -> int | None:
        """The process that executes a run; it says so itself."""
        query = (
            "query($r: ID!) { logsForRun(runId: $r) "
            "{ ... on EventConnection { events { ... on MessageEvent { message } } } } }"
        )
        answer = self.ask(query, r=run_id)
        for event in answer["logsForRun"].get("events", ()) if answer else ():
            if event.get("message", "").startswith("Started process for run (pid: "):
                return int(event["message"].split("pid: ")[1].rstrip(")."))
        return None

    def end(self) -> None:
        kill_tree(self.process.pid)
        self.process.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(ask: Callable[[], T | None], what: str) -> T:
    """Ask again and again until the answer is something."""
    deadline = time.monotonic() + _PATIENCE_S
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.1)
    return answer


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def descendants(pid: int) -> set[int]:
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    results = {pid}
    while more := {child for child, parent in parents.items() if parent in results} - results:
        results |= more
    return results - {pid}


def live(root: Path) -> str:
    project = open_project(root, {})
    generation = make_store(project.settings.vector, project.state_dir, project.id).generation(
        project.scope_named("main")
    )
    return generation.name if generation else ""


@pytest.fixture(scope="module")
def site_with_pause(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_site(tmp_path_factory.mktemp("ui") / "harbour")
    (root / "searchsocket.toml").write_text('embeddings.provider = "hash"\n')
    subprocess.run([*COMMAND, "index", "--record", "--project", str(root)], capture_output=True, check=True)
    (root / "hooks").mkdir()
    (root / "hooks" / "sitecustomize.py").write_text(PAUSE)
    os.mkfifo(root / "flag")
    return root


@pytest.fixture(scope="module")
def paused(site_with_pause: Path) -> Iterator[Dagster]:
    root = site_with_pause
    dagster = Dagster(root, {"PYTHONPATH": str(root / "hooks"), "PAUSE_FLAG": str(root / "flag")})
    yield dagster
    dagster.end()


@pytest.mark.parametrize(
    ("at", "policy"),
    [("embed", "SAFE_TERMINATE"), ("embed", "MARK_AS_CANCELED_IMMEDIATELY"), ("publish", "SAFE_TERMINATE")],
)
def test_a_run_that_is_terminated_stays_canceled(paused: Dagster, at: str, policy: str) -> None:
    """And publishes nothing: it took 14 s of work, and then SUCCESS, when Dagster tried the stage again."""
    before = live(paused.root)
    (paused.root / "flag-at").write_text(at)
    write_page(paused.root, "about", "About", f"Now written by people who like {policy} while they {at}.")
    run_id = paused.launch()
    with open(paused.root / "flag") as flag:
        process = int(flag.read())
    paused.terminate(run_id, policy)
    wait_for(lambda: not is_alive(process), "the end of the run's process")
    assert paused.status(run_id) == "CANCELED"
    assert live(paused.root) == before


def test_a_backfill_over_branches_is_canceled_and_retried(paused: Dagster) -> None:
    """As on the page of a backfill: nothing is published by what was canceled, and the retry completes each scope."""
    scopes = ["main", "one", "two"]
    for scope in scopes[1:]:
        result = CliRunner().invoke(cli, ["index", "--record", "--project", str(paused.root), "--scope", scope])
        assert result.exit_code == 0, result.output
    before = live(paused.root)
    (paused.root / "flag-at").write_text("embed")
    write_page(paused.root, "about", "About", "Now written by people who fill in what is missing.")
    assets = [{"path": [name]} for name in STAGES]
    backfill_id = paused.start_backfill(
        "launchPartitionBackfill", "$p: LaunchBackfillParams!", "backfillParams", partitionNames=scopes,
        assetSelection=assets,
    )  # fmt: skip
    with open(paused.root / "flag") as flag:
        assert flag.read()
    canceled = paused.ask(
        "mutation($b: String!) { cancelPartitionBackfill(backfillId: $b) { __typename } }", b=backfill_id
    )
    assert canceled["cancelPartitionBackfill"]["__typename"] == "CancelBackfillSuccess", canceled
    wait_for(lambda: paused.backfill_status(backfill_id) == "CANCELED", "the end of the backfill")
    assert live(paused.root) == before
    (paused.root / "flag-at").write_text("nowhere")
    retry_id = paused.start_backfill(
        "reexecutePartitionBackfill", "$p: ReexecutionParams!", "reexecutionParams", parentRunId=backfill_id,
        strategy="FROM_FAILURE",
    )  # fmt: skip
    wait_for(lambda: paused.backfill_status(retry_id) == "COMPLETED_SUCCESS", "the retry")
    assert live(paused.root) != before


def test_a_second_one_is_refused_and_a_killed_one_leaves_nothing(paused: Dagster) -> None:
    """Two daemons would start every queued run twice; a daemon outlived a `dagster dev` that was killed."""
    again = [*COMMAND, "dagster", "--project", str(paused.root), "--port", str(paused.port + 1)]
    first = subprocess.run(again, capture_output=True, text=True, check=False)
    assert first.returncode == 5
    assert f"http://127.0.0.1:{paused.port}" in first.stderr
    assert str(paused.process.pid) in first.stderr.rpartition(": kill ")[2].split()
    services = descendants(paused.process.pid)
    assert len(services) >= 4, "dagster dev, its server, its daemon and the code"
    paused.process.kill()
    paused.process.wait()
    wait_for(lambda: not any(map(is_alive, services)), "the end of all services")


def test_services_of_a_dagster_that_was_killed_end_with_the_command(tmp_path: Path) -> None:
    dagster = Dagster(write_site(tmp_path / "harbour"), {})
    try:
        services = descendants(dagster.process.pid)
        (child,) = (pid for pid in services if "searchsocket_assets.run.dev" in command_of(pid))
        os.kill(child, signal.SIGKILL)
        assert dagster.process.wait(_PATIENCE_S) != 0
        wait_for(lambda: not any(map(is_alive, services)), "the end of all services")
    finally:
        dagster.end()


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def test_in_the_background_it_ends_on_sigterm_and_lets_the_next_one_in(tmp_path: Path) -> None:
    """A shell makes what it starts with `&` deaf to SIGINT, and Dagster treats SIGTERM like SIGINT."""
    root = write_site(tmp_path / "harbour")
    dagster = Dagster(root, {})
    try:
        dagster.process.terminate()
        assert dagster.process.wait(_PATIENCE_S) == 0
        assert "Superse" not in dagster.log.read_text()  # Dagster warns of its own `dagster dev`
        next_one = Dagster(root, {})
        next_one.end()
    finally:
        dagster.end()


def test_a_run_of_the_ui_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    """Its workers were alive seven minutes later."""
    root = tmp_path / "large"
    write_large_site(root / "build", 400)
    dagster = Dagster(root, {"SEARCHSOCKET__RUN__WORKERS": "2"})
    try:
        dagster.ask(
            'mutation { addDynamicPartition(partitionsDefName: "searchsocket_scope", partitionKey: "main", '
            'repositorySelector: {repositoryLocationName: "searchsocket", repositoryName: "__repository__"}) '
            "{ __typename } }"
        )
        run_id = dagster.launch()
        process = wait_for(lambda: dagster.process_of(run_id), "the run's process")
        # A fork server and two workers; what looks after semaphores belongs to the code server.
        workers = wait_for(lambda: pids if len(pids := descendants(process)) >= 3 else None, "workers")
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: not any(map(is_alive, workers)), "the end of the workers")
    finally:
        dagster.end()


@contextmanager
def typed_at_the_top_level(root: Path, command: str) -> Iterator[Dagster]:
    """Dagster's own command in the checkout, over the project in `root`; its location is loaded."""
    places = {"SEARCHSOCKET_PROJECT": str(root), "DAGSTER_HOME": str(root / ".searchsocket/dagster")}
    program, *arguments = command.split()
    dagster = Dagster.__new__(Dagster)
    dagster.root, dagster.log, dagster.port = root, root / "dagster.log", free_port()
    dagster.process = subprocess.Popen(
        [Path(sys.executable).with_name(program), *arguments, "--port", str(dagster.port)],
        cwd=ROOT,
        stdout=dagster.log.open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, **places, "DAGSTER_DISABLE_TELEMETRY": "yes"},
    )
    try:
        places_of = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name location { name } } } } }"
        loaded = wait_for(lambda: dagster.ask(places_of), "the UI")["repositoriesOrError"]["nodes"]
        assert loaded == [{"name": "__repository__", "location": {"name": "searchsocket"}}]
        yield dagster
    finally:
        dagster.end()


def test_a_checkout_is_loaded_by_dg(site_with_pause: Path) -> None:
    with typed_at_the_top_level(site_with_pause, "dg dev"):
        pass


def test_a_checkout_starts_dagster_whose_sensor_prunes_a_merged_branch(tmp_path: Path) -> None:
    """A real tick finds the branch gone, and its run deletes the scope."""
    root = write_site(tmp_path / "harbour")
    (root / "searchsocket.toml").write_text('branches.remote = "."\nbranches.prune = "apply"\n')
    git(root, "init", "-q", "-b", "main")
    add_file(root, "first")
    git(root, "branch", "feature")
    for scope in ("main", "feature"):
        result = CliRunner().invoke(cli, ["index", "--record", "--project", str(root), "--scope", scope])
        assert result.exit_code == 0, result.output
    git(root, "branch", "-D", "feature")  # merged
    with typed_at_the_top_level(root, "dagster dev -w workspace.yaml") as dagster:
        started = dagster.ask(
            "mutation($s: SensorSelector!) { startSensor(sensorSelector: $s) { __typename } }",
            s={
                "repositoryLocationName": "searchsocket",
                "repositoryName": "__repository__",
                "sensorName": "dead_branches",
            },
        )
        assert started["startSensor"]["__typename"] == "Sensor"
        index_of = root / ".searchsocket/index"
        wait_for(lambda: not (index_of / "feature").exists(), "the end of the merged branch's scope")
        assert (index_of / "main").is_dir()
