"""`searchsocket scopes`: list every scope with its branch, size and age."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import json_option, load_project, project_option
from searchsocket.cli.output import ago, print_json, safe, say, size
from searchsocket.pipeline.branches.scopes import ScopeRow, scopes_overview, to_json
from searchsocket.pipeline.run.report import last_report
from searchsocket.project.project import Project, dagster_home

_ALIVE = {True: "alive", False: "gone", None: "?"}
_SHORT = 8  # characters of a commit


@click.command()
@project_option
@click.option("--name-of", metavar="BRANCH", help="Print only the scope name of this branch.")
@json_option
def scopes(root: Path, name_of: str | None, as_json: bool) -> None:
    """List every scope with its branch, size and age.

    \b
    Example:
      searchsocket scopes --json
      npm run build -- --outDir "builds/$(searchsocket scopes --name-of "$BRANCH")"
    """
    if name_of is not None:
        click.echo(load_project(root).scope(os.environ, name_of).name)
        return

    project = load_project(root)
    overview = scopes_overview(project, Backends(project, os.environ, calls=False), datetime.now(UTC))
    for problem in overview.problems:
        click.echo(f"{problem.code}: {safe(str(problem))}", err=True)
    runs = _last_runs(project, [row.scope for row in overview.rows])
    if as_json:
        print_json({"projectId": project.id, "scopes": [to_json(row, runs.get(row.scope)) for row in overview.rows]})
        return
    if not overview.rows:
        say("No scope is indexed yet; run `searchsocket index`.")
    for line in _align(
        [_HEAD, *(_cells(row, runs.get(row.scope, {})) for row in overview.rows)] if overview.rows else []
    ):
        say(line)


def _last_runs(project: Project, names: list[str]) -> Mapping[str, Mapping[str, str]]:
    """Map scopes to `status` and `runId` of their last run, by a command or in Dagster."""
    reports = [report for name in names if (report := last_report(project, name))]
    ends = {report.scope: datetime.fromisoformat(report.ended_at).timestamp() for report in reports}
    runs: dict[str, Mapping[str, str]] = {
        report.scope: {"status": "FAILURE" if report.failure else "SUCCESS", "runId": report.run_id}
        for report in reports
    }
    home = dagster_home(project, os.environ)
    if not home.is_dir():
        return runs
    from searchsocket_assets.run.history import last_runs

    for name, run in last_runs(project, home, names).items():
        if run.seen_s >= ends.get(name, 0.0):
            runs[name] = run.to_json()
    return runs


_HEAD = ("scope", "branch", "", "published", "pages", "chunks", "only here", "size", "commit", "model", "last run")


def _cells(row: ScopeRow, run: Mapping[str, str]) -> tuple[str, ...]:
    age = row.age_seconds
    return (
        row.scope,
        safe(row.branch) or "?",
        _ALIVE[row.alive],
        f"{ago(age)} ({row.generation})" if age is not None else "no index",
        f"{row.pages:,}",
        f"{row.chunks:,}",
        f"{row.own_chunks:,}",
        size(row.bytes),
        _short(row.source_revision),
        safe(row.model_id) or "-",
        " ".join(part for part in (run.get("status", "").lower(), row.last_run_at[:16]) if part) or "-",
    )


def _short(revision: str) -> str:
    commit, _, dirty = revision.partition("-")
    return f"{commit[:_SHORT]}{'-' + dirty if dirty else ''}" or "-"


def _align(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
