"""A reader in its own process that searches without a pause while others publish and die."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle
from multiprocessing.connection import Connection
from pathlib import Path

from bench.crashes.sites import questions
from searchsocket.errors import ScopeNotIndexed, SearchSocketError
from searchsocket.models.embedders import make_embedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import open_project
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores import make_store
from searchsocket.stores.base.vector_store import index_digest
from searchsocket.stores.local.store import LocalStore

READY = "ready"
_SHOWN = 3
_WHOLE_EVERY = 20  # questions; then every record of the generation is read as well


def serve(connection: Connection) -> None:
    """For each (root, digests of the indexes that may be live, "" for none) ask until a message comes; then report.

    The report is (number of answers, problems).
    """
    while (order := connection.recv()) is not None:
        root, allowed = order
        connection.send(_ask_until_told(root, allowed, connection))
        connection.recv()  # "stop"


def _ask_until_told(root: Path, allowed: Sequence[str], connection: Connection) -> tuple[int, list[str]]:
    project = open_project(root, {})
    scope = project.scope_named("main")
    store = make_store(project.settings.vector, project.state_dir, project.id)
    assert isinstance(store, LocalStore)
    embedder = make_embedder(project.settings.embeddings, {})
    engine = SearchEngine(store, QueryVectors(lambda _: embedder), project.settings.ranking, lambda: datetime.now(UTC))
    answers = 0
    problems: list[str] = []
    for number, (query, url) in enumerate(cycle(questions())):
        try:
            if number % _WHOLE_EVERY == 0:
                reader = store.reader(scope)
                if reader.generation.digest not in allowed:
                    problems.append(f"generation {reader.generation.name} is neither the old nor the new index")
                if index_digest(reader.numbering.all_fingerprints()) != reader.generation.digest:
                    problems.append(f"generation {reader.generation.name} mixes records")
            answer = engine.search(SearchQuery(query, 1), scope)
            answers += 1
            if [result.url for result in answer.results] != [url]:
                problems.append(f"{query} found {[result.url for result in answer.results]} in {answer.generation}")
        except ScopeNotIndexed:
            if "" not in allowed:
                problems.append("the scope was not indexed for a moment")
        except SearchSocketError as error:
            problems.append(f"{error.code}: {error}")
        if number == 0:
            connection.send(READY)
        if connection.poll():
            break
    return answers, problems[:_SHOWN]
