"""Watch the file system for any change, and decide when to index a new state of the site: once it is complete.

`Targets` are the files and folders that a scope's index depends on.
"""

import hashlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

import watchfiles

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.builds import Build, below, build_of
from searchsocket.pipeline.run.context import ScopeRun, corpora_of
from searchsocket.pipeline.unchanged.inputs import files_and_folders
from searchsocket.pipeline.unchanged.snapshot import CONFIGURATION, bytes_of
from searchsocket.pipeline.watching.whole import Wait, Wholeness
from searchsocket.sources.build_folder import find_build
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.system.git import ask_git

_STEP_MS = 50
_DEBOUNCE_MS = 200
_TIMEOUT_MS = 500
_READY_S = 30.0
_IGNORED = frozenset({"node_modules", "__pycache__"})
_MAGIC = "*?["

_CRAWLED = Build("crawled", 0)  # only a run reads pages from another host


class Watcher:
    """Watches files and folders, existing or not; use it from one thread.

    A folder that a build deletes and makes again is lost to the system's watch. So the folders above it are watched
    too, and `cover` attaches again if a new folder has appeared.
    """

    def __init__(self, ignored: Path) -> None:
        """
        Args:
            ignored: A folder whose changes are ignored: that of the state.
        """
        self._ignored = os.path.realpath(ignored)
        self._changed = threading.Event()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._covered: object = None

    def cover(self, files: Sequence[str], folders: Sequence[str]) -> None:
        """Watch these paths, and return once the watch is active: later changes are detected."""
        inside = [folder for folder in folders if os.path.isdir(folder)]
        above = sorted({_nearest(os.path.dirname(path)) for path in (*files, *folders)} - set(inside))  # noqa: PTH120
        covered = [(path, os.stat(path).st_ino) for path in (*inside, *above)]
        if covered == self._covered:
            return
        self.close()
        self._stop = threading.Event()
        ready = [self._attach(inside, recursive=True)] if inside else []
        ready += [self._attach(above, recursive=False)] if above else []
        for event in ready:
            event.wait(_READY_S)
        self._covered = covered
        self._changed.set()  # something may have changed in between

    def wait(self, timeout_s: float) -> bool:
        """Wait for a change since the last call, up to the timeout; return True if there was one."""
        changed = self._changed.wait(timeout_s)
        self._changed.clear()
        return changed

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._covered = None

    def _attach(self, paths: Sequence[str], *, recursive: bool) -> threading.Event:
        ready = threading.Event()
        thread = threading.Thread(target=self._watch, args=(paths, recursive, ready), name="watch", daemon=True)
        thread.start()
        self._threads.append(thread)
        return ready

    def _watch(self, paths: Sequence[str], recursive: bool, ready: threading.Event) -> None:
        for polling in (None, True):  # poll if the system has no watch left
            try:
                for changes in watchfiles.watch(
                    *paths,
                    watch_filter=self._counts,
                    debounce=_DEBOUNCE_MS,
                    step=_STEP_MS,
                    stop_event=self._stop,
                    rust_timeout=_TIMEOUT_MS,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                    force_polling=polling,
                    recursive=recursive,
                    ignore_permission_denied=True,
                ):
                    ready.set()
                    if changes:
                        self._changed.set()
            except OSError:
                continue
            break
        ready.set()

    @property
    def _counts(self) -> Callable[[watchfiles.Change, str], bool]:
        def counts(_: watchfiles.Change, path: str) -> bool:
            if path == self._ignored or path.startswith(f"{self._ignored}{os.sep}"):
                return False
            return not path.endswith("~") and not _IGNORED & set(Path(path).parts)

        return counts


