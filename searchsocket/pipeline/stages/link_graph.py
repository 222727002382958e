"""Resolve links to known pages; looks up only targets whose result may have changed."""

from functools import lru_cache

from searchsocket.state import ScopeState
from searchsocket.system.batches import batches
from searchsocket.web.urls.targets import resolve_target

_BATCH = 5_000


def resolve_links(state: ScopeState) -> None:
    """Resolve new targets, and those whose page was added or removed; pages at both ends become dirty."""
    links = state.links
    is_searchable = lru_cache(maxsize=100_000)(links.is_searchable)
    redirect_of = lru_cache(maxsize=10_000)(links.redirect_of)
    for batch in batches(links.open_targets().items(), _BATCH):
        with state.transaction():
            for target, before in batch:
                links.resolve(target, before, resolve_target(target, is_searchable, redirect_of) or "")
    links.set_resolved()
