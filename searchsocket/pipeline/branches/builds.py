"""Detect a new build of a scope from a cheap fingerprint of its source, taken once writes have settled."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from searchsocket.content.pages import DOCUMENTS
from searchsocket.errors import ConfigError, ConfigMissing, InvalidScope, SourceUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import SourceMode
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.static_output import StaticOutputSource

_HTML = (".html", ".htm")
OWN_SOURCES = (
    'so give each its own source: set source.static_output_dir = "builds/{scope}", {branch_slug} in '
    'source.crawl.base_url, or source.mode = "git-branch", or index each after its build with '
    "`searchsocket index --scope`"
)
_HEX = 16  # of a digest: it tells builds of one scope apart


def _endings(run: ScopeRun) -> tuple[str, ...]:
    return (*_HTML, *DOCUMENTS) if run.project.settings.source.documents else _HTML


@dataclass(frozen=True, slots=True)
class Build:
    """State of a source."""

    digest: str
    changed_ns: int  # when the youngest of its files or folders changed, by the clock of their disk; 0 = it cannot
    folder: str = ""  # absolute path of a built site; "" = what is indexed is none


def build_of(run: ScopeRun, commits: Mapping[str, str] = MappingProxyType({})) -> Build | None:
    """The build that a run over a scope would read; None where there is none, or it cannot be watched.

    Reads no file: names, sizes and times are those of a build, and a commit is its own digest.

    Args:
        commits: Branch -> commit, where somebody asked git already.
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


def refuse_shared_source(project: Project, scopes: int, mode: SourceMode | None = None) -> None:
    """Refuse to index several scopes from what is one and the same for all of them.

    Raises:
        ConfigError: They would all hold the pages of whichever branch was built last.
    """
    if scopes > 1 and not project.settings.source.differs_by_scope(mode):
        raise ConfigError(f"{scopes} branches would be indexed from the same pages, {OWN_SOURCES}")


def _build(
    files: Iterable[tuple[str, os.stat_result]], *, endings: str | tuple[str, ...], folder: str = ""
) -> Build | None:
    """Of names, sizes and times; None where no name ends like `endings`.

    Raises:
        OSError: Something went away meanwhile.
    """
    digest, youngest, is_there = hashlib.sha256(), 0, False
    for path, info in files:
        youngest = max(youngest, info.st_ctime_ns)  # tools set times of modification as they like
        if stat.S_ISREG(info.st_mode):
            is_there = is_there or path.endswith(endings)
            line = f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_ctime_ns}\n"
            digest.update(line.encode("utf-8", "surrogateescape"))
    return Build(digest.hexdigest()[:_HEX], youngest, folder) if is_there else None


def below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The folder and all below it but what is hidden: folders tell that something went."""
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
