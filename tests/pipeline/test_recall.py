"""Recall of an approximate vector index: measured before the switch, kept, and refused below a floor."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from memory_store.store import MemoryStore
from qdrant_client import QdrantClient

from searchsocket.errors import RecallTooLow
from searchsocket.extensions.qdrant.tables import QdrantTable, QdrantTables
from searchsocket.pipeline.run import remote_index
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.remote_index import measure_recall
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import VectorLimits
from searchsocket.testing.store.samples import EAST, fill, random_units, record
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Recall, Record, Vector, Vectors
from tests.pipeline.conftest import Site

NEAREST = QdrantTable.nearest


class Lossy:
    """The vectors of a generation, some of which are never returned."""

    limits = VectorLimits(is_remote=True, index="hnsw m=4", is_exact=False)

    def __init__(self, reader: IndexReader, is_lost: Callable[[str], bool]) -> None:
        self._vectors = reader.vectors
        self._is_lost = is_lost

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        hits = self._vectors.nearest(vector, top_k=500, where=where)
        return [hit for hit in hits if not self._is_lost(hit.id)][:top_k]


def measured(
    records: list[Record], vectors: Vectors, is_lost: Callable[[str], bool] = lambda _: False, **options: object
) -> Recall:
    reader = fill(MemoryStore("shop"), records, vectors)
    lossy = replace(reader, vectors=Lossy(reader, is_lost))  # type: ignore[type-var]
    by_id = {each.id: vector for each, vector in zip(records, vectors, strict=True)}
    return measure_recall(lossy, lambda some: np.array([by_id[hit.id] for hit in some]), top_k=50, **options)  # type: ignore[arg-type]


def test_the_share_of_the_ten_nearest_is_that_of_a_comparison_with_all() -> None:
    """Records that pages hide are no neighbours, and a record is none of itself."""
    records = [record(f"r{n:03}", f"/{n}", weight=0.0 if n % 10 == 9 else 1.0) for n in range(300)]
    vectors = random_units(300)
    visible = [n for n in range(300) if n % 10 != 9]
    shares = []
    for query in visible[:14]:
        others = np.array([n for n in visible if n != query])
        nearest = others[np.argsort(-(vectors[others] @ vectors[query]), kind="stable")][:10]
        shares.append(np.mean(nearest % 3 != 0))
    recall = measured(records, vectors, lambda record_id: int(record_id[1:]) % 3 == 0)
    assert recall == Recall(round(float(np.mean(shares)), 4), 14)
    assert measured(records, vectors) == Recall(1.0, 14)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_small_site_has_fewer_neighbours(count: int) -> None:
    records = [record(f"r{n}", f"/{n}") for n in range(count)]
    assert measured(records, random_units(count)) == Recall(1.0, count)
    lost = measured(records, random_units(count), lambda record_id: record_id == "r0")
    others = [0.0 if n == 0 else 1 / (count - 1) for n in range(count)] if count > 1 else [0.0]
    assert lost.recall10 == pytest.approx(1 - np.mean(others), abs=1e-3)


def test_records_that_score_alike_count_as_each_other() -> None:
    records = [record(f"r{n:02}", f"/{n}") for n in range(30)]
    half = measured(records, np.tile(EAST, (30, 1)), lambda record_id: int(record_id[1:]) % 2 == 0)
    assert half == Recall(1.0, 10)


def test_a_slow_server_is_asked_fewer_queries() -> None:
    seconds = iter(range(0, 10_000, 25))
    records = [record(f"r{n:02}", f"/{n}") for n in range(30)]
    assert measured(records, random_units(30), clock=lambda: next(seconds)).queries == 3


@pytest.fixture
def remote(site: Site, monkeypatch: pytest.MonkeyPatch) -> Callable[..., IndexSummary]:
    """Runs of a site of 60 sections, with its vectors in one client of Qdrant's local mode."""
    client = QdrantClient(":memory:")
    monkeypatch.setattr(QdrantTables, "_new_client", lambda tables, kind: client)
    sections = "".join(f"<h2>Part {n}</h2><p>{' '.join(f'word{n}x{i}' for i in range(9))}</p>" for n in range(60))
    site.write("docs/parts.html", "Parts", sections)

    def index(settings: str = "", **options: object) -> IndexSummary:
        (site.root / "searchsocket.toml").write_text(
            '[vector]\nprovider = "qdrant"\n[ranking]\ncandidate_k = 1\n[vector.qdrant]\nindex = "hnsw"\n' + settings
        )
        run = site.run(options=RunOptions(**options))  # type: ignore[arg-type]
        return index_scope(replace(run, environ=run.environ | {"QDRANT_URL": str(site.root / "qdrant")}))

    return index


