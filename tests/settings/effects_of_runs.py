"""Effects of `embeddings`, `vector`, `run` and `state`: how a run is done, what it costs and where it is kept."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from searchsocket.embedders.cache import EmbeddingCache
from searchsocket.events import Event
from searchsocket.pipeline.run.context import RunOptions
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.stages import page_mirror
from searchsocket.stores import make_store
from searchsocket.system import dask as cluster
from tests.settings.effects_of_pages import only_value
from tests.settings.lab import Effect, Lab, outcome

TINY = Path(__file__).parent.parent / "embedders" / "tiny-onnx"


def models(lab: Lab) -> set[str]:
    """What made the vectors of the index, without versions."""
    lab.index()
    return {record.model_id.partition("-")[0] for record in lab.site.records()}


def load_model(lab: Lab) -> str:
    """Index with the model, no cache of models being there."""
    lab.patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(lab.root / "empty"))
    return outcome(lab.index, naming="all-MiniLM-L6-v2")


def copy_model(lab: Lab) -> None:
    (lab.root / "model").symlink_to(TINY, target_is_directory=True)


def embedded(lab: Lab) -> list[int]:
    """How many texts were embedded after each call of the embedder."""
    done: list[int] = []

    def hear(event: Event) -> None:
        if event.name == "progress" and event.fields["stage"] == "chunk_embeddings":
            done.append(int(event.fields["done"]))

    index_scope(lab.site.run("main", RunOptions(), hear))
    return done


def with_old_embeddings(lab: Lab) -> None:
    """Vectors of 1.6 MB that nobody used for a month."""
    rows = np.eye(512, dtype=np.float32)[np.arange(800) % 512]
    with EmbeddingCache(lab.project.state_dir / "embeddings.db", now=lambda: time.time() - 30 * 86_400) as cache:
        cache.put([f"{number:064x}" for number in range(800)], rows, [1] * 800, "old")


def keeps_old_embeddings(lab: Lab) -> bool:
    lab.index()
    with EmbeddingCache(lab.project.state_dir / "embeddings.db") as cache:
        return all(model.texts == 800 for model in cache.models() if model.model_id == "old")


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
    """How many processes the pages of a large site are shared out to, on a machine of five cores."""
    asked: list[int] = []

    def record(
        work: Callable[[object], object], batches: Iterable[object], *, workers: int, **_: object
    ) -> Iterator[object]:
        asked.append(workers)
        return map(work, batches)

    with lab.patch.context() as patch:
        patch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
        patch.setattr(page_mirror, "default_workers", lambda: 5)
        patch.setattr(page_mirror, "map_batches", record)
        lab.index()
    return asked[0]


def long_page(lines: int) -> Callable[[Lab], None]:
    """A page that is large enough for a process of its own."""
    return lambda lab: lab.page("long.html", f"<main>{'<p>Some <b>boats</b> lie here.</p>' * lines}</main>")


def failed(lab: Lab) -> int:
    return lab.index().pages["failed"]


def on_a_cluster(lab: Lab) -> str:
    """What becomes of a run over a large site; at the address nobody listens."""
    with lab.patch.context() as patch:
        patch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
        patch.setattr(cluster, "_CONNECT_S", 0.1)
        return outcome(lab.index, naming="tcp://127.0.0.1:1")


EFFECTS = (
    Effect("embeddings.provider", "hash", models, {"builtin"}, {"hash"}, anew=True),
    Effect("embeddings.model", "model", load_model, "CONFIG_MISSING", "ok", given={"embeddings.provider": "onnx"},
           prepare=copy_model),
    Effect("embeddings.batch_size", 5, embedded, [7], [5, 7], anew=True),
    Effect("embeddings.price_per_million_tokens_usd", 2.0, lambda lab: lab.index().estimated_cost_usd > 0, False, True,
           anew=True),
    Effect("embeddings.max_cost_usd", 0.0, lambda lab: outcome(lab.index), "ok", "BUDGET_EXCEEDED",
           given={"embeddings.price_per_million_tokens_usd": 2.0}, anew=True),
    Effect("embeddings.cache_max_mb", 1, keeps_old_embeddings, True, False, prepare=with_old_embeddings),
    only_value("vector.provider"),
    Effect("vector.local.path", "kept/here", folders("CURRENT"), [".searchsocket/index/main"], ["kept/here/main"],
           anew=True),
    Effect("vector.local.max_records", 5, says_too_large, False, True),
    Effect("run.workers", 3, workers, 5, 3, anew=True),
    Effect("run.max_page_seconds", 0.01, failed, 0, 1, prepare=long_page(20_000), anew=True),
    Effect("run.max_page_memory_mb", 64, failed, 0, 1, prepare=long_page(100_000), anew=True),
    Effect("run.dask_address", "tcp://127.0.0.1:1", on_a_cluster, "ok", "CLUSTER_UNAVAILABLE", anew=True),
    Effect("state.dir", ".index", folders("state.db"), [".searchsocket"], [".index"], anew=True),
)  # fmt: skip
