"""Run or plan `searchsocket index`, with its progress on stderr; stdout is only for the result."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO
from uuid import uuid4

import click

from searchsocket.backends import Backends
from searchsocket.cli import exits
from searchsocket.cli.exits import received_signal, signals_noted, signals_raised
from searchsocket.cli.log_lines import LogLines, log_lines
from searchsocket.cli.options import is_quiet, load_scope
from searchsocket.cli.output import hanging, line_width, print_error, print_json, safe, say
from searchsocket.cli.summary import TEXT_COLUMN, summary_lines
from searchsocket.errors import Interrupted, PermissionDenied, SearchSocketError, StateUnavailable
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.pipeline.run.context import SITE, Corpus, ScopeRun, corpora_by_name, corpora_of
from searchsocket.pipeline.run.index import plan_scope, run_scope, summary_of
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.report import RunFailure, keep_report
from searchsocket.pipeline.run.stages import label_of
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.pipeline.unchanged.inputs import inputs_of, keep_record
from searchsocket.pipeline.unchanged.record import drop_records
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project, dagster_home
from searchsocket.quality.candidate import golden_texts, judge_candidate
from searchsocket.quality.checks import RUN_CHECKS
from searchsocket.state.project import ProjectState
from searchsocket.system.json_text import JsonObject
from searchsocket.system.this_process import process_age_s
from searchsocket.types import Scope


def index_corpora(
    root: Path,
    scope_name: str | None,
    options: RunOptions,
    only: str | None,
    *,
    dry_run: bool,
    verbose: bool,
    record: bool,
    as_json: bool,
) -> None:
    """Index the corpora of a scope, or plan it, and print the outcome.

    Args:
        record: Show the runs in Dagster before the end.

    Raises:
        SystemExit: A run failed.
    """
    project, scope = load_scope(root, scope_name)
    log = log_lines()
    if log:
        log.add_facts(scope=scope.name)
    corpora = (corpora_by_name()[only],) if only else corpora_of(project.settings)
    before: dict[str, str] = {corpus.name: _live_generation(corpus.home(project), scope.name) for corpus in corpora}
    loaded_s = process_age_s()
    first = "Planning" if dry_run else "Starting"
    done: dict[str, IndexSummary] = {}
    status = 0
    with listener(lines=as_json or verbose, first=first, silent=is_quiet()) as on_event:
        # Only stages are interrupted. Nothing around them may raise: the live generation decides the exit status.
        with nullcontext() if dry_run else signals_noted():
            for corpus in corpora:
                start_s = process_age_s()
                try:
                    if dry_run:
                        summary = _plan(project, scope, options, on_event, corpus)
                    else:
                        summary = run_corpus(project, scope, options, on_event, corpus, scope_name)
                    if log:
                        for warning in summary.warnings:
                            log.log("warning", message=str(warning))
                    done[corpus.name] = _with_times(summary, loaded_s, start_s)
                except SystemExit as failure:  # the other corpus is still indexed
                    status = int(str(failure.code))
                    if received_signal():
                        break
        is_shown = dry_run or not record or _show_in_dagster(project)
        if not (status and as_json):  # the error was the one JSON object
            _print(done, before, corpora, as_json)
    if status or not is_shown or any(summary.is_incomplete for summary in done.values()):
        raise SystemExit(status or exits.FAILED)


def _show_in_dagster(project: Project) -> bool:
    """Make the missing runs in Dagster. Return False if its home cannot be used, which is printed."""
    from searchsocket_assets.show_now import show_now  # a second of CPU

    try:
        show_now(project, dagster_home(project, os.environ))
    except SearchSocketError as error:  # the runs themselves have ended
        click.echo(f"{error.code}: {safe(str(error))}", err=True)
        return False
    return True


def _print(
    done: Mapping[str, IndexSummary], before: Mapping[str, str], corpora: Sequence[Corpus], as_json: bool
) -> None:
    if as_json:
        others = {name: summary for name, summary in done.items() if name != SITE.name}
        site = done.get(SITE.name)
        of_site = site.to_json() if site else {"scope": next(iter(others.values())).scope} if others else {}
        print_json({**of_site, **{name: summary.to_json() for name, summary in others.items()}})
        return
    for corpus in corpora:
        if summary := done.get(corpus.name):
            for line in summary_lines(summary, before[corpus.name], corpus):
                say(hanging(line, line_width(), TEXT_COLUMN))


def _with_times(summary: IndexSummary, loaded_s: float, start_s: float) -> IndexSummary:
    """Return the summary with all times: loading before the stages, the checks around them, and the total."""
    total = process_age_s() - start_s + loaded_s
    around = "planning" if summary.dry_run else "checks"
    around_s = max(0.0, total - loaded_s - sum(summary.seconds.values()))
    seconds = {"loading": loaded_s, **summary.seconds, around: around_s, "total": total}
    return replace(summary, seconds={name: round(value, 3) for name, value in seconds.items()})


def _live_generation(project: Project, scope: str) -> str:
    try:
        live = Backends(project, os.environ).store.generation(project.scope_named(scope))
    except SearchSocketError:  # damaged: the run decides what to do
        return ""
    return live.name if live else ""


def _plan(project: Project, scope: Scope, options: RunOptions, on_event: OnEvent, corpus: Corpus) -> IndexSummary:
    run = ScopeRun(project, scope, "plan", options, on_event, environ=os.environ, golden_texts=golden_texts)
    return plan_scope(run.of(corpus))


def run_corpus(
    project: Project,
    scope: Scope,
    options: RunOptions,
    on_event: OnEvent,
    corpus: Corpus,
    scope_name: str | None,
    is_overtaken: Callable[[], bool] = lambda: False,
) -> IndexSummary:
    """Index one corpus of a scope and keep its report; errors are printed.

    Args:
        scope_name: The scope that the command named.
        is_overtaken: Returns True if the source has changed since the start, so that the run must not publish.

    Raises:
        SystemExit: The run failed; the exit status depends on the error.
    """
    # Locked for the whole run: no other run may start between two stages.
    make_private_folders(project)
    corpus_home = corpus.home(project)
    with ProjectState(project.state_dir).lock(scope.name):
        site_run = ScopeRun(
            project,
            scope,
            str(uuid4()),
            options,
            on_event,
            environ=os.environ,
            should_stop=lambda: received_signal() != 0 or is_overtaken(),
            judge=judge_candidate,
            golden_texts=golden_texts,
        )
        inputs = None
        if corpus.has_record:  # the old record would report an unchanged site
            drop_records(str(project.state_dir), scope.name)
            inputs = inputs_of(site_run, time.time_ns())
        before = _live_generation(corpus_home, scope.name)
        failure, warnings = _run(site_run, corpus)
        if failure is None:
            summary = summary_of(corpus_home, site_run.run_id, scope.name, corpus)
            summary = replace(summary, warnings=(*summary.warnings, *warnings))
            if inputs and not summary.embeddings["leftOut"]:  # the next run reports it again
                keep_record(site_run, inputs, summary, scope_name, time.time_ns())
            return summary
        after = _live_generation(corpus_home, scope.name)
        if received_signal() and after != before:
            click.echo(f"the run was interrupted after it published; generation {after} is live", err=True)
            return replace(summary_of(corpus_home, site_run.run_id, scope.name, corpus), generation=after)
    if received_signal():
        print_error("INTERRUPTED", "the run was interrupted; the live index did not change. Run again to continue")
        raise SystemExit(exits.FAILED)
    if is_overtaken():  # the change may have caused the error
        say("a new build was written during the run, so nothing was published; indexing the new build next")
    else:
        print_error(failure.code, _words(failure))
    raise SystemExit(exits.exit_status(failure.code))


def _run(site_run: ScopeRun, corpus: Corpus) -> tuple[RunFailure | None, tuple[str, ...]]:
    """Run the stages and checks of a corpus, and keep the report; return the failure, and warnings about the report."""
    try:
        with signals_raised():
            report = run_scope(site_run.of(corpus), RUN_CHECKS)
    except KeyboardInterrupt:  # in the moment between the end of the run and that of the block
        return RunFailure("", Interrupted.code, "the run was interrupted"), ()
    try:
        keep_report(site_run.project, report)
    except SearchSocketError as error:  # the live generation decides the exit status
        return report.failure, (f"Dagster will not show this run: {error}",)
    return report.failure, ()


def _words(failure: RunFailure) -> str:
    """The message; if the machine is the cause, with the stage."""
    is_of_machine = failure.code in (StateUnavailable.code, PermissionDenied.code)
    return f"{failure.stage}: {failure.message}" if is_of_machine and failure.stage else failure.message


@contextmanager
def listener(*, lines: bool, first: str, silent: bool = False) -> Iterator[OnEvent]:
    """Choose the listener for run events: lines on request, a progress line on a terminal, otherwise none.

    Args:
        first: Text until the first stage reports its progress.
        silent: Ignore all events.
    """
    if silent:
        yield ignore
    elif log := log_lines():
        yield events_logged(log)
    elif lines:
        yield _json_lines(sys.stderr)
    elif sys.stderr.isatty():
        with _progress_bar(sys.stderr, first) as on_event:
            yield on_event
    else:
        yield ignore


def events_logged(log: LogLines) -> OnEvent:
    """Return a listener that writes each event as a log line; later lines have the id of the run that started."""

    def on_event(event: Event) -> None:
        if event.name == "run_started":
            log.add_facts(**event.fields)
        if event.name != "progress":
            log.log("info", event=event.name, **event.fields)

    return on_event


def _json_lines(stream: IO[str]) -> OnEvent:
    def on_event(event: Event) -> None:
        if event.name != "progress":  # for bars; the events of spec 22 report the same with names
            stream.write(json.dumps({"event": event.name, **event.fields}, ensure_ascii=False) + "\n")

    return on_event


@contextmanager
def _progress_bar(stream: IO[str], first: str) -> Iterator[OnEvent]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
        console=Console(file=stream),
        transient=True,
    )

    def on_event(event: Event) -> None:
        if event.name == "progress":
            progress.update(task, **_columns(event.fields))

    with progress:
        task = progress.add_task(first, total=None, done="")
        yield on_event


def _columns(fields: JsonObject) -> JsonObject:

    name, done, total = str(fields.get("stage", "")), int(fields.get("done", 0)), fields.get("total")
    return {
        "description": safe(label_of(name)),
        "completed": done,
        "total": total,
        "done": f"{done:,} of {total:,}" if total else f"{done:,}" if done else "",
    }
