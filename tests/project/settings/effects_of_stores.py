"""Effects of `vector.options`, `vector.pgvector` and `vector.qdrant`: which database keeps the vectors, and how."""

import gc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import psycopg
import qdrant_client
from qdrant_client import QdrantClient
from qdrant_client.http.models import HnswConfigDiff, QueryResponse, SearchParams

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pgvector.tables import PgvectorTables
from searchsocket.extensions.qdrant.tables import QdrantTables
from searchsocket.pipeline.run.index import index_scope
from searchsocket.stores import make_tables
from searchsocket.stores.base.tables import VectorTables
from searchsocket.stores.installed import GROUP
from searchsocket.testing.store.samples import DIMENSIONS, EAST
from searchsocket.types import Recall
from tests.project.settings.lab import Effect, Lab, outcome

EXAMPLE = Path(__file__).parents[3] / "examples" / "sqlite_store"


def install(lab: Lab) -> None:
    """The example, as an installed package; its file is in the folder of the site."""
    lab.patch.chdir(lab.root)
    lab.patch.syspath_prepend(str(EXAMPLE))
    point = EntryPoint("sqlite", "searchsocket_sqlite:make", GROUP)
    lab.patch.setattr("searchsocket.system.plugins.entry_points", lambda **_: EntryPoints([point]))


def statements(lab: Lab) -> list[str]:
    """Return the statements of a run to Postgres that name a table or an index."""
    written: list[str] = []
    with lab.patch.context() as patch:
        patch.setattr(PgvectorTables, "begin", lambda tables: None)
        patch.setattr(PgvectorTables, "write", lambda tables, sql, values: written.append(sql) or [(None,)])
        _pgvector(lab).create(8)
    return [statement.split(" (")[0] for statement in written if statement.startswith(("CREATE T", "CREATE I", "DROP"))]


def graph(lab: Lab) -> list[str]:
    """The statement by which a run builds the graph."""
    written: list[str] = []
    tables = _pgvector(lab)
    assert isinstance(tables, PgvectorTables)
    with lab.patch.context() as patch, suppress(AssertionError):  # there is no connection to commit
        patch.setattr(PgvectorTables, "write", lambda tables, sql, values: written.append(sql) or [(None,)])
        tables._written["site_8"] = 1
        tables.seal()
    return [statement.partition(" WITH ")[2] for statement in written if statement.startswith("CREATE INDEX")]


def session(lab: Lab) -> object:
    """The number of vectors that a query of Postgres compares."""
    values: dict[str, str] = {}
    connection = SimpleNamespace(execute=lambda sql, pair: values.update([pair]))
    with lab.patch.context() as patch:
        patch.setattr(psycopg, "connect", lambda *arguments, **options: connection)
        tables = _pgvector(lab)
        assert isinstance(tables, PgvectorTables)
        tables._connected(autocommit=True)
    return values.get("hnsw.ef_search")


def connects_with(option: str) -> Callable[[Lab], object]:
    """An option of the connection to Postgres."""

    def observe(lab: Lab) -> object:
        options: dict[str, object] = {}

        def connect(url: str, **arguments: object) -> NoReturn:
            options.update(arguments, url=url)
            raise psycopg.OperationalError("nobody is there")

        with lab.patch.context() as patch:
            patch.setattr(psycopg, "connect", connect)
            with suppress(VectorBackendUnavailable):
                _pgvector(lab).dimensions()
        return options[option]

    return observe


def _pgvector(lab: Lab) -> VectorTables:
    environ = {"POSTGRES_URL": "postgresql://usual", "OTHER_URL": "postgresql://other"}
    return make_tables(lab.project.settings.vector, "site", environ)


def collections(lab: Lab) -> list[str]:
    """Folder and name of every collection of Qdrant after a run."""
    environ = _qdrant_environ(lab)
    index_scope(replace(lab.site.run(), environ=environ))
    results = []
    for path in (environ["QDRANT_URL"], environ["OTHER_URL"]):
        gc.collect()  # the run's client locks the folder
        client = QdrantClient(path=path)
        results += [f"{Path(path).name} {collection.name}" for collection in client.get_collections().collections]
        client.close()
    return results


def asks_with(option: str) -> Callable[[Lab], object]:
    """An option of Qdrant's client."""

    def observe(lab: Lab) -> object:
        options: dict[str, object] = {}

        def connect(**arguments: object) -> NoReturn:
            options.update(arguments)
            raise ValueError("nobody is there")

        with lab.patch.context() as patch:
            patch.setattr(qdrant_client, "QdrantClient", connect)
            environ = _qdrant_environ(lab) | {"QDRANT_URL": "http://127.0.0.1:9"}
            with suppress(VectorBackendUnavailable):
                make_tables(lab.project.settings.vector, "site", environ).dimensions()
        return options[option]

    return observe