def _nearest(folder: str) -> str:
    """The folder, or its innermost existing parent."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)  # noqa: PTH120
    with suppress(OSError):
        return os.path.realpath(folder)
    return folder


@dataclass(frozen=True, slots=True)
class Targets:
    """Files, and folders with everything in them, that affect the index; including missing ones that may appear."""

    files: tuple[str, ...]
    folders: tuple[str, ...]
    settings: tuple[str, ...]  # the files with the configuration
    build: str = ""  # the folder of the built site


def targets_of(run: ScopeRun) -> Targets:
    """The local files and folders that a run over a scope reads."""
    root = run.project.root
    files, folders = files_and_folders(run)
    content = run.project.settings.source.content_files
    base = os.path.join(root, content.base_dir)
    build = ""
    with suppress(SearchSocketError, OSError):
        source = run.make_source()
        if isinstance(source, StaticOutputSource):
            build = os.path.normpath(os.path.join(root, source.origin.folder))
            others = {os.path.normpath(os.path.join(root, name)) for name in find_build(root).candidates_checked}
            folders = (*(folder for folder in folders if os.path.normpath(folder) not in others), build)
        elif isinstance(source, ContentFilesSource):
            stems = {os.path.normpath(os.path.join(base, _stem(glob))) for glob in content.globs}
            folders = tuple(sorted({*folders, *(stem for stem in stems if stem != os.path.normpath(root))}))
        elif globs := run.project.settings.source.of_mode(source.kind.mode).watched():
            folders = (*folders, *(os.path.join(root, _stem(glob)) for glob in globs if _stem(glob)))
            files = (*files, *(os.path.join(root, glob) for glob in globs if not _stem(glob)))
        elif isinstance(source, GitBranchSource):
            git = _git_folder(root / run.project.settings.source.git.repo_dir)
            folders, files = (os.path.join(git, "refs"),), (*files, os.path.join(git, "packed-refs"))
    if len(corpora_of(run.project.settings)) > 1:  # the others read files of the whole project
        folders = (*folders, *_source_folders(run))
    return Targets(files, _outermost(folders), settings_files(root), build)


def settings_files(root: Path) -> tuple[str, ...]:
    """The files that contain the configuration of a project."""
    return tuple(os.path.join(root, name) for name in CONFIGURATION)


def _stem(glob: str) -> str:
    """The folder at the start of a glob: `docs` of `docs/**/*.md`."""
    parts = glob.split("/")[:-1]
    return "/".join(parts[: next((i for i, part in enumerate(parts) if set(part) & set(_MAGIC)), len(parts))])


def _source_folders(run: ScopeRun) -> Iterator[str]:
    for entry in os.scandir(run.project.root):
        if entry.is_dir() and not entry.name.startswith(".") and entry.name not in _IGNORED:
            yield entry.path


def _outermost(folders: Sequence[str]) -> tuple[str, ...]:
    """The folders without those inside another one."""
    outermost: list[str] = []
    for folder in sorted(set(map(os.path.normpath, folders))):
        if not any(folder.startswith(f"{other}{os.sep}") for other in outermost):
            outermost.append(folder)
    return tuple(outermost)


def _git_folder(folder: Path) -> str:
    """The folder of a repository's refs, also for a worktree; the usual place if git cannot tell."""
    with suppress(OSError, subprocess.SubprocessError):
        return ask_git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return os.path.join(folder, ".git")


@dataclass(frozen=True, slots=True)
class SiteState:
    """State of the site at one moment."""

    digest: str  # of all inputs of the index; "" = there is no build, or it was just deleted
    settings_digest: str  # of the configuration only
    changed_ns: int  # when the youngest file or folder changed
    build: str = ""  # digest of the build alone


def scan_site(run: ScopeRun, targets: Targets, settings: str) -> SiteState:
    """Read the state of the site once; of large inputs, only names, sizes and times.

    Args:
        settings: Digest of the settings files, taken before the project was read from them. If they changed since, the
            next scan has another digest.
    """
    try:
        build = _CRAWLED if run.source_kind.is_remote else build_of(run) or Build("", 0)
        others, youngest = hashlib.sha256(), build.changed_ns
        for folder in targets.folders:
            if folder == targets.build or not os.path.isdir(folder):
                continue
            for path, info in below(folder):
                youngest = max(youngest, info.st_ctime_ns)
                stamp = f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_ctime_ns}\n"
                others.update(stamp.encode("utf-8", "replace"))
        files = bytes_of(targets.files)
    except OSError:  # files are changing right now
        return SiteState("", settings, 0)
    digest = f"{build.digest}:{others.hexdigest()}:{files}:{settings}" if build.digest else ""
    return SiteState(digest, settings, youngest, build.digest)


class Step(Enum):
    """Next step for a state of the site."""

    INDEX = auto()
    WAIT = auto()  # it is new, and may be incomplete
    NOTHING = auto()  # it was already indexed, or refused
    NO_BUILD = auto()


@dataclass(slots=True)
class IndexScheduler:
    """Decides the next step for successive states of the site."""

    wholeness: Wholeness
    root: Path  # the project's folder
    tried_digest: str = ""  # of the state that was indexed last, even if that failed
    due_ns: int | None = None  # when to read the site again without an event; since the epoch
    last_digest: str = ""  # of the last read state
    first_seen_ns: int = 0  # when that digest appeared
    wait: Wait | None = None  # of the last new state

    def step(self, state: SiteState, build: str, now_ns: int) -> Step:
        """The next step now.

        Args:
            build: Absolute path of the build folder; "" = there is none.
            now_ns: Current time, by the clock of the files' times.
        """
        self.due_ns = None
        if state.digest != self.last_digest:
            self.last_digest, self.first_seen_ns = state.digest, now_ns
        if not state.digest:
            return Step.NO_BUILD
        if state.digest == self.tried_digest:
            return Step.NOTHING
        self.wait = wait = self.wholeness.wait(build, self.root)
        due_ns = (self.first_seen_ns if wait.from_now else state.changed_ns) + int(wait.seconds * 1e9)
        if now_ns < due_ns:
            self.due_ns = due_ns
            return Step.WAIT
        self.tried_digest = state.digest
        return Step.INDEX

    def is_due(self, now_ns: int) -> bool:
        """Return True if time alone may have ended the wait."""
        return self.due_ns is not None and now_ns >= self.due_ns
