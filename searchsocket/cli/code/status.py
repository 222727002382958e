"""Status of the source code index of each scope, for `status` and `doctor`."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from searchsocket.backends import Backends
from searchsocket.cli.output import CheckLine, count
from searchsocket.code.definitions.grammars import installed
from searchsocket.errors import PermissionDenied, SearchSocketError
from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project
from searchsocket.serving.code_upkeep import CodeStatus, open_upkeep


def code_statuses(project: Project) -> list[CodeStatus]:
    """Return the status of every scope whose source code is indexed.

    Raises:
        SearchSocketError: An index or the files cannot be listed.
    """

    if not code_home(project).state_dir.is_dir():
        return []
    upkeep = open_upkeep(project, os.environ)
    now = datetime.now(UTC)
    return [upkeep.status(generation.scope, now) for generation in upkeep.backends.store.list_scopes()]


def code_findings(project: Project) -> Iterator[CheckLine]:
    """Check the files of all source code indexes, and that grammars are installed."""
    home = code_home(project)
    enabled = project.settings.code.enable
    if enabled and not installed():
        yield CheckLine(
            "grammars", True, "not installed; code is split at blank lines", "`pip install 'searchsocket[code]'`"
        )
    indexed_count = 0
    if home.state_dir.is_dir():
        store = Backends(home, os.environ, calls=False, local_only=True).store
        for generation in store.list_scopes():
            indexed_count += 1
            name, fix = (
                f"code {generation.scope}",
                f"run `searchsocket index --only code --force --scope {generation.scope}`",
            )
            try:
                problems = store.verify(home.scope_named(generation.scope))
            except SearchSocketError as error:
                yield CheckLine(name, False, str(error), "" if isinstance(error, PermissionDenied) else fix)
                continue
            summary = f"{generation.name}, {count(generation.records, 'chunk')}, all files intact"
            yield CheckLine(name, not problems, "; ".join(problems[:5]) or summary, fix if problems else "")
    if enabled and not indexed_count:
        yield CheckLine("code", True, "not indexed yet; run `searchsocket code sync`")


def status_words(report: CodeStatus) -> str:
    """Describe the status of an index."""
    if not report.dirty:
        return "up to date"
    parts = [f"{getattr(report, name).count:,} {name}" for name in ("changed", "new", "deleted", "marked")]
    parts = [part for part in parts if not part.startswith("0 ")]
    parts += ["the configuration changed"] if report.configuration_changed else []
    parts += ["searchsocket splits files differently now"] if report.rules_changed else []
    parts += ["the last run stopped before it published"] if report.unpublished else []
    return f"{', '.join(parts)}; run `searchsocket code sync --scope {report.scope}`"