def qdrant_graph(lab: Lab) -> tuple[int | None, int | None]:
    """The parameters by which Qdrant builds the graph."""
    tables = make_tables(lab.project.settings.vector, "site", {"QDRANT_URL": "http://127.0.0.1:9"})
    graphs: list[HnswConfigDiff] = []
    client = SimpleNamespace(
        collection_exists=lambda name: True, update_collection=lambda name, hnsw_config: graphs.append(hnsw_config)
    )
    with lab.patch.context() as patch:
        patch.setattr(QdrantTables, "_connected", lambda tables: client)
        tables.create(DIMENSIONS)
    return graphs[0].m, graphs[0].ef_construct


def is_exact(lab: Lab) -> tuple[bool, int | None]:
    """Return True if a query compares all vectors of a server, or else the least number that it compares."""
    tables = make_tables(lab.project.settings.vector, "site", {"QDRANT_URL": "http://127.0.0.1:9"})
    parameters: list[SearchParams] = []

    class Client:
        def query_points(self, name: str, vector: object, **options: Any) -> QueryResponse:
            parameters.append(options["search_params"])
            return QueryResponse(points=[])

    with lab.patch.context() as patch:
        patch.setattr(QdrantTables, "_connected", lambda tables: Client())
        tables.table(DIMENSIONS).nearest(EAST, limit=5, where=[])
    return bool(parameters[0].exact), parameters[0].hnsw_ef


def refused(lab: Lab) -> str:
    """The outcome of a run whose index finds 95 % of the nearest."""
    with lab.patch.context() as patch:
        patch.setattr(
            "searchsocket.pipeline.run.remote_index.measure_recall", lambda *arguments, **options: Recall(0.95, 100)
        )
        return outcome(lambda: index_scope(replace(lab.site.run(), environ=_qdrant_environ(lab))), "vector.min_recall")


def _qdrant_environ(lab: Lab) -> dict[str, str]:
    urls = {"QDRANT_URL": str(lab.root / "usual"), "OTHER_URL": str(lab.root / "other")}
    return urls | {"QDRANT_API_KEY": "the usual key", "OTHER_KEY": "the other key"}


TABLES = [
    "CREATE TABLE site_8", "CREATE INDEX site_8_record ON site_8", "CREATE INDEX site_8_filter ON site_8 USING gin",
    "DROP INDEX IF EXISTS site_8_hnsw",
]  # fmt: skip
POSTGRES, QDRANT = {"vector.provider": "pgvector"}, {"vector.provider": "qdrant"}
POSTGRES_GRAPH = {**POSTGRES, "vector.pgvector.index": "hnsw"}
QDRANT_GRAPH = {**QDRANT, "vector.qdrant.index": "hnsw"}
EFFECTS = (
    Effect("vector.options", {"path": "vectors.sqlite"}, lambda lab: outcome(lab.index, "[vector.options]"),
           "CONFIG_MISSING", "ok", given={"vector.provider": "sqlite"}, prepare=install, anew=True),
    Effect("vector.pgvector.url_env", "OTHER_URL", connects_with("url"), "postgresql://usual", "postgresql://other",
           given=POSTGRES),
    Effect("vector.pgvector.timeout_s", 2.0, connects_with("connect_timeout"), 10, 2, given=POSTGRES),
    Effect("vector.pgvector.table", "shop", statements, TABLES, [table.replace("site", "shop") for table in TABLES],
           given=POSTGRES),
    Effect("vector.pgvector.index", "hnsw", statements, TABLES,
           TABLES[:-1], given=POSTGRES),
    Effect("vector.qdrant.url_env", "OTHER_URL", collections, ["usual site_512"], ["other site_512"], given=QDRANT,
           anew=True),
    Effect("vector.qdrant.collection", "shop", collections, ["usual site_512"], ["usual shop_512"], given=QDRANT,
           anew=True),
    Effect("vector.qdrant.api_key_env", "OTHER_KEY", asks_with("api_key"), "the usual key", "the other key",
           given=QDRANT),
    Effect("vector.qdrant.timeout_s", 2.0, asks_with("timeout"), 10, 2, given=QDRANT),
    Effect("vector.pgvector.hnsw.m", 8, graph, ["(m = 16, ef_construction = 64)"], ["(m = 8, ef_construction = 64)"],
           given=POSTGRES_GRAPH),
    Effect("vector.pgvector.hnsw.ef_construction", 90, graph, ["(m = 16, ef_construction = 64)"],
           ["(m = 16, ef_construction = 90)"], given=POSTGRES_GRAPH),
    Effect("vector.pgvector.hnsw.ef", 90, session, "200", "90", given=POSTGRES_GRAPH),
    Effect("vector.qdrant.index", "hnsw", is_exact, (True, None), (False, 200), given=QDRANT),
    Effect("vector.qdrant.hnsw.m", 8, qdrant_graph, (16, 100), (8, 100), given=QDRANT_GRAPH),
    Effect("vector.qdrant.hnsw.ef_construction", 90, qdrant_graph, (16, 100), (16, 90), given=QDRANT_GRAPH),
    Effect("vector.qdrant.hnsw.ef", 90, is_exact, (False, 200), (False, 90), given=QDRANT_GRAPH),
    Effect("vector.min_recall", 1.0, refused, "ok", "RECALL_TOO_LOW", given=QDRANT_GRAPH, anew=True),
)  # fmt: skip
