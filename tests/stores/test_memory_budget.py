"""Open scopes of several stores share one budget of memory."""

from pathlib import Path

from search_site import DOCS, MAIN, PROJECT, Site

from searchsocket.stores.local.open_readers import MemoryBudget
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope

OTHER = Scope(PROJECT, "other")


def test_the_least_recently_used_scope_of_all_stores_is_closed(tmp_path: Path) -> None:
    memory = MemoryBudget(2_000_000)  # two small scopes
    stores = [LocalStore(tmp_path / name, PROJECT) for name in ("a", "b")]
    for store in stores:
        Site(store).publish(DOCS)
        store.close_readers()
        store.share_memory(memory)
    first, second = stores
    Site(first).publish(DOCS, OTHER)
    first.close_readers()
    reader = first.reader(MAIN)
    second.reader(MAIN)
    first.reader(MAIN)
    assert len(memory) == 2
    first.reader(OTHER)
    assert second.open_reader(MAIN) is None
    assert first.open_reader(MAIN) is reader
    assert memory.used_bytes <= memory.max_bytes
    first.close_readers()
    assert len(memory) == 0


def test_an_index_above_the_budget_stays_open_alone(tmp_path: Path) -> None:
    memory = MemoryBudget(1)
    store = LocalStore(tmp_path, PROJECT)
    Site(store).publish(DOCS)
    store.close_readers()
    store.share_memory(memory)
    assert store.reader(MAIN) is store.reader(MAIN)
    assert len(memory) == 1
