"""Find and remove the embeddings that no scope of any project uses.

An embedding is used if its text is in the state of a recorded home, or in a live, kept or refused generation of it.
The model does not matter: a state does not record the models that its texts were embedded with.
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from searchsocket.errors import ConfigError, ScopeLocked, SearchSocketError, StateUnavailable
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.cache_place import MAX_HOMES, Home, Homes
from searchsocket.state import ProjectState
from searchsocket.stores.local.catalogue.texts import generation_texts


@dataclass(frozen=True, slots=True)
class Unused:
    """Embeddings that no project uses."""

    texts: int  # embeddings
    bytes: int  # of their vectors
    unknown: int  # embeddings of unknown use: older than the records, or never used here
    homes: int  # homes that were checked


def prune_unused(cache: EmbeddingCache, *, apply: bool, gone: Collection[Path] = ()) -> Unused:
    """Remove the embeddings that no recorded home uses, in one transaction.

    Embeddings used today or yesterday, and those of unknown use, are kept. The locks of all scopes are taken for the
    time of the removal.

    Args:
        apply: False only counts.
        gone: State folders of homes that no longer exist; they are removed from the list.

    Raises:
        ScopeLocked: A run works on a scope.
        StateUnavailable: A home, or the cache, cannot be read or written.
        ConfigError: A state folder in `gone` is not recorded.
    """
    records = Homes(cache.path)
    homes = records.all()
    if unrecorded := sorted(set(gone) - {home.state for home in homes}):
        raise ConfigError(
            f"{unrecorded[0]} is not recorded as using the cache; `searchsocket cache info` lists the recorded ones"
        )
    remaining = [home for home in homes if home.state not in gone]
    if len(remaining) >= MAX_HOMES:
        raise StateUnavailable(
            f"{len(homes):,} projects are recorded as using {cache.path}, which is the limit; remove those that "
            f"no longer exist with `searchsocket cache prune --unused --apply --forget-home PATH`"
        )
    since = records.since()
    with ExitStack() as locks:
        for home in remaining:
            _lock_scopes(home, locks)
        used = (text for home in remaining for text in _texts_of(home))
        texts, size, unknown = cache.unused(used, made_after=since, remove=apply)
    if apply:
        for state in gone:
            records.forget(state)
    return Unused(texts, size, unknown, len(remaining))


def _lock_scopes(home: Home, locks: ExitStack) -> None:
    state = ProjectState(home.state)
    try:
        for scope in state.scopes():
            locks.enter_context(state.lock(scope))
    except ScopeLocked as error:
        raise ScopeLocked(f"{error.scope} in {home.state}", error.owner) from error
    except SearchSocketError as error:
        raise _unreadable(home, error) from error


def _texts_of(home: Home) -> Iterator[bytes]:
    """Yield the hashes that a home uses; some more than once."""
    try:
        yield from map(bytes.fromhex, ProjectState(home.state).texts())
        yield from map(bytes.fromhex, generation_texts(home.index))
    except (SearchSocketError, ValueError, TypeError) as error:
        raise _unreadable(home, error) from error


def _unreadable(home: Home, error: Exception) -> StateUnavailable:
    return StateUnavailable(
        f"could not read which embeddings {home.state} uses, so nothing was deleted ({error}); run `searchsocket index "
        f"--project "
        f"{home.project}`, or, if it no longer exists, `searchsocket cache prune --unused "
        f"--forget-home {home.state}`"
    )
