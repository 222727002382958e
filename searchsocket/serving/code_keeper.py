"""Keep the index of the source code up to date while agents ask: few changes at once, many when they say so."""

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from uuid import uuid4

from searchsocket.errors import Busy, CodeNotIndexed, InvalidRequest, SearchSocketError
from searchsocket.pipeline.code.staleness import configuration_digest
from searchsocket.pipeline.code.status import CodeStanding
from searchsocket.project.project import Project, open_project
from searchsocket.search.answer import Note
from searchsocket.serving.code_upkeep import CodeStatus, CodeSynced, CodeUpkeep, open_upkeep
from searchsocket.text.amounts import count

MAX_CHANGED = 50  # files that a question indexes first; more wait for a sync
MAX_FIRST_FILES, MAX_FIRST_BYTES = 2_000, 20_000_000  # of source code that a first question indexes: 20 s of CPU
WAIT_S, FIRST_WAIT_S = 10.0, 45.0  # of a question for its sync; many clients give up after 60 s
CHANGED = "FILES_CHANGED"

_Key = tuple[object, ...]


class CodeKeeper:
    """Syncs the source code of one project in a thread, which a question awaits for a while; safe to share."""

    def __init__(
        self,
        project: Project,
        environ: Mapping[str, str],
        *,
        scope: str | None = None,
        may_sync: bool,
        clock: Callable[[], datetime],
        upkeep: Callable[[Project, Mapping[str, str]], CodeUpkeep] = open_upkeep,
    ) -> None:
        """
        Args:
            scope: Of the files that are checked out here; None: of the branch. No other is ever written.
            may_sync: False: changed files are named only.
        """
        self.may_sync = may_sync
        self._root = project.root
        self._environ = environ
        self._scope = scope
        self._clock = clock
        self._open = upkeep
        self._opened = (configuration_digest(self._root), upkeep(project, environ))
        self._lock = threading.Lock()
        self._running: Future[CodeSynced] | None = None
        self._tried: _Key = ()  # what was stale before the last sync: the same again would not help

    def status(self, scope: str) -> CodeStatus:
        """See `CodeUpkeep.status`."""
        return self._upkeep().status(scope, self._clock())

    def sync(self, scope: str) -> CodeSynced:
        """Index what changed, however much it is.

        Raises:
            InvalidRequest: Files of this scope are not checked out here.
            Busy: It takes longer than a call may; it goes on.
        """
        if scope != self._current:
            raise InvalidRequest(f"scope {scope!r} is not checked out here, so its files cannot be indexed")
        self._wait(scope)
        return self._finished(self._begin(scope, self._upkeep().standing(scope)), FIRST_WAIT_S)

    def freshen(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        """Look at the files before a question about them; index them first if few changed.

        Args:
            first: Index them also if they never were.
            next_step: What brings the index up to date otherwise.

        Returns:
            A note if changed files are not searched.

        Raises:
            CodeNotIndexed: They never were, and are too many.
            Busy: They never were, and the first sync takes longer than a call may; it goes on.
        """
        if scope != self._current:
            return ()
        try:
            return self._freshen(scope, first=first and self.may_sync and self._may_begin, next_step=next_step)
        except SearchSocketError as error:
            if self._upkeep().live(scope) is None:
                raise
            why = "they are being indexed now" if isinstance(error, Busy) else f"they cannot be indexed: {error}"
            return (Note(CHANGED, f"files changed since it was indexed and were not searched; {why}"),)

    def _freshen(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        self._wait(scope)
        standing = self._upkeep().standing(scope)
        if not standing.is_dirty or (standing.live is None and not first):
            return ()
        if why := self._too_much(standing):
            raise CodeNotIndexed(scope, f"{why}; {next_step}")
        is_much = standing.live is not None and (_changed(standing) > MAX_CHANGED or standing.rules_changed)
        if is_much or not self.may_sync:
            return (_note(standing, f"not searched yet; {next_step}"),)
        key = _key(standing, self._root)
        if key == self._tried:
            return (_note(standing, "a sync did not index it; see `searchsocket code sync`"),)
        self._tried = key
        self._finished(self._begin(scope, standing), WAIT_S if standing.live else FIRST_WAIT_S)
        return ()

    @cached_property
    def _may_begin(self) -> bool:
        """Code is indexed unasked in a repository, or if the settings say so: another folder may be a whole disk."""
        folders = (self._root, *self._root.parents)
        return self._opened[1].project.settings.code.enable or any((one / ".git").exists() for one in folders)

    @property
    def _current(self) -> str:
        """The scope whose files are checked out here; "" if none can be told."""
        with suppress(SearchSocketError):
            return self._opened[1].project.scope(self._environ, self._scope).name
        return ""

    def _upkeep(self) -> CodeUpkeep:
        """The upkeep by the settings as they are now."""
        with self._lock:
            digest, upkeep = self._opened
            if (now := configuration_digest(self._root)) != digest:
                upkeep = self._open(open_project(self._root, self._environ), self._environ)
                self._opened = (now, upkeep)
            return upkeep

    def _too_much(self, standing: CodeStanding) -> str:
        """The reason against a first index that nobody asked for; "" if there is none."""
        if standing.live is not None:
            return ""
        files = standing.files.new
        size = sum(map(self._size, files))
        if len(files) <= MAX_FIRST_FILES and size <= MAX_FIRST_BYTES:
            return ""
        most = f"at most {MAX_FIRST_FILES:,} files and {MAX_FIRST_BYTES // 1_000_000} MB"
        return f"it is {count(len(files), 'file')} and {size / 1e6:,.0f} MB, and a first question indexes {most}"

    def _size(self, path: str) -> int:
        try:
            return os.lstat(self._root / path).st_size
        except OSError:
            return 0

    def _begin(self, scope: str, standing: CodeStanding) -> Future[CodeSynced]:
        upkeep = self._upkeep()
        with self._lock:
            if self._running is not None and not self._running.done():
                return self._running
            self._running = future = Future[CodeSynced]()

        def work() -> None:
            try:
                future.set_result(upkeep.sync(scope, str(uuid4()), standing))
            except BaseException as error:  # noqa: BLE001  (whoever awaits it gets it)
                future.set_exception(error)

        # A daemon, like the one that warms up: a client that goes waits for nothing, and the live index stays.
        threading.Thread(target=work, name="code-sync", daemon=True).start()
        return future

    def _wait(self, scope: str) -> None:
        """Let a sync that is under way end, since it may have begun before the last edit.

        Raises:
            Busy: It takes longer.
        """
        running = self._running
        if running is not None and not running.done():
            is_first = self._upkeep().live(scope) is None
            self._finished(running, FIRST_WAIT_S if is_first else WAIT_S)

    def _finished(self, future: Future[CodeSynced], wait_s: float) -> CodeSynced:
        try:
            return future.result(wait_s)
        except TimeoutError as error:
            if future.done():
                raise
            raise Busy("the source code is being indexed; ask again in a moment") from error


def _changed(standing: CodeStanding) -> int:
    files = standing.files
    return len(files.changed) + len(files.new) + len(files.deleted) + len(files.marked)


def _note(standing: CodeStanding, rest: str) -> Note:
    number = _changed(standing)
    what = f"{count(number, 'file')} changed" if number else "the settings or the way to split files changed"
    return Note(CHANGED, f"{what} since it was indexed: {rest}")


def _key(standing: CodeStanding, root: Path) -> _Key:
    """Everything that is stale, with the sizes and times of the files: another edit is another key."""

    def stamp(path: str) -> tuple[int, int] | None:
        try:
            info = os.lstat(root / path)
        except OSError:
            return None
        return info.st_size, info.st_mtime_ns

    files = standing.files
    stamps = tuple((path, stamp(path)) for path in (*files.changed, *files.new, *files.marked))
    flags = (standing.configuration_changed, standing.unpublished, standing.live is None)
    return (stamps, files.deleted, *flags)
