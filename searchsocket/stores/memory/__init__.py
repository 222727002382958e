"""The store in memory: what every store promises, as short as it can be said; for tests, and for whoever adds one."""

from searchsocket.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
