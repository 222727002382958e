"""Pictures of a project with 30 branches in different states, and 20 generations: `python -m bench.week.many OUT`.

The history is made in this process; only the pages are Dagster's own.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import dagster as dg

from bench.week.dagster_ui import DagsterUi
from bench.week.pictures import GRAPH, PLOTS, WIDE, camera
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.site import ProjectTraits, ensure_scope

BRANCHES, BROKEN, UNBUILT, GENERATIONS = 30, (4, 11, 19), (7, 23), 20
SETTINGS = """project.id = "many"
source.static_output_dir = "builds/{scope}"
embeddings.provider = "hash"
dagster.owners = ["team:docs"]
"""
QUIET: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def main(out: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="many-") as folder:
        root = Path(folder) / "site"
        home = root / ".searchsocket/dagster"
        root.mkdir()
        (root / "searchsocket.toml").write_text(SETTINGS)
        os.environ["SEARCHSOCKET_CACHE"] = str(root.parent / "cache")
        prepare_home(home)
        job = build_definitions(str(root), traits=ProjectTraits(("team:docs",))).resolve_job_def("index_site")
        with dg.DagsterInstance.from_config(str(home)) as instance:

            def run(scope: str) -> None:
                ensure_scope(instance, scope)
                job.execute_in_process(QUIET, instance=instance, partition_key=scope, raise_on_error=False)

            for number in range(BRANCHES):
                scope = f"feature-{number:02}"
                if number not in BROKEN:
                    _write(root / "builds" / scope, 3 + number % 4)
                run(scope) if number not in UNBUILT else ensure_scope(instance, scope)
            for number in range(GENERATIONS):
                _write(root / "builds/main", 6 + number)
                run("main")
        ui = DagsterUi(root, {})
        try:
            with camera(ui.address, out) as pictures:
                pictures.take("many-partitions", "/assets/search_index?view=partitions", "feature-29")
                pictures.take("many-plots", "/assets/search_index", "dagster/row_count", *PLOTS, down_px=700)
                pictures.take("many-events", "/assets/search_index?view=events", "main")
                pictures.take("many-graph", GRAPH, "filled", width_px=WIDE)
                pictures.take("many-jobs", "/jobs", "index_site")
                pictures.take("many-automation", "/automation", "new_branches")
                print(pictures.errors)
        finally:
            ui.kill()


def _write(build: Path, pages: int) -> None:
    for number in range(pages):
        path = build / f"docs/page-{number}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"<p>Page {number} of {pages} in {build.name} says what a mooring line of {number} metres holds.</p>"
        path.write_text(f"<title>Page {number}</title><main><h1>Page {number}</h1>{text}</main>")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
