"""A vector service that mixes scopes: rows of another scope reach no answer."""

from pathlib import Path
from typing import Any

import pytest

from searchsocket.testing.store.samples import DRAFT, EAST, MAIN, fill, record
from tests.extensions.pinecone.pinecone_shop import KEY, store_at
from tests.extensions.pinecone.server import documents
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service


def test_rows_of_another_scope_reach_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret branch of the same project, and it is nearer to the query than any row of the scope."""
    real = documents.VERBS["search"]
    mixed: list[str] = []

    def search(index: Any, name: str, body: Any) -> Any:
        answer, headers = real(index, name, body)
        for other in sorted(set(index.namespaces) - {name}):
            foreign, _ = real(index, other, {**body, "filter": None})
            mixed.extend(match["_id"] for match in foreign["matches"])
            answer["matches"] = [*foreign["matches"], *answer["matches"]]
        return answer, headers

    with running(Service(key=KEY)) as service:
        store = store_at(tmp_path / "index", service)
        fill(store, [record(name) for name in "abc"])
        fill(store, [record(name, scope=DRAFT) for name in ("secret", "hidden")], scope=DRAFT)
        monkeypatch.setitem(documents.VERBS, "search", search)
        hits = store_at(tmp_path / "index", service).reader(MAIN).vectors.nearest(EAST, top_k=10)
    assert mixed, "the service did mix them"
    assert {hit.id for hit in hits} == {"a", "b", "c"}
