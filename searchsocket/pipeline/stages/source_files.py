"""Record the bytes of the files that make the pages of a scope, so that answers can name files that changed since."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress

from searchsocket.errors import StateUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state import ScopeState
from searchsocket.state.source_files import SourceFile, SourceFiles
from searchsocket.system.locators import path_of

_ALL_PAGES = -1  # SQLite: no limit


def note_source_files(run: ScopeRun, state: ScopeState, cut_files: Iterable[str]) -> None:
    """Store the digests of files whose pages were cut, and of known files whose bytes changed.

    A file that changed without a change of its page is noted too, if the page was built after that. Otherwise an edit
    that changes no text would count as a change for ever.

    Args:
        cut_files: The files of the pages that this run cut, relative to the project.
    """
    if run.workspace is not None or run.source_kind.reads_commit or run.source_kind.is_remote:
        return  # a dry run, or no files of this machine
    root, store, scope = str(run.project.root), SourceFiles(run.project.state_dir), run.scope.name
    own, origin = store.all(scope), state.origin.name()
    known = own or (store.all(origin) if origin else {})  # a new scope shares its pages with the origin
    now_ns = time.time_ns()
    changed = {file: found for file in set(cut_files) if (found := SourceFile.read(_path(root, file), now_ns))}
    gone: list[str] = []
    edited: dict[str, tuple[SourceFile, int]] = {}
    for file, before in known.items():
        if file in changed:
            continue
        try:
            info = os.lstat(_path(root, file))
        except OSError:
            gone.append(file)
            continue
        if before.has_stamp(info) or (found := SourceFile.read(_path(root, file), now_ns)) is None:
            continue
        if found.digest == before.digest:
            changed[file] = found
        else:
            edited[file] = (found, info.st_mtime_ns)
    if edited:
        built_ns = _built_ns(run, state)
        changed |= {file: found for file, (found, mtime_ns) in edited.items() if mtime_ns <= built_ns}
    if changed or gone or len(known) > len(own):
        with suppress(StateUnavailable):  # then changes are unknown, and the next run tries again
            store.put(scope, {**({} if own else known), **changed}, gone)


def _path(root: str, file: str) -> str:
    return os.path.join(root, path_of(file))


def _built_ns(run: ScopeRun, state: ScopeState) -> int:
    """Return the time of the newest page of a build; of content files, which this run has read, a time after all."""
    if not run.source_kind.is_build:
        return time.time_ns()
    source = run.make_source()
    times = (source.modified(page.locator) for page in state.pages.biggest(_ALL_PAGES))
    return int(1e9 * max(filter(None, times), default=0.0))
