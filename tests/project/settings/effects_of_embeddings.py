"""Effects of `embeddings`: who makes the vectors, how many at a time, and what that may cost."""

import json
import time
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import numpy as np

from searchsocket.backends import Backends
from searchsocket.events import Event
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.models.calling import calls
from searchsocket.models.embedders import openai
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.types import Vector
from tests.models.embedders.openai_server import DIMENSIONS, vectors_json
from tests.project.settings.lab import KEYS, WEB, Effect, Lab, outcome
from tests.sources.web import Answer, Request, Web

TINY = Path(__file__).parents[2] / "models" / "embedders" / "tiny-onnx"
REMOTE = {"embeddings.provider": "openai"}
SHARED = f"memory://shared-{uuid4().hex}"
SERVED = REMOTE | {"embeddings.api_key_env": "", "embeddings.dimensions": DIMENSIONS}


def shares_embeddings(lab: Lab) -> bool:
    lab.index()
    return any(open_objects(SHARED).list(""))


def models(lab: Lab) -> set[str]:
    """Return the models of the vectors of the index, without versions."""
    lab.index()
    return {record.model_id.partition("-")[0] for record in lab.site.records()}


def load_model(lab: Lab) -> str:
    """Index with the model, no cache of models being there."""
    lab.patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(lab.root / "empty"))
    return outcome(lab.index, naming="all-MiniLM-L6-v2")


def copy_model(lab: Lab) -> None:
    (lab.root / "model").symlink_to(TINY, target_is_directory=True)


def embedded(lab: Lab) -> list[int]:
    """Return the number of embedded texts after each call of the embedder."""
    steps: list[int] = []

    def hear(event: Event) -> None:
        if event.name == "progress" and event.fields["stage"] == "chunk_embeddings":
            steps.append(int(event.fields["done"]))

    index_scope(lab.site.run("main", RunOptions(), hear))
    return steps


def with_old_embeddings(lab: Lab) -> None:
    """Vectors of 1.6 MB that nobody used for a month."""
    rows = np.eye(512, dtype=np.float32)[np.arange(800) % 512]
    with EmbeddingCache(lab.project.state_dir / "embeddings.db", now=lambda: time.time() - 30 * 86_400) as cache:
        cache.put([f"{number:064x}" for number in range(800)], rows, [1] * 800, "old")


def keeps_old_embeddings(lab: Lab) -> bool:
    lab.index()
    with EmbeddingCache(lab.project.state_dir / "embeddings.db") as cache:
        return all(model.texts == 800 for model in cache.models() if model.model_id == "old")


def embedding(web: Web) -> None:
    """Serve embeddings at two addresses."""

    def answer(request: Request) -> Answer:
        vectors = vectors_json(json.loads(request.body)["input"], as_base64=True)
        return Answer(200, json.dumps(vectors).encode(), {"Content-Type": "application/json"})

    web.pages = dict.fromkeys(("/usual/embeddings", "/own/embeddings"), answer)


def request_addresses(lab: Lab) -> set[str]:
    """Return the addresses to which a run sends embedding requests."""
    lab.patch.setattr(openai, "DEFAULT_URL", f"{lab.web.base_url}/usual")
    lab.web.requests.clear()
    lab.index()
    return set(lab.web.paths())


def under_way(lab: Lab) -> list[int]:
    """Return the number of concurrent requests of a run."""
    pool_sizes: list[int] = []

    def pool(workers: int, **options: str) -> ThreadPoolExecutor:
        pool_sizes.append(workers)
        return ThreadPoolExecutor(workers, **options)  # type: ignore[arg-type]

    with lab.patch.context() as patch:
        patch.setattr(calls, "ThreadPoolExecutor", pool)
        lab.index()
    return pool_sizes


def notes(lab: Lab) -> list[str]:
    """Codes of the notes that a stranger's query is answered with."""
    answer = lab.api().post({"q": "lantern"})
    assert answer.status_code == 200, answer.text
    return [note["code"] for note in answer.json()["meta"]["notes"]]


def patience(lab: Lab) -> list[float | None]:
    """For how long a query waits for its vector."""
    timeouts_s: list[float | None] = []

    class Watched(Future[Vector]):
        def result(self, timeout: float | None = None) -> Vector:
            timeouts_s.append(timeout)
            return super().result(20)

    lab.index()
    with lab.patch.context() as patch:
        patch.setattr(futures, "Future", Watched)
        assert notes(lab) == []
    return timeouts_s


def grow(lab: Lab) -> None:
    lab.page("new.html", "<main><p>" + "Another exhibition about lighthouses opens. " * 20 + "</p></main>")


def tokens_a_text(lab: Lab) -> int:
    """The maximum tokens of a text."""
    return Backends(lab.project, {}, calls=False).embedder_of("").limits.tokens_a_text


EFFECTS = (
    Effect("embeddings.provider", "hash", models, {"builtin"}, {"hash"}, anew=True),
    Effect("embeddings.model", "model", load_model, "CONFIG_MISSING", "ok", given={"embeddings.provider": "onnx"},
           prepare=copy_model),
    Effect("embeddings.dimensions", 256, lambda lab: Backends(lab.project, {}, calls=False).embedder_of("").dimensions,
           1536, 256, given=REMOTE),
    Effect("embeddings.api_key_env", "OTHER_KEY",
           lambda lab: outcome(lambda: Backends(lab.project, KEYS).embedder_of("")), "CONFIG_MISSING", "ok",
           given=REMOTE),
    Effect("embeddings.max_tokens", 100, tokens_a_text, 2048, 100,
           given=SERVED | {"embeddings.model": "own", "embeddings.price_per_million_tokens_usd": 0.0}),
    Effect("embeddings.base_url", f"{WEB}/own", request_addresses, {"/usual/embeddings"}, {"/own/embeddings"},
           given=SERVED, web=embedding, anew=True),
    Effect("embeddings.concurrency", 3, under_way, [8], [3], given=SERVED | {"embeddings.base_url": f"{WEB}/own"},
           web=embedding, anew=True),
    Effect("embeddings.query_timeout_s", 0.25, patience, [0.3], [0.25],
           given=SERVED | {"embeddings.base_url": f"{WEB}/own"}, web=embedding),
    Effect("embeddings.query_usd_a_day", 1e-9, notes, [], ["EMBEDDER_OVER_BUDGET"],
           given=SERVED | {"embeddings.base_url": f"{WEB}/own", "embeddings.query_timeout_s": 20.0}, web=embedding),
    Effect("embeddings.batch_size", 5, embedded, [7], [5, 7], anew=True),
    Effect("embeddings.price_per_million_tokens_usd", 2.0, lambda lab: lab.index().estimated_cost_usd > 0, False, True,
           anew=True),
    Effect("costs.budget.run_usd", 0.0, lambda lab: outcome(lab.index), "ok", "BUDGET_EXCEEDED",
           given={"embeddings.price_per_million_tokens_usd": 2.0}, anew=True),
    Effect("costs.budget.month_usd", 3e-4, lambda lab: outcome(lambda: (lab.index(), grow(lab), lab.index())), "ok",
           "BUDGET_EXCEEDED", given={"embeddings.price_per_million_tokens_usd": 1.0}, anew=True),
    Effect("embeddings.cache_url", SHARED, shares_embeddings, False, True, given={"embeddings.provider": "hash"},
           anew=True),
    Effect("embeddings.cache_max_mb", 1, keeps_old_embeddings, True, False, prepare=with_old_embeddings),
)  # fmt: skip