def live(site: Site) -> Generation:
    generation = site.project.state_dir / "index" / "main"
    name = (generation / "CURRENT").read_text().split()[0]
    facts = json.loads((generation / name / "manifest.json").read_text())["generation"]
    return Generation(**{**facts, "recall": facts["recall"] and Recall(**facts["recall"])})


def lose(monkeypatch: pytest.MonkeyPatch, is_lost: Callable[[int], bool]) -> None:
    """Let the server return other rows for some of the nearest."""

    def lossy(table: QdrantTable, vector: Vector, *, limit: int, where: object) -> Sequence[RowHit]:
        hits = NEAREST(table, vector, limit=500, where=where)  # type: ignore[arg-type]
        return [hit for at, hit in enumerate(hits) if not is_lost(at)][:limit]

    monkeypatch.setattr(QdrantTable, "nearest", lossy)


def test_a_run_measures_keeps_and_refuses(
    site: Site, remote: Callable[..., IndexSummary], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a change of the settings alone, which embeds nothing and writes no row."""
    first = remote()
    assert (live(site).recall, live(site).vector_index) == (
        Recall(1.0, 10),
        "hnsw m=16 ef_construction=100 ef=200",
    )
    assert remote().generation == first.generation, "nothing changed"

    lose(monkeypatch, lambda at: at % 2 == 1)
    with pytest.raises(RecallTooLow) as refused:
        remote("[vector.qdrant.hnsw]\nef = 99\n")
    for words in ("recall@10", "ef=99", "is 0.", "vector.min_recall = 0.9", "raise vector.qdrant.hnsw.ef above 99"):
        assert words in str(refused.value)
    assert (live(site).name, refused.value.code) == (first.generation, "RECALL_TOO_LOW")

    accepted = remote("[vector.qdrant.hnsw]\nef = 99\n", accept_quality_drop=True)
    low = live(site)
    assert low.recall is not None
    assert (low.name, low.vector_index[-5:], 0.4 < low.recall.recall10 < 0.6) == (accepted.generation, "ef=99", True)
    assert (accepted.embeddings["created"], accepted.records["upserted"]) == (0, 0)
    assert any("below 0.9" in warning for warning in accepted.warnings)

    lose(monkeypatch, lambda at: False)
    site.write("docs/faq.html", "FAQ", "<p>Tickets are sold at the pier, and nowhere else.</p>")
    remote("[vector.qdrant.hnsw]\nef = 99\n")
    assert live(site).recall == Recall(1.0, 10), "measured again, since more than 1 % changed"


@pytest.mark.parametrize(
    ("changed_records", "index", "recall"),
    [(6, "hnsw m=4", Recall(0.95, 100, 9)), (7, "hnsw m=4", Recall(0.5, 100)), (0, "hnsw m=8", Recall(0.5, 100))],
    ids=["few changed", "one in a hundred changed", "other parameters"],
)
def test_a_measurement_holds_while_few_records_change(
    site: Site, monkeypatch: pytest.MonkeyPatch, changed_records: int, index: str, recall: Recall
) -> None:
    monkeypatch.setattr(remote_index, "measure_recall", lambda *arguments, **options: Recall(0.5, 100))
    reader = fill(MemoryStore("shop"), [record("a")])
    candidate = replace(reader, vectors=Lossy(reader, bool), generation=replace(reader.generation, records=1_000))  # type: ignore[type-var]
    live = replace(candidate.generation, vector_index=index, recall=Recall(0.95, 100, 3))
    run = site.run(options=RunOptions(accept_quality_drop=True))
    assert remote_index.recall_of(run, candidate, live, changed_records) == recall
    exact = replace(candidate, vectors=reader.vectors)
    assert remote_index.recall_of(run, exact, live, changed_records) is None
