"""`searchsocket index`: bring a scope's index up to date, through Dagster (spec 17, 21, 22)."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchsocket.cli import exits
from searchsocket.cli.options import is_quiet, json_option, load_project, project_option, quiet_option, scope_option
from searchsocket.cli.output import hanging, line_width, print_error, print_json, say
from searchsocket.cli.progress import listener
from searchsocket.cli.signals import received_signal, signals_noted
from searchsocket.cli.summary import TEXT_COLUMN, summary_lines, unchanged_lines
from searchsocket.pipeline.run.options import OPTIONS, Option, RunOptions
from searchsocket.pipeline.unchanged.check import unchanged_since
from searchsocket.system.age import process_age_s

if TYPE_CHECKING:
    from searchsocket.events import OnEvent
    from searchsocket.pipeline.run.corpora import Corpus
    from searchsocket.pipeline.run.summary import IndexSummary
    from searchsocket.pipeline.unchanged.record import Record
    from searchsocket.project.corpora import CorpusName
    from searchsocket.project.project import Project
    from searchsocket.types import Scope


F = TypeVar("F", bound=Callable[..., Any])


def run_options(command: F) -> F:
    """Add an option to the command for each field of `RunOptions`."""
    for option in reversed(OPTIONS):
        command = click.option(
            option.flag or f"--{option.name.replace('_', '-')}",
            option.name,
            is_flag=option.kind is bool,
            type=_type(option),
            metavar=option.unit or None,
            help=option.help,
        )(command)
    return command


def _type(option: Option) -> Any:
    if option.choices:
        return click.Choice(option.choices)
    if option.kind is int:
        return click.IntRange(min=int(option.minimum))
    return click.FloatRange(min=option.minimum) if option.kind is float else None


@click.command()
@project_option
@scope_option
@click.option("--changed-only", is_flag=True, help="Process only what changed (default; not with --force).")
@click.option("--dry-run", is_flag=True, help="Show the plan and its cost; call and write nothing.")
@click.option("--only", type=click.Choice(["site", "code"]), help="Index only the site, or only the source code.")
@run_options
@click.option("--verbose", is_flag=True, help="Print events (JSON lines) and Dagster's log to stderr.")
@click.option("--record", is_flag=True, help="Make a run in Dagster even if nothing changed.")
@quiet_option
@json_option
def index(
    root: Path,
    scope_name: str | None,
    changed_only: bool,
    dry_run: bool,
    only: "CorpusName | None",
    verbose: bool,
    record: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Build or update the index of the site and its source code.

    Later runs process only what changed. The run appears in Dagster (`searchsocket dagster`), except when no file and
    no setting changed. With --json, events are printed to stderr as JSON lines.

    \b
    Example:
      searchsocket index --dry-run
      searchsocket index --scope preview --max-cost 0.50 --json
    """
    options = RunOptions(**asked)
    if changed_only and options.force:
        raise click.UsageError("--changed-only and --force cannot be combined")
    if verbose and is_quiet():
        raise click.UsageError("--verbose and --quiet cannot be combined")
    if not (options.asked() or dry_run or verbose or record or only):
        now = datetime.now(UTC)
        now_ns, words = int(now.timestamp() * 1e9), now.isoformat(timespec="seconds").replace("+00:00", "Z")
        if last := unchanged_since(str(root), scope_name, os.environ, now_ns=now_ns, checked_at=words):
            _print_unchanged(last, as_json)
            return
    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    from searchsocket.pipeline.run.corpora import CORPORA, corpora_of

    corpora = (CORPORA[only],) if only else corpora_of(project.settings)
    before: dict[str, str] = {corpus.name: _live_generation(corpus.home(project), scope.name) for corpus in corpora}
    loaded_s = process_age_s()
    first = "Planning" if dry_run else "Starting Dagster"
    done: dict[str, IndexSummary] = {}
    status = 0
    with listener(lines=as_json or verbose, first=first, silent=is_quiet()) as on_event:
        # The run is interrupted by Dagster. Around it nothing may raise: what is live then decides the exit status.
        with nullcontext() if dry_run else signals_noted():
            for corpus in corpora:
                began_s = process_age_s()
                try:
                    if dry_run:
                        summary = _plan(project, scope, options, on_event, corpus)
                    else:
                        summary = run_corpus(project, scope, options, on_event, verbose, corpus, scope_name)
                    done[corpus.name] = _timed(summary, loaded_s, began_s)
                except SystemExit as failure:  # what the other corpus holds is no worse for it
                    status = int(str(failure.code))
                    if received_signal():
                        break
        if not (status and as_json):  # then the error was the one object
            _print(done, before, as_json)
    if status:
        raise SystemExit(status)
    if not dry_run:
        from searchsocket.cli.search import keep_settings

        keep_settings(project)  # so that the first query need not read them


