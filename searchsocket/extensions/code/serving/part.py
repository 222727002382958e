"""The source code of a project, for answers over it.

`CodeKeeper` updates its index for agents: small changes before an answer, large ones on request.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, partial
from pathlib import Path
from uuid import uuid4

from searchsocket.dollars import dollars
from searchsocket.errors import BudgetMissing, Busy, CodeNotIndexed, InvalidRequest, SearchSocketError
from searchsocket.extensions.code.pipeline.staleness import CodeComparison, configuration_digest
from searchsocket.extensions.code.search.answer import CodeQuery, CodeStatus, CodeSynced
from searchsocket.extensions.code.search.results import ReadNow, is_changed
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.extensions.code.serving.upkeep import CodeUpkeep, open_upkeep
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.models.embedders.queries import vector_for
from searchsocket.project.project import Project, open_project
from searchsocket.search.answer import Note
from searchsocket.search.content.folder import ContentFolder
from searchsocket.serving.content import is_read
from searchsocket.serving.parts import PartContext, RankedFiles
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.text.amounts import count
from searchsocket.types import PageFacts, Scope

MAX_CHANGED = 50  # files that are indexed before an answer; more need a sync
MAX_FIRST_FILES, MAX_FIRST_BYTES = 2_000, 20_000_000  # limits of the first index before an answer: 20 s of CPU
WAIT_S, FIRST_WAIT_S = 10.0, 45.0  # an answer waits so long for its sync; many clients give up after 60 s
_BYTES_A_SECOND = 1_000_000  # of source code that one core indexes with the built-in model
CHANGED, INDEXED = "FILES_CHANGED", "FILES_INDEXED"

_Key = tuple[object, ...]

_MAX_FILES = 50  # in the results of a search for documents


@dataclass(frozen=True, slots=True)
class _Work:
    """Size and start of a sync."""

    files: int
    bytes: int
    began_s: float

    def progress(self, now_s: float) -> str:
        """Describe a sync that still runs."""
        least_s = 1 + self.bytes / _BYTES_A_SECOND
        seconds = f"{now_s - self.began_s:.0f} s so far, at least {least_s:.0f} s in all"
        return f"{_amount(self.files, self.bytes)} are being indexed ({seconds}); send the request again in a moment"


class CodeKeeper:
    """Syncs the source code of one project in a thread, for which an answer waits a while; safe to share."""

    def __init__(
        self,
        project: Project,
        environ: Mapping[str, str],
        *,
        scope: str | None = None,
        may_sync: bool,
        clock: Callable[[], datetime],
    ) -> None:
        """
        Args:
            scope: Scope of the files that are checked out here; None = the branch's. No other scope is written.
            may_sync: False = only report changed files.
        """
        self.may_sync = may_sync
        self._root = project.root
        self._environ = environ
        self._scope = scope
        self._clock = clock
        self._opened = (configuration_digest(self._root), open_upkeep(project, environ))
        self._lock = threading.Lock()
        self._running: Future[CodeSynced] | None = None
        self._work = _Work(0, 0, 0.0)  # of the running sync
        self._last_key: _Key = ()  # stale files before the last sync; a second sync of the same would not help

    def status(self, scope: str) -> CodeStatus:
        """Compare the files of a scope with the index."""
        return self._upkeep().status(scope, self._clock())

    def sync(self, scope: str) -> CodeSynced:
        """Index all changes.

        Raises:
            InvalidRequest: Files of this scope are not checked out here.
            BudgetMissing: The model is paid, and no budget is set for agents.
            Busy: The sync takes longer than a call may; it continues.
        """
        if scope != self._current:
            raise InvalidRequest(f"scope {scope!r} is not checked out here, so its files cannot be indexed")
        self._wait(scope)
        upkeep = self._upkeep()
        comparison = upkeep.compare(scope)
        if comparison.is_dirty:
            upkeep.check_budget(scope)
        return self._result(self._begin(scope, comparison), FIRST_WAIT_S)

    def sync_if_stale(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        """Check the files before an answer about them, and index them first if few changed.

        Args:
            first: Also index files that were never indexed.
            next_step: Text for the note: how the caller can update the index.

        Returns:
            A note if changed files are not searched, or if files were indexed for the first time or for money.

        Raises:
            CodeNotIndexed: The files were never indexed, and are too many.
            BudgetMissing: They were never indexed, the model is paid, and no budget is set for agents.
            Busy: The first sync takes longer than a call may; it continues.
        """
        if scope != self._current:
            return ()
        try:
            return self._sync_if_stale(scope, first=first and self.may_sync and self._may_begin, next_step=next_step)
        except SearchSocketError as error:
            if self._upkeep().live(scope) is None:
                raise
            why = "they are being indexed now" if isinstance(error, Busy) else f"they cannot be indexed: {error}"
            return (Note(CHANGED, f"files changed since it was indexed and were not searched; {why}"),)

    def _sync_if_stale(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        self._wait(scope)
        comparison = self._upkeep().compare(scope)
        if not comparison.is_dirty or (comparison.live is None and not first):
            return ()
        if why := self._too_much(comparison):
            raise CodeNotIndexed(scope, f"{why}; {next_step}")
        try:
            self._upkeep().check_budget(scope)
        except BudgetMissing as error:
            if comparison.live is None:
                raise
            return (_note(comparison, f"not searched yet; {error}"),)
        is_much = comparison.live is not None and (_changed_count(comparison) > MAX_CHANGED or comparison.rules_changed)
        if is_much or not self.may_sync:
            return (_note(comparison, f"not searched yet; {next_step}"),)
        key = _key(comparison, self._root)
        if key == self._last_key:
            return (_note(comparison, "a sync did not index it; see `searchsocket code sync`"),)
        self._last_key = key
        began_s = time.monotonic()
        synced = self._result(self._begin(scope, comparison), WAIT_S if comparison.live else FIRST_WAIT_S)
        return _outcome(synced, time.monotonic() - began_s, is_first=comparison.live is None)

    @cached_property
    def _may_begin(self) -> bool:
        """Return True if code may be indexed without a request: in a repository, or if the settings enable it.

        Another folder may be a whole disk.
        """
        folders = (self._root, *self._root.parents)
        settings = self._opened[1].project.settings.section(CodeSettings)
        return settings.enable or any((folder / ".git").exists() for folder in folders)

    @property
    def _current(self) -> str:
        """The scope whose files are checked out here; "" if it cannot be determined."""
        with suppress(SearchSocketError):
            return self._opened[1].project.scope(self._environ, self._scope).name
        return ""

    def _upkeep(self) -> CodeUpkeep:
        """The upkeep with the current settings."""
        with self._lock:
            digest, upkeep = self._opened
            if (now := configuration_digest(self._root)) != digest:
                upkeep = open_upkeep(open_project(self._root, self._environ), self._environ)
                self._opened = (now, upkeep)
            return upkeep

    def _too_much(self, comparison: CodeComparison) -> str:
        """Return the reason against a first index without a request; "" without a reason."""
        if comparison.live is not None:
            return ""
        files = comparison.files.new
        size = sum(map(self._size, files))
        if len(files) <= MAX_FIRST_FILES and size <= MAX_FIRST_BYTES:
            return ""
        most = f"at most {MAX_FIRST_FILES:,} files and {MAX_FIRST_BYTES // 1_000_000} MB"
        return f"it is {_amount(len(files), size)}, and a first question indexes {most}"

    def _size(self, path: str) -> int:
        try:
            return os.lstat(self._root / path).st_size
        except OSError:
            return 0

    def _begin(self, scope: str, comparison: CodeComparison) -> Future[CodeSynced]:
        upkeep = self._upkeep()
        with self._lock:
            if self._running is not None and not self._running.done():
                return self._running
            self._running = future = Future[CodeSynced]()
            files = [*comparison.files.new, *comparison.files.changed, *comparison.files.marked]
            self._work = _Work(len(files), sum(map(self._size, files)), time.monotonic())

        def work() -> None:
            try:
                future.set_result(upkeep.sync(scope, str(uuid4()), comparison))
            except BaseException as error:  # noqa: BLE001  (the waiting caller gets it)
                future.set_exception(error)

        # A daemon: a client that exits does not wait for it, and the live index stays.
        threading.Thread(target=work, name="code-sync", daemon=True).start()
        return future

    def _wait(self, scope: str) -> None:
        """Wait for a running sync, since it may have begun before the last edit.

        Raises:
            Busy: The sync takes longer.
        """
        running = self._running
        if running is not None and not running.done():
            is_first = self._upkeep().live(scope) is None
            self._result(running, FIRST_WAIT_S if is_first else WAIT_S)

    def _result(self, future: Future[CodeSynced], wait_s: float) -> CodeSynced:
        try:
            return future.result(wait_s)
        except TimeoutError as error:
            if future.done():
                raise
            raise Busy(self._work.progress(time.monotonic())) from error


def _amount(files: int, size: int) -> str:
    return f"{count(files, 'file')} and {size / 1e6:,.1f} MB"


def _outcome(synced: CodeSynced, seconds: float, *, is_first: bool) -> tuple[Note, ...]:
    """Return a note about the first index, and about charges."""
    cost = f"; the embedding provider charged {dollars(synced.cost_usd)}" if synced.cost_usd else ""
    if is_first:
        first = f"{count(synced.files, 'file')} were indexed for the first time, in {seconds:.0f} s"
        return (Note(INDEXED, f"{first}{cost}"),)
    return (Note(INDEXED, f"changed files were indexed first{cost}"),) if cost else ()


def _changed_count(comparison: CodeComparison) -> int:
    files = comparison.files
    return len(files.changed) + len(files.new) + len(files.deleted) + len(files.marked)


def _note(comparison: CodeComparison, consequence: str) -> Note:
    number = _changed_count(comparison)
    change = f"{count(number, 'file')} changed" if number else "files, settings or the way to split files changed"
    return Note(CHANGED, f"{change} since it was indexed: {consequence}")


def _key(comparison: CodeComparison, root: Path) -> _Key:
    """Identify all stale files by their sizes and times, so that every edit changes the key."""

    def stamp(path: str) -> tuple[int, int] | None:
        try:
            info = os.lstat(root / path)
        except OSError:
            return None
        return info.st_size, info.st_mtime_ns

    files = comparison.files
    stamps = tuple((path, stamp(path)) for path in (*files.changed, *files.new, *files.marked))
    flags = (comparison.configuration_changed, comparison.unpublished, comparison.live is None)
    return (stamps, files.deleted, *flags)


class CodeFolder(ContentFolder):
    """The source files of a scope."""

    has_urls = False

    def file_path(self, url: str) -> str:
        return url[1:]

    def text(self, url: str) -> tuple[str, int]:
        return self.reader.catalogue.page_body(url) or "", 0

    def _url(self, file_path: str) -> str:
        return f"/{file_path}"


@dataclass(frozen=True, slots=True)
class CodePart:
    """Implements `Part`."""

    service: Callable[[], CodeService]  # opened at the first use
    keeper: CodeKeeper | None  # of the index; None: it is not kept up to date

    @property
    def may_sync(self) -> bool:
        return self.keeper is not None and self.keeper.may_sync

    def folder(self, folder_id: str, scope: Scope, *, anonymous: bool) -> ContentFolder:
        """Open the source files of a scope."""
        code = self.service()
        queries = code.engine.queries
        reader, read_now = code.engine.opened(code.home.scope_named(scope.name))
        embed = partial(vector_for, queries, reader.generation, anonymous=anonymous)
        changed = partial(_is_file_changed, reader, read_now)
        return CodeFolder(folder_id, reader, embed, changed, partial(is_read, queries, reader.generation))

    def find_documents(self, query: str, scope: str) -> RankedFiles:
        """Search for source files."""
        answer = self.service().search(CodeQuery(query, _MAX_FILES, max_per_file=1), scope)
        urls, scores = [f"/{result.file}" for result in answer.results], [result.score for result in answer.results]
        return RankedFiles(urls, scores, answer.generation)

    def sync_if_stale(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        """Check the files before an answer, and index them first if few changed; return notes for the answer."""
        return self.keeper.sync_if_stale(scope, first=first, next_step=next_step) if self.keeper else ()

    def check(self, scope: str) -> None:
        """Open the index."""
        self.service().generation(scope)


def _is_file_changed(reader: IndexReader, read_now: ReadNow, page: PageFacts) -> bool | None:
    """Return True if a source file has other bytes than indexed; None if it was deleted."""
    data = read_now(page.source_file)
    return None if data is None else is_changed(reader.catalogue.page_digest(page.url), data)


def open_part(context: PartContext) -> CodePart:
    """Open the source code of a project; its index is opened at the first use."""
    project, environ, clock = context.project, context.environ, context.clock
    service = cache(partial(open_code, project, environ, clock=clock, on_error=context.on_error, site=context.site))
    keeping = context.keeping
    if keeping is None:
        return CodePart(service, None)
    keeper = CodeKeeper(project, environ, scope=keeping.scope, may_sync=keeping.may_sync, clock=clock)
    return CodePart(service, keeper)
