"""Ticks of the three sensors over 10, 100 and 1,000 branches: `python -m bench.ticks [COUNT ...]`.

The branches are in a bare repository with packed refs, and the project is a clone of it. A process fetches from it all
the time; in the repository, a tenth of the branches was renamed and a tenth force-pushed. Each scope has a build folder
of three pages, and Dagster regards it as indexed. Prints a line per tick: CPU seconds of this process, seconds,
requested runs, bytes of the cursor.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

from bench.week.site import git
from searchsocket.project.scopes import sanitise_scope
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.tags import PARTITION_TAG, PROJECT_TAG
from searchsocket_assets.site import NAME

SETTINGS = 'project.id = "many"\nsource.static_output_dir = "builds/{scope}"\nbranches.settle_s = 0\n'
PAGES = ("index.html", "docs/a.html", "docs/b.html")
Tick = Callable[[], Any]


def main(counts: list[int]) -> None:
    print(f"{'branches':>8}  {'tick':34} {'CPU s':>7} {'s':>7} {'runs':>5} {'cursor':>8}")
    for count in counts:
        with tempfile.TemporaryDirectory(prefix="ticks-") as folder:
            work = Path(folder)
            root = _project(work, count)
            home = work / "home"
            prepare_home(home)
            with dg.DagsterInstance.from_config(str(home)) as instance, _fetches(root):
                _measure(root, instance, count)


def _measure(root: Path, instance: dg.DagsterInstance, count: int) -> None:
    sensors = {sensor.name: sensor for sensor in build_definitions(str(root)).sensors or ()}
    cursors: dict[str, str | None] = {}

    def tick(name: str) -> Any:
        context = dg.build_sensor_context(instance=instance, cursor=cursors.get(name))
        result: Any = sensors[name](context)
        cursors[name] = getattr(result, "cursor", None)
        return result

    def line(words: str, name: str) -> Any:
        begun, cpu = time.monotonic(), time.process_time()
        result = tick(name)
        spent = (time.process_time() - cpu, time.monotonic() - begun)
        size = len(cursors[name] or "")
        print(f"{count:>8}  {words:34} {spent[0]:7.3f} {spent[1]:7.3f} {_runs(result):>5} {size:>8}", flush=True)
        return result

    first = line("new_branches, none has a scope", "new_branches")
    scopes = {str(run.partition_key) for run in first.run_requests}
    while len(scopes) < count:
        _done(instance, root, scopes)
        result = tick("new_branches")
        scopes |= {str(run.partition_key) for run in getattr(result, "run_requests", None) or ()}
        if not _runs(result):
            break
    _done(instance, root, scopes)
    line("new_branches, nothing to do", "new_branches")
    line("new_builds, a first look", "new_builds")
    for _ in range(count):  # a tick ends after a while, and the next goes on
        if len(json.loads(cursors["new_builds"] or "[0, 0]")[1]) == len(scopes):
            break
        tick("new_builds")
    line("new_builds, nothing to do", "new_builds")
    (root / "builds" / sorted(scopes)[0] / "index.html").write_text("<title>Another</title>")
    line("new_builds, one was built", "new_builds")
    line("dead_branches, nothing to do", "dead_branches")


def _done(instance: dg.DagsterInstance, root: Path, scopes: set[str]) -> None:
    """Do the work of a daemon and of runs for the requests: partitions, successful runs, and a folder each."""
    new = sorted(scope for scope in scopes if not (root / ".searchsocket/pages" / scope).is_dir())
    instance.add_dynamic_partitions(NAME, new)
    job = dg.JobDefinition(name="index_site", graph_def=dg.GraphDefinition("index_site"))
    for scope in new:
        (root / ".searchsocket/pages" / scope).mkdir(parents=True)
        run = instance.create_run_for_job(job, tags={PARTITION_TAG: scope, PROJECT_TAG: "many"})
        for kind in (dg.DagsterEventType.RUN_START, dg.DagsterEventType.RUN_SUCCESS):
            instance.report_dagster_event(dg.DagsterEvent(kind.value, "index_site", message=kind.value), run.run_id)


def _project(work: Path, count: int) -> Path:
    remote, desk, root = work / "remote.git", work / "desk", work / "site"
    git(work, "init", "-q", "--bare", "-b", "main", str(remote))
    git(work, "clone", "-q", str(remote), str(desk))
    git(desk, "checkout", "-q", "-b", "main")
    git(desk, "commit", "-q", "--allow-empty", "-m", "first")
    commit = git(desk, "rev-parse", "HEAD")
    names = [f"feature/{number:04}" for number in range(count - 1)]
    refs = "".join(f"create refs/heads/{name} {commit}\n" for name in names)
    subprocess.run(["git", "-C", str(desk), "update-ref", "--stdin"], input=refs, text=True, check=True)
    git(desk, "push", "-q", "--all", "origin")
    git(remote, "pack-refs", "--all", "--prune")
    git(work, "clone", "-q", str(remote), str(root))
    git(root, "pack-refs", "--all", "--prune")
    (root / "searchsocket.toml").write_text(SETTINGS)
    moved = names[::10]
    renamed = [f"{name}-again" for name in moved]
    for branch in ["main", *names, *renamed]:
        for page in PAGES:
            path = root / "builds" / sanitise_scope(branch) / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"<title>{page}</title>")
    git(desk, "commit", "-q", "--amend", "--allow-empty", "-m", "another")
    forced = [f"+HEAD:refs/heads/{name}" for name in names[1::10]]
    git(desk, "push", "-q", "origin", *forced, *(f"{a}:refs/heads/{b}" for a, b in zip(moved, renamed, strict=True)),
        *(f":refs/heads/{name}" for name in moved))  # fmt: skip
    return root


@contextmanager
def _fetches(root: Path) -> Iterator[None]:
    is_over = threading.Event()

    def fetch() -> None:
        while not is_over.wait(0.05):
            git(root, "fetch", "-q", "--prune")

    git(root, "fetch", "-q", "--prune")
    racing = threading.Thread(target=fetch)
    racing.start()
    try:
        yield
    finally:
        is_over.set()
        racing.join()


def _runs(result: Any) -> int:
    requests = getattr(result, "run_requests", None) or ([result] if isinstance(result, dg.RunRequest) else [])
    return len(requests)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [10, 100, 1000])
