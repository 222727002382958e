"""A Milvus that ignores the filter of a query: rows of another scope reach no answer."""

from pathlib import Path
from typing import Any

import pytest

from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.rows import ID
from searchsocket.testing.store.samples import DRAFT, EAST, MAIN, fill, record
from tests.extensions.milvus.faults.milvus_shop import store_at


def test_rows_of_another_scope_reach_no_answer(
    tmp_path: Path, milvus: MilvusConnection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_at(tmp_path / "index", milvus, name)
    fill(store, [record(each) for each in "abc"])
    fill(store, [record(each, scope=DRAFT) for each in ("secret", "hidden")], scope=DRAFT)
    returned: set[str] = set()

    def mixing(verb: str, *arguments: Any, **options: Any) -> Any:
        if verb in ("search", "query"):
            options["filter"] = ""
        answer = call(verb, *arguments, **options)
        if verb == "search":
            returned.update(hit["entity"][ID] for hit in answer[0])
        return answer

    call = milvus.call
    monkeypatch.setattr(milvus, "call", mixing)
    hits = store_at(tmp_path / "index", milvus, name).reader(MAIN).vectors.nearest(EAST, top_k=10)
    assert {"secret", "hidden"} <= returned, "the server did mix them"
    assert {hit.id for hit in hits} == {"a", "b", "c"}
