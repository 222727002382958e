"""Upkeep of a project's source code index: report its status, update it in this process, and mark files by hand."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from searchsocket.backends import Backends
from searchsocket.errors import BudgetMissing
from searchsocket.events import OnEvent, ignore
from searchsocket.extensions.code.corpus import CODE
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.parsing.paths import PathFilter
from searchsocket.extensions.code.pipeline.staleness import CodeComparison, compare_code
from searchsocket.extensions.code.search.answer import MAX_NAMED, CodeStatus, CodeSynced, Files
from searchsocket.models.paying.bill import price_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.search.wire import SkippedFile
from searchsocket.serving.answers import to_json
from searchsocket.state.project import ProjectState
from searchsocket.system.locators import path_of
from searchsocket.text.amounts import age_s
from searchsocket.text.skipped import Skipped
from searchsocket.types import Generation

if TYPE_CHECKING:
    from searchsocket.pipeline.run.summary import IndexSummary

_WAIT_S = 60.0  # for another run of the scope


@dataclass(frozen=True, slots=True)
class CodeUpkeep:
    """Upkeep of one project's source code index. Scopes are given by name."""

    project: Project
    home: Project  # of its source code
    backends: Backends  # likewise
    environ: Mapping[str, str]

    def status(self, scope: str, now: datetime) -> CodeStatus:
        """Compare the files, the configuration and the live index."""
        comparison = self.compare(scope)
        live, files = comparison.live, comparison.files
        return CodeStatus(
            scope=scope,
            indexed=live is not None,
            dirty=comparison.is_dirty,
            generation=live.name if live else None,
            age_seconds=age_s(live.published_at, now) if live else None,
            files=live.pages if live else 0,
            chunks=live.records if live else 0,
            changed=_first_paths(files.changed),
            new=_first_paths(files.new),
            deleted=_first_paths(files.deleted),
            marked=_first_paths(files.marked),
            configuration_changed=comparison.configuration_changed,
            rules_changed=comparison.rules_changed,
            unpublished=comparison.unpublished,
            skipped=_skipped_files(comparison.left_out.first()),
            skip_reasons=comparison.left_out.counts(),
            warnings=comparison.left_out.warnings,
        )

    def sync(self, scope: str, run_id: str, comparison: CodeComparison | None = None) -> CodeSynced:
        """Index the source files that changed; `comparison` is the result of a check that was just made."""
        comparison = comparison or self.compare(scope)
        done = sync_code(self.project, scope, comparison, self.environ, run_id=run_id)
        live = self.live(scope)
        return CodeSynced(
            scope=scope,
            changed=done is not None,
            generation=live.name if live else None,
            files=live.pages if live else 0,
            chunks=live.records if live else 0,
            embedded=done.embeddings["created"] if done else 0,
            upserted=done.records["upserted"] if done else 0,
            deleted=done.records["deleted"] if done else 0,
            skipped=_skipped_files(done.skipped if done else comparison.left_out.first()),
            skip_reasons=dict(done.skip_reasons) if done else comparison.left_out.counts(),
            warnings=tuple(done.warnings) if done else comparison.left_out.warnings,
            left_out=done.embeddings["leftOut"] if done else 0,
            cost_usd=done.charged_cost_usd if done else 0.0,
        )

    def remember(self, done: CodeSynced, scope_name: str | None) -> None:
        """Store that nothing changed since this sync; see `keep_code_record`."""
        from searchsocket.extensions.code.pipeline.unchanged import (
            keep_code_record,  # loads the code that extracts pages
        )

        next_sync = replace(done, changed=False, embedded=0, upserted=0, deleted=0, warnings=())
        summary = json.loads(to_json(next_sync, sources=True))
        keep_code_record(
            self.project, self.home, self.backends, done.scope, scope_name, self.environ, summary, time.time_ns
        )

    def check_budget(self, scope: str) -> None:
        """Check that an agent may have texts embedded: with a free model, or within a budget.

        Raises:
            BudgetMissing: The model is paid, and no budget is set.
            ConfigMissing, ConfigError: The model cannot be used.
        """
        settings = self.project.settings
        budget = settings.costs.budget
        if budget.run_usd is None and budget.month_usd is None and settings.embeddings.may_cost:
            embedder = Backends(self.home, self.environ, calls=False).embedder_for(self.home.scope_named(scope))
            if price_of(embedder, settings.embeddings.price_per_million_tokens_usd):
                raise BudgetMissing(embedder.model_id)

    def invalidate(self, patterns: Sequence[str], scope: str) -> Files:
        """Mark the files that match any of the patterns; see `invalidate_code`."""
        paths = (path for pattern in patterns for path in invalidate_code(self.home, scope, pattern))
        return _first_paths(tuple(dict.fromkeys(paths)))

    def live(self, scope: str) -> Generation | None:
        """The live generation of a scope."""
        return self.backends.store.generation(self.home.scope_named(scope))

    def compare(self, scope: str) -> CodeComparison:
        """Compare the files, the configuration and the live index."""
        return compare_code(self.project, self.home, self.backends, scope)


def open_upkeep(project: Project, environ: Mapping[str, str]) -> CodeUpkeep:
    """Build the upkeep of a project's source code without opening an index."""
    home = code_home(project)
    return CodeUpkeep(project, home, Backends(home, environ), environ)


def _skipped_files(files: Sequence[Skipped]) -> tuple[SkippedFile, ...]:
    return tuple(SkippedFile(*file) for file in files)


def _first_paths(paths: tuple[str, ...]) -> Files:
    return Files(len(paths), paths[:MAX_NAMED])


def sync_code(
    project: Project,
    scope: str,
    comparison: CodeComparison,
    environ: Mapping[str, str],
    *,
    run_id: str,
    on_event: OnEvent = ignore,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> "IndexSummary | None":
    """Index stale files; None if there are none.

    Raises:
        SearchSocketError: A stage failed, or another run works on the scope; the live index is unchanged.
    """
    if not comparison.is_dirty:
        return None
    from searchsocket.pipeline.run.index import index_scope  # a third of the loading time, for a change only

    make_private_folders(project)  # the project's folder, which contains that of its code
    run = ScopeRun(
        project,
        project.scope_named(scope),
        run_id,
        RunOptions(),
        on_event,
        clock,
        environ,
        lock_timeout_s=_WAIT_S,
    )
    return index_scope(run.of(CODE))


def invalidate_code(home: Project, scope: str, pattern: str) -> tuple[str, ...]:
    """Mark the indexed files below a folder, or those that match a glob, for the next run.

    Until then, results show them as changed.

    Returns:
        The paths of the marked files.

    Raises:
        InvalidRequest: The pattern is invalid.
        ScopeLocked: A run works on the scope.
    """
    state = ProjectState(home.state_dir)
    files = PathFilter(pattern).checked()
    matches = files.matcher() or files.takes
    listed = state.listed(scope)
    paths = {url: path_of(file.locator) for url, file in listed.items()}
    urls = [url for url, path in paths.items() if matches(path)]
    if urls:
        with state.lock(scope), state.open(scope) as scope_state, scope_state.transaction():
            scope_state.extracts.forget(urls)
    return tuple(paths[url] for url in urls)
