"""Detect a new build of a scope from a cheap fingerprint of its source, taken once writes have settled."""

import hashlib
import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from types import MappingProxyType

from searchsocket.content.pages import DOCUMENTS
from searchsocket.errors import ConfigError, ConfigMissing, InvalidScope, SourceUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.project import Project
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.static_output import StaticOutputSource

_HTML = (".html", ".htm")
OWN_SOURCES = (
    'so give each its own source: set source.static_output_dir = "builds/{scope}", {branch_slug} in '
    'source.crawl.base_url, or source.mode = "git-branch", or index each after its build with '
    "`searchsocket index --scope`"
)
_HEX = 16  # digest length: enough to distinguish the builds of one scope
_FIRST_PAUSE_S = 60.0
_GROWTH = 4.0
_LONGEST_PAUSE_S = 6 * 3600.0


def _endings(run: ScopeRun) -> tuple[str, ...]:
    return (*_HTML, *DOCUMENTS) if run.project.settings.source.documents else _HTML


@dataclass(frozen=True, slots=True)
class Build:
    """State of a source at one moment."""

    digest: str
    changed_ns: int  # newest change of a file or folder, by the clock of its disk; 0 = not applicable
    folder: str = ""  # absolute path of a built site; "" = the source is not a built site


def build_of(run: ScopeRun, commits: Mapping[str, str] = MappingProxyType({})) -> Build | None:
    """Return the build that a run over a scope would read; None if there is none, or it cannot be watched.

    Reads no file: a build is identified by names, sizes and times, and a commit by its own id.

    Args:
        commits: Branch -> commit, if already known from git.
    """
    try:
        source = run.make_source()
        if isinstance(source, GitBranchSource):
            return Build((commits.get(source.origin.revision) or source.commit())[:_HEX], 0)
        if isinstance(source, StaticOutputSource):
            folder = os.path.normpath(run.project.root / source.origin.folder)
            return _build(below(folder), endings=_endings(run), folder=folder)
        if isinstance(source, ContentFilesSource):
            base = run.project.root / source.origin.folder
            return _build((_with_stat(os.path.join(base, page.locator)) for page in source.pages()), endings="")
    except (ConfigMissing, SourceUnavailable, InvalidScope, OSError):  # not built yet, or in the middle of it
        return None
    return None


def refuse_shared_source(project: Project, scopes: int, mode: str | None = None) -> None:
    """Refuse to index several scopes from one shared source.

    Raises:
        ConfigError: All scopes would contain the pages of the branch that was built last.
    """
    if scopes > 1 and not project.settings.source.differs_by_scope(mode):
        raise ConfigError(f"{scopes} branches would be indexed from the same pages, {OWN_SOURCES}")


def _build(
    files: Iterable[tuple[str, os.stat_result]], *, endings: str | tuple[str, ...], folder: str = ""
) -> Build | None:
    """Digest names, sizes and times; None if no name ends like `endings`.

    Raises:
        OSError: A file was deleted during the listing.
    """
    digest, youngest, has_page = hashlib.sha256(), 0, False
    for path, info in files:
        youngest = max(youngest, info.st_ctime_ns)  # tools may set the modification time to any value
        if stat.S_ISREG(info.st_mode):
            has_page = has_page or path.endswith(endings)
            line = f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_ctime_ns}\n"
            digest.update(line.encode("utf-8", "surrogateescape"))
    return Build(digest.hexdigest()[:_HEX], youngest, folder) if has_page else None


def below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the folder and everything below it, except hidden entries; folder times reveal deleted files."""
    yield _with_stat(folder)
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from below(entry.path)
        else:
            yield _with_stat(entry.path)


def _with_stat(path: str) -> tuple[str, os.stat_result]:
    return path, os.stat(path, follow_symlinks=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run that was requested for a build."""

    digest: str  # of the build
    failed: bool  # it ended without success
    ended_at: float  # seconds since the epoch; for a running one, the time of its last sign of life
    refused_by: str = ""  # see `gate_digest`; "" = the gate did not refuse it

    def is_refused(self, digest: str, gate: str) -> bool:
        """Return True if it was of this build, and the gate would refuse it again."""
        return self.digest == digest and bool(self.refused_by) and self.refused_by == gate


def is_due(digest: str, attempts: Sequence[Attempt], now: float, gate: str = "") -> bool:
    """Return True if a scope's build needs a run.

    A new build does, that is one other than the last requested build, even if it was indexed before. A failed build is
    repeated after a minute; each further pause is four times as long, up to six hours. A build that the gate refused is
    repeated once the gate judges by something else.

    Args:
        attempts: The attempts of the scope, newest first.
        now: Seconds since the epoch.
        gate: See `gate_digest`.
    """
    same = list(takewhile(lambda attempt: attempt.digest == digest, attempts))
    if not all(attempt.failed for attempt in same):
        return False
    if same and same[0].is_refused(digest, gate):
        return False
    return not same or now - same[0].ended_at >= pause_s(len(same))


def pause_s(failures: int) -> float:
    """Seconds between the last failure and the next attempt."""
    return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * math.pow(_GROWTH, min(failures - 1, 20)))
