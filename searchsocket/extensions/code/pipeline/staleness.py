"""Compare source files with the index by size and times, without reading them; and the work that a run would find."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from searchsocket.backends import Backends
from searchsocket.content.pages import RawPage
from searchsocket.errors import IndexCorrupt, SourceUnavailable
from searchsocket.extensions.code.parsing.chunks import CODE_CHUNKER_VERSION
from searchsocket.extensions.code.parsing.definitions.grammars import available
from searchsocket.extensions.code.parsing.paths import PathFilter
from searchsocket.extensions.code.sources.files import CommitSource, WorkingTreeSource, make_code_source
from searchsocket.pipeline.run.results import sha256 as hash_of
from searchsocket.project.project import Project
from searchsocket.project.settings.load import config_table
from searchsocket.state.inventory import ListedFile
from searchsocket.state.project import ProjectState
from searchsocket.system.locators import path_of
from searchsocket.text.skipped import MAX_SKIPPED, Skipped, first_skipped
from searchsocket.types import Generation, Scope

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


@dataclass(frozen=True, slots=True)
class CodeComparison:
    """The live index, and the work that a run would find."""

    live: Generation | None
    files: Staleness
    configuration_changed: bool  # the file differs from the one that the last run read
    rules_changed: bool  # the splitting rules changed: a new version, or grammars installed or removed
    unpublished: bool  # a run stopped before it published its chunks
    left_out: LeftOut

    @property
    def is_dirty(self) -> bool:
        """Return True if a run would find work."""
        changed = self.configuration_changed or self.rules_changed
        return self.live is None or self.files.is_dirty or changed or self.unpublished


def compare_code(
    project: Project,
    home: Project,
    backends: Backends,
    scope: str,
    source: WorkingTreeSource | CommitSource | None = None,
) -> CodeComparison:
    """Compare the files, the configuration and the live index.

    Args:
        home: The home of the source code, see `corpora.code_home`; `backends` belong to it.
        source: The files, if already opened.

    Raises:
        SourceUnavailable: The files cannot be listed.
        PermissionDenied: The live index cannot be read.
    """
    code_scope = home.scope_named(scope)
    try:
        live = backends.store.generation(code_scope)
    except IndexCorrupt:  # a run builds it again, and reports why
        live = None
    source = source or source_of(project, code_scope)
    files = staleness(source, backends.state.listed(scope))
    report = backends.state.last_report(scope, RECORDED_BY)
    facts = (report or {}).get("facts", {})
    return CodeComparison(
        live,
        files,
        configuration_changed=report is not None and facts.get(CONFIGURATION) != configuration_digest(project.root),
        rules_changed=report is not None and facts.get(RULES) != cutting_rules(),
        unpublished=live is not None and not backends.state.is_published(scope, live),
        left_out=left_out(source, backends.state, scope),
    )
