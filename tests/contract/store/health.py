"""An intact store reports no problems."""

from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import MAIN, everything, fill, record


class HealthContract:
    def test_a_sound_store_has_no_problems(self, store: VectorStore) -> None:
        assert store.verify(MAIN) == []
        fill(store, [record("a")])
        assert store.verify(MAIN) == []
        assert store.repair(MAIN) == []
        assert everything(store.reader(MAIN)) == {"a"}
        assert store.health().ok
