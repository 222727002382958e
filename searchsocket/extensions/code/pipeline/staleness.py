"""Compare source files with the index by size and times, without reading them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.code.parsing.chunks import CODE_CHUNKER_VERSION
from searchsocket.extensions.code.parsing.definitions.grammars import available
from searchsocket.extensions.code.parsing.paths import PathFilter
from searchsocket.extensions.code.sources.commit import CommitSource
from searchsocket.extensions.code.sources.find import make_code_source
from searchsocket.extensions.code.sources.working_tree import WorkingTreeSource
from searchsocket.pipeline.run.results import sha256 as hash_of
from searchsocket.project.project import Project
from searchsocket.project.settings.load import config_table
from searchsocket.state.inventory import ListedFile
from searchsocket.state.project import ProjectState
from searchsocket.system.locators import path_of
from searchsocket.text.skipped import MAX_SKIPPED, Skipped, first_skipped
from searchsocket.types import Scope

CONFIGURATION = "configuration"  # key of a report: `configuration_digest` when the stage ran
RULES = "rules"  # likewise: `cutting_rules`
RECORDED_BY = "code_chunks"  # name of the stage; importing it would load all stages


@dataclass(frozen=True, slots=True)
class Staleness:
    """Files that a run would read again; paths in path order."""

    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()  # by hand, or by a run that stopped early

    @property
    def is_dirty(self) -> bool:
        """Return True if a run would find work with a file."""
        return bool(self.changed or self.new or self.deleted or self.marked)

    @property
    def touched(self) -> frozenset[str]:
        """Existing files that may differ from their indexed state."""
        return frozenset((*self.changed, *self.new, *self.marked))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that are not indexed although they may be source code; those that git ignores are not among them."""

    listed: Mapping[str, str] = field(default_factory=dict)  # path -> reason, by name, size or kind
    read: Mapping[str, str] = field(default_factory=dict)  # likewise, by contents
    warnings: tuple[str, ...] = ()

    def first(self, limit: int = MAX_SKIPPED) -> list[Skipped]:
        """Some of the files, in the order in which a run reports them."""
        return [*first_skipped(self.listed, limit), *first_skipped(self.read, limit)]

    def counts(self) -> dict[str, int]:
        """Number of files by reason."""
        return dict(Counter((*self.listed.values(), *self.read.values())))

    def below(self, files: PathFilter) -> "LeftOut":
        """Those that a filter selects."""
        listed, read = (
            {path: why for path, why in reasons.items() if files.takes(path.removesuffix("/"))}
            for reasons in (self.listed, self.read)
        )
        return LeftOut(listed, read, self.warnings)


def left_out(source: WorkingTreeSource | CommitSource, state: ProjectState, scope: str) -> LeftOut:
    """The files that are left out: by the source, which has listed its files, and by the last run."""
    listed = source.report.skipped
    read = {url[1:]: why for url, why in state.skipped(scope).items() if url[1:] not in listed}
    return LeftOut(listed, read, tuple(source.report.warnings))


def staleness(source: WorkingTreeSource | CommitSource, listed: Mapping[str, ListedFile]) -> Staleness:
    """Compare the files with the list of the last run.

    A file is read only if its times are inconclusive, because it was written just before it was listed.

    Args:
        listed: The files of the last run, by URL.

    Raises:
        SourceUnavailable: The files cannot be listed.
    """
    changed, new, marked, urls = [], [], [], set()
    for page in source.pages():
        urls.add(page.url)
        before = listed.get(page.url)
        path = path_of(page.locator)
        if before is None:
            new.append(path)
        elif not _is_same(source, page, before):
            changed.append(path)
        elif not before.is_cut:
            marked.append(path)
    deleted = (path_of(file.locator) for url, file in listed.items() if url not in urls)
    return Staleness(tuple(changed), tuple(new), tuple(deleted), tuple(marked))


def source_of(project: Project, scope: Scope) -> WorkingTreeSource | CommitSource:
    """The source files of a scope, with a separate report."""
    return make_code_source(project.root, project.settings, branch=scope.branch or scope.name)


def configuration_digest(root: Path) -> str:
    """A digest of the exact bytes of the project's configuration file; of no bytes if there is none."""
    path, _ = config_table(root)
    try:
        return sha256(path.read_bytes() if path else b"").hexdigest()[:16]
    except OSError:
        return ""


def cutting_rules() -> str:
    """The version of all rules, besides the files, that decide how files are split, including installed grammars."""
    return f"{CODE_CHUNKER_VERSION}, {'grammars' if available() else 'blank lines'}"


def _is_same(source: WorkingTreeSource | CommitSource, page: RawPage, before: ListedFile) -> bool:
    if page.stamp and before.stamp:
        return page.stamp == before.stamp
    try:
        return hash_of(source.read(page)) == before.raw_hash
    except SourceUnavailable:
        return False


class _FilesOfVersion(NamedTuple):
    version: object  # of the state
    files: frozenset[str]


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked files of a project's scopes; safe to share between threads."""

    state: ProjectState
    _files_by_scope: dict[str, _FilesOfVersion] = field(default_factory=dict)

    def of(self, scope: str) -> frozenset[str]:
        """The paths of the marked files of a scope."""
        version = self.state.version()
        cached = self._files_by_scope.get(scope)
        if cached is None or cached.version != version:
            listed = self.state.listed(scope).values()
            cached = _FilesOfVersion(version, frozenset(path_of(file.locator) for file in listed if not file.is_cut))
            self._files_by_scope[scope] = cached
        return cached.files
