"""`searchsocket index`: bring a scope's index up to date (spec 17, 21, 22)."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from searchsocket.cli.log_lines import log_lines
from searchsocket.cli.options import DecimalNumber, WholeNumber, is_quiet, log_options, scope_options
from searchsocket.cli.output import hanging, line_width, print_json, say
from searchsocket.cli.summary import TEXT_COLUMN, unchanged_lines
from searchsocket.extensions import built_in, corpus_names
from searchsocket.pipeline.run.options import OPTIONS, Option, RunOptions
from searchsocket.pipeline.unchanged.record import RunRecord, unchanged_since
from searchsocket.system.this_process import loading, process_age_s

F = TypeVar("F", bound=Callable[..., object])


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


def _type(option: Option) -> object:
    if option.choices:
        return click.Choice(option.choices)
    if option.kind is int:
        return WholeNumber(int(option.minimum))
    return DecimalNumber(option.minimum) if option.kind is float else None


_FURTHER = "".join(f", or only the {extension.contents}" for extension in built_in() if extension.corpora)


@click.command()
@scope_options
@click.option("--changed-only", is_flag=True, help="Process only what changed (default; not with --force).")
@click.option("--dry-run", is_flag=True, help="Show the plan and its cost; make no calls and write nothing.")
@click.option("--only", type=click.Choice(corpus_names()), help=f"Index only the site{_FURTHER}.")
@run_options
@click.option("--verbose", is_flag=True, help="Print events (JSON lines) to stderr.")
@click.option("--record", is_flag=True, help="Show the run in Dagster at once, even if nothing changed.")
@log_options
def index(
    root: Path,
    scope_name: str | None,
    changed_only: bool,
    dry_run: bool,
    only: str | None,
    verbose: bool,
    record: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Build or update the index of the site and its source code.

    Later runs process only what changed. Dagster shows the run while it is open (`searchsocket dagster`), except when
    no file and no setting changed. With --json, events are printed to stderr as JSON lines.

    \b
    Example:
      searchsocket index --dry-run
      searchsocket index --scope preview --max-cost 0.50 --json
    """
    options = RunOptions(**flags)
    if changed_only and options.force:
        raise click.UsageError("--changed-only and --force cannot be combined")
    if verbose and is_quiet():
        raise click.UsageError("--verbose and --quiet cannot be combined")
    if not (options.stated() or dry_run or verbose or record or only):
        now = datetime.now(UTC)
        now_ns, words = int(now.timestamp() * 1e9), now.isoformat(timespec="seconds").replace("+00:00", "Z")
        if last := unchanged_since(str(root), scope_name, os.environ, now_ns=now_ns, checked_at=words):
            _print_unchanged(last, as_json)
            return
    with loading():
        from searchsocket.cli.index_run import index_corpora  # not needed by a run without changes

    index_corpora(root, scope_name, options, only, dry_run=dry_run, verbose=verbose, record=record, as_json=as_json)


def _print_unchanged(last: RunRecord, as_json: bool) -> None:
    """Print the outcome of a run without changes, with the id of the last run."""
    total = process_age_s()
    if log := log_lines():
        log.add_facts(scope=last.summary["scope"], run=last.run_id)
    if as_json:
        print_json({**last.summary, "seconds": {"total": round(total, 3)}, "unchangedSince": last.run_id})
        return
    for line in unchanged_lines(last.summary, last.run_id, total):
        say(hanging(line, line_width(), TEXT_COLUMN))
