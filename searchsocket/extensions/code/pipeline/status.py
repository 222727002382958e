"""Status of a scope's source code index compared with the files, without reading them."""

from dataclasses import dataclass

from searchsocket.backends import Backends
from searchsocket.errors import IndexCorrupt
from searchsocket.extensions.code.pipeline.staleness import (
    CONFIGURATION,
    RECORDED_BY,
    RULES,
    LeftOut,
    Staleness,
    configuration_digest,
    cutting_rules,
    left_out,
    source_of,
    staleness,
)
from searchsocket.extensions.code.sources.commit import CommitSource
from searchsocket.extensions.code.sources.working_tree import WorkingTreeSource
from searchsocket.project.project import Project
from searchsocket.types import Generation


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