def _print(done: "Mapping[str, IndexSummary]", before: "Mapping[str, str]", as_json: bool) -> None:
    if as_json:
        site, code = done.get("site"), done.get("code")
        of_site = site.to_json() if site else {"scope": code.scope} if code else {}
        print_json({**of_site, "code": code.to_json()} if code else of_site)
        return
    from searchsocket.pipeline.run.corpora import CORPORA

    for name, summary in done.items():
        for line in summary_lines(summary, before[name], CORPORA[name]):
            say(hanging(line, line_width(), TEXT_COLUMN))


def _print_unchanged(last: "Record", as_json: bool) -> None:
    """Instead of a run: what one would have said, and since which run."""
    total = process_age_s()
    if as_json:
        print_json({**last.summary, "seconds": {"total": round(total, 3)}, "unchangedSince": last.run_id})
        return
    for line in unchanged_lines(last.summary, last.run_id, total):
        say(hanging(line, line_width(), TEXT_COLUMN))


def _timed(summary: "IndexSummary", loaded_s: float, began_s: float) -> "IndexSummary":
    """With all that somebody waited for: loading before the stages, Dagster around them, and the total."""
    total = process_age_s() - began_s + loaded_s
    around = "planning" if summary.dry_run else "dagster"
    rest = max(0.0, total - loaded_s - sum(summary.seconds.values()))
    seconds = {"loading": loaded_s, **summary.seconds, around: rest, "total": total}
    return replace(summary, seconds={name: round(value, 3) for name, value in seconds.items()})


def _live_generation(project: "Project", scope: str) -> str:
    from searchsocket.backends import Backends
    from searchsocket.errors import SearchSocketError

    try:
        live = Backends(project, os.environ).store.generation(project.scope_named(scope))
    except SearchSocketError:  # damaged: the run decides what that means
        return ""
    return live.name if live else ""


def _plan(
    project: "Project", scope: "Scope", options: RunOptions, on_event: "OnEvent", corpus: "Corpus"
) -> "IndexSummary":
    """The plan; it goes around Dagster, whose instance would be written to."""
    from searchsocket.pipeline.run.context import ScopeRun
    from searchsocket.pipeline.run.index import plan_scope
    from searchsocket.quality.gate import golden_texts

    run = ScopeRun(project, scope, "plan", options, on_event, environ=os.environ, golden_texts=golden_texts)
    return plan_scope(run.of(corpus))


def run_corpus(
    project: "Project",
    scope: "Scope",
    options: RunOptions,
    on_event: "OnEvent",
    verbose: bool,
    corpus: "Corpus",
    asked: str | None,
    is_overtaken: Callable[[], bool] = lambda: False,
) -> "IndexSummary":
    """Index one corpus of a scope through Dagster; what went wrong is printed.

    Args:
        asked: The scope that the command named.
        is_overtaken: Whether what the run reads is another one by now, so that it may publish nothing.

    Raises:
        SystemExit: It failed, with the exit status that says how.
    """
    from searchsocket.pipeline.run.context import ScopeRun
    from searchsocket.pipeline.run.index import summary_of
    from searchsocket.pipeline.unchanged.check import drop_records
    from searchsocket.pipeline.unchanged.inputs import inputs_of, keep_record
    from searchsocket.project.access import make_private_folders
    from searchsocket.state import ProjectState
    from searchsocket.system.garbage import loading

    with loading():
        from searchsocket_assets.run.home import dagster_home
        from searchsocket_assets.run.runs import run_index

    home = dagster_home(project, os.environ)
    # Held over the whole run: between two stages no other run may come in.
    make_private_folders(project)
    made = corpus.home(project)
    with ProjectState(project.state_dir).lock(scope.name):
        inputs = None
        if corpus.has_record:  # what is on record says that the site is as it was
            drop_records(str(project.state_dir), scope.name)
            inputs = inputs_of(ScopeRun(project, scope, "", options, environ=os.environ), time.time_ns())
        before = _live_generation(made, scope.name)
        outcome = run_index(
            project,
            scope,
            options,
            home,
            on_event=on_event,
            should_stop=lambda: received_signal() != 0 or is_overtaken(),
            console=verbose,
            corpus=corpus,
        )
        if outcome.success:
            summary = summary_of(made, outcome.run_id, scope.name, corpus)
            if inputs:
                run = ScopeRun(project, scope, outcome.run_id, options, environ=os.environ)
                keep_record(run, inputs, summary, asked, time.time_ns())
            return summary
        after = _live_generation(made, scope.name)
        if received_signal() and after != before:
            click.echo(f"the run was interrupted after it published; generation {after} is live", err=True)
            return replace(summary_of(made, outcome.run_id, scope.name, corpus), generation=after)
    if received_signal():
        print_error("INTERRUPTED", "the run was interrupted; the live index did not change. Run again to continue")
        raise SystemExit(exits.FAILED)
    if is_overtaken():  # whatever went wrong may be due to that
        say("a new build was written during the run, so nothing was published; indexing the new build next")
    else:
        print_error(outcome.code, outcome.message)
    raise SystemExit(exits.exit_status(outcome.code))
