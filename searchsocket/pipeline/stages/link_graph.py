"""Resolve links to known pages; looks up only links whose result may have changed."""

from functools import lru_cache

from searchsocket.state import ScopeState
from searchsocket.system.batches import batches
from searchsocket.web.urls.targets import resolve_target

_BATCH = 5_000


def resolve_links(state: ScopeState) -> None:
    """Resolve new links, and links whose page was added or removed; pages at both ends become dirty.

    Results that were copied from another scope, which has other pages, are all checked.
    """
    links = state.links
    is_searchable = lru_cache(maxsize=100_000)(links.is_searchable)
    redirect_of = lru_cache(maxsize=10_000)(links.redirect_of)
    if state.origin.name():
        for answers in batches(links.answers(), _BATCH):
            with state.transaction():
                for target, url in answers:
                    if url != (resolve_target(target, is_searchable, redirect_of) or ""):
                        links.forget(target, url)
    links.forget_stale()
    for batch in batches(links.unresolved(), _BATCH):
        with state.transaction():
            for target in batch:
                links.resolve(target, resolve_target(target, is_searchable, redirect_of) or "")
    links.set_resolved()
