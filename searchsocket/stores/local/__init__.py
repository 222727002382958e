"""The embedded index; see `store.py` for its shape on disk."""

from searchsocket.stores.local.store import LocalStore

__all__ = ["LocalStore"]
