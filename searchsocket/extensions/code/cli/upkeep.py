"""`searchsocket code status` and `invalidate`, a sync of changed files, and the status for `status` and `doctor`."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import click

from searchsocket.backends import Backends
from searchsocket.cli import exits
from searchsocket.cli.options import json_option, load_scope, result_options, scope_options
from searchsocket.cli.output import (
    CheckLine,
    DoctorCheck,
    PartStatus,
    ago,
    code_up_to_date,
    count,
    hanging,
    line_width,
    safe,
    say,
)
from searchsocket.cli.results import print_answer
from searchsocket.cli.summary import TEXT_COLUMN
from searchsocket.errors import PermissionDenied, SearchSocketError
from searchsocket.extensions.code.cli.requests import not_searched_lines
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.parsing.definitions.grammars import installed
from searchsocket.extensions.code.search.answer import CodeStatus, CodeSynced, Files
from searchsocket.extensions.code.serving.upkeep import CodeUpkeep, open_upkeep
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.project.project import Project
from searchsocket.serving.answers import to_json

_MAX_LISTED = 10
_LARGE = 10  # after a run that wrote a tenth of the index, another check of the files takes a small part of its time


@click.command()
@scope_options
@json_option
def status(root: Path, scope_name: str | None, as_json: bool) -> None:
    """Show if the source code index is up to date.

    \b
    Example:
      searchsocket code status
    """
    upkeep, scope = _upkeep(root, scope_name)
    report = upkeep.status(scope, datetime.now(UTC))
    print_answer(report, status_lines(report), as_json=as_json)


def sync_now(root: Path, scope_name: str | None, *, as_json: bool) -> None:
    """Index the source files that changed, and print the outcome."""
    upkeep, scope = _upkeep(root, scope_name)
    result = upkeep.sync(scope, str(uuid4()))
    if not result.left_out and (not result.changed or result.upserted * _LARGE >= result.chunks):
        upkeep.remember(result, scope_name)
    for warning in result.warnings:
        click.echo(f"warning: {safe(warning)}", err=True)
    if as_json:
        print_answer(result, (), as_json=True)
    else:
        for line in (_sync_line(result), *not_searched_lines(result)):
            say(line)
    if 100 * result.left_out > result.chunks:
        raise SystemExit(exits.FAILED)


@click.command()
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@scope_options
@result_options
def invalidate(patterns: tuple[str, ...], root: Path, scope_name: str | None, as_json: bool) -> None:
    """Mark files so that the next sync reads them again.

    PATTERN is a folder, a file, or a glob.

    \b
    Example:
      searchsocket code invalidate 'src/auth/**'
    """
    upkeep, scope = _upkeep(root, scope_name)
    marked = upkeep.invalidate(patterns, scope)
    if as_json:
        print_answer(marked, (), as_json=True)
        return
    say(
        f"marked {count(marked.count, 'file')}"
        + ("; run `searchsocket code sync` to read them again" if marked.count else "")
    )


def status_lines(report: CodeStatus) -> Iterator[str]:
    """The status as lines for people."""
    if not report.indexed:
        yield f"the code of scope {report.scope!r} is not indexed; run `searchsocket code sync`"
        return
    age = ago(report.age_seconds or 0.0)
    yield f"{count(report.files, 'file')}, {count(report.chunks, 'chunk')} of scope {report.scope}, indexed {age}"
    for name in ("changed", "new", "deleted", "marked"):
        files: Files = getattr(report, name)
        if files.count:
            more = f" and {files.count - _MAX_LISTED} more" if files.count > _MAX_LISTED else ""
            yield f"{name:>8}  {', '.join(map(safe, files.paths[:_MAX_LISTED]))}{more}"
    if report.configuration_changed:
        yield "the configuration changed"
    if report.rules_changed:
        yield "the way to split files changed: a new version, or grammars were installed or removed"
    if report.unpublished:
        yield "the last run stopped before it published"
    yield from not_searched_lines(report)
    yield from (f"warning: {safe(warning)}" for warning in report.warnings)
    yield "run `searchsocket code sync`" if report.dirty else "up to date"


def _sync_line(result: CodeSynced) -> str:
    if not result.changed:
        return code_up_to_date(result.files, result.chunks)
    totals = f"{count(result.files, 'file')}, {count(result.chunks, 'chunk')}"
    return f"{totals}; {result.embedded:,} embedded, {result.upserted:,} written, {result.deleted:,} deleted"


def _upkeep(root: Path, scope_name: str | None) -> tuple[CodeUpkeep, str]:
    project, scope = load_scope(root, scope_name)
    return open_upkeep(project, os.environ), scope.name


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


def code_part(project: Project) -> PartStatus:
    """Return the status of all scopes, for `searchsocket status`."""
    try:
        statuses = code_statuses(project)
    except SearchSocketError as error:
        return PartStatus([], [f"\ncode     BROKEN: {safe(str(error))}"], is_broken=True)
    lines = [line for each in statuses for line in _status_lines(each)]
    return PartStatus([json.loads(to_json(each, sources=True)) for each in statuses], lines)


def _status_lines(report: CodeStatus) -> Iterator[str]:
    contents = f"{count(report.files, 'file')}, {count(report.chunks, 'chunk')}, {ago(report.age_seconds or 0.0)}"
    yield f"\n{click.style(f'code of {report.scope}', bold=True)}\n  {contents}\n  {status_words(report)}"
    yield from (hanging(f"  {line}", line_width(), TEXT_COLUMN) for line in not_searched_lines(report))


def code_findings(project: Project) -> Iterator[CheckLine]:
    """Check the files of all source code indexes, and that grammars are installed."""
    home = code_home(project)
    enabled = project.settings.section(CodeSettings).enable
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


CHECK = DoctorCheck(code_findings, "run `searchsocket index --only code --force`")


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
