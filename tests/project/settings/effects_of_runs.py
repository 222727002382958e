"""Effects of `vector.local`, `run`, `dagster` and `state`: how a run is done, where it is kept and whose it is."""

from collections.abc import Callable, Iterable, Iterator

from searchsocket.extensions.fleet import dask as cluster
from searchsocket.pipeline.stages import page_mirror
from searchsocket.stores import make_store
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.site import PROJECT_VARIABLE, traits_of_project
from tests.project.settings.lab import Effect, Lab, outcome


def says_too_large(lab: Lab) -> bool:
    lab.index()
    project = lab.project
    return "max_records" in make_store(project.settings.vector, project.state_dir, project.id).health().details


def folders(name: str) -> Callable[[Lab], list[str]]:
    """The folders of the project that hold such a file after a run."""

    def observe(lab: Lab) -> list[str]:
        lab.index()
        return sorted(str(path.parent.relative_to(lab.root)) for path in lab.root.rglob(name))

    return observe


def workers(lab: Lab) -> int:
    """Return the number of processes for the pages of a large site, on a machine of five cores."""
    requests: list[int] = []

    def record(
        work: Callable[[object], object], batches: Iterable[object], *, workers: int, **_: object
    ) -> Iterator[object]:
        requests.append(workers)
        return map(work, batches)

    with lab.patch.context() as patch:
        patch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
        patch.setattr(page_mirror, "default_workers", lambda: 5)
        patch.setattr(page_mirror, "map_batches", record)
        lab.index()
    return requests[0]


def long_page(lines: int) -> Callable[[Lab], None]:
    """A page that is large enough for a process of its own."""
    return lambda lab: lab.page("long.html", f"<main>{'<p>Some <b>boats</b> lie here.</p>' * lines}</main>")


def failed(lab: Lab) -> int:
    return lab.index().pages["failed"]


def on_a_cluster(lab: Lab) -> str:
    """Return the result of a run over a large site; no scheduler listens at the address."""
    with lab.patch.context() as patch:
        patch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
        patch.setattr(cluster, "_CONNECT_S", 0.1)
        return outcome(lab.index, naming="tcp://127.0.0.1:1")


def names_scope(lab: Lab) -> bool:
    lab.index()
    return any("\nscope: " in text for text in lab.site.mirror().values())


def owners(lab: Lab) -> list[str]:
    """Of the assets as Dagster's processes load them."""
    traits = traits_of_project({PROJECT_VARIABLE: str(lab.root)})
    return sorted(
        {owner for spec in build_definitions(traits=traits).resolve_all_asset_specs() for owner in spec.owners}
    )


EFFECTS = (
    Effect("vector.local.path", "kept/here", folders("CURRENT"), [".searchsocket/index/main"], ["kept/here/main"],
           anew=True),
    Effect("vector.local.max_records", 5, says_too_large, False, True),
    Effect("run.workers", 3, workers, 5, 3, anew=True),
    Effect("run.max_page_seconds", 0.1, failed, 0, 1, prepare=long_page(60_000), anew=True),
    Effect("run.max_page_memory_mb", 64, failed, 0, 1, prepare=long_page(100_000), anew=True),
    Effect("run.dask_address", "tcp://127.0.0.1:1", on_a_cluster, "ok", "CLUSTER_UNAVAILABLE", anew=True),
    Effect("dagster.owners", ["team:docs"], owners, [], ["team:docs"]),
    Effect("state.shared_mirror", True, names_scope, True, False),
    Effect("state.dir", ".index", folders("state.db"), [".searchsocket"], [".index"], anew=True),
)  # fmt: skip
