"""`searchsocket backfill`: one run for each of several scopes, in parallel."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from searchsocket.backends import Backends
from searchsocket.cli.exits import FAILED
from searchsocket.cli.index import run_options
from searchsocket.cli.log_lines import log_lines
from searchsocket.cli.options import WholeNumber, is_quiet, load_project, log_options, project_option
from searchsocket.cli.output import count, error_line, print_json, safe, say
from searchsocket.pipeline.branches.builds import refuse_shared_source
from searchsocket.pipeline.branches.scopes import choose_scopes
from searchsocket.pipeline.run.options import OPTIONS, RunOptions
from searchsocket.system.bound import start, stop
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Scope

MAX_AT_ONCE = 16
_SILENT = {
    "code": "INTERNAL_ERROR",
    "message": "the run ended without a message; run `searchsocket index` for this scope to see the error",
}


@click.command()
@project_option
@click.option(
    "--scopes", "globs", multiple=True, metavar="GLOB", help="Scopes or branches that match; repeat for several."
)
@click.option("--all", "everything", is_flag=True, help="Every branch that [branches] includes.")
@click.option(
    "--at-once", type=WholeNumber(1, MAX_AT_ONCE), default=2, show_default=True, help="Number of parallel runs."
)
@click.option("--dry-run", is_flag=True, help="Show each plan and its cost; make no calls and write nothing.")
@run_options
@log_options
def backfill(
    root: Path,
    globs: tuple[str, ...],
    everything: bool,
    at_once: int,
    dry_run: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Index several branches in parallel, one run per branch.

    If a branch fails, the others continue; the command names it and exits with 1. A text that several branches share
    is embedded once.

    \b
    Example:
      searchsocket backfill --scopes "feature-*" --at-once 4
      searchsocket backfill --all --dry-run --json
    """

    if everything == bool(globs):
        raise click.UsageError("select scopes with --scopes GLOB or --all")
    project = load_project(root)
    scopes, problem = choose_scopes(project, Backends(project, os.environ, calls=False), globs or ("*",))
    if problem is not None:
        click.echo(f"{problem.code}: {safe(str(problem))}", err=True)
    refuse_shared_source(project, len(scopes), RunOptions(**flags).source)
    arguments = ["--project", str(project.root), "--json", *_flags(RunOptions(**flags))]
    arguments += ["--dry-run"] if dry_run else []
    log = log_lines()
    if log:
        arguments += ["--log-format", "json"]
    outcomes: list[Outcome] = []
    for outcome in _outcomes(scopes, arguments, at_once, None if log else subprocess.DEVNULL):
        outcomes.append(outcome)
        if not (as_json or is_quiet()):
            line = f"[{len(outcomes)}/{len(scopes)}] {_line(outcome)}"
            if log:
                log.log("info" if outcome.ok else "error", scope=outcome.scope.name, message=click.unstyle(line))
            else:
                click.echo(line, err=not outcome.ok)
    outcomes.sort(key=lambda outcome: outcome.scope.name)
    failed = [outcome.scope.name for outcome in outcomes if not outcome.ok]
    if as_json:
        print_json({"dryRun": dry_run, "scopes": [_to_json(outcome) for outcome in outcomes], "failed": failed})
    else:
        cost = sum(outcome.answer.get("estimatedCostUsd", 0.0) for outcome in outcomes)
        say(f"{count(len(outcomes) - len(failed), 'scope')} done, {len(failed)} failed, about ${cost:.4f}")
        if failed:
            click.echo(f"failed: {', '.join(failed)}", err=True)
    if failed:
        click.get_current_context().exit(FAILED)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of the run of one scope."""

    scope: Scope
    ok: bool
    answer: JsonObject  # the one object that `index --json` prints

    @property
    def error(self) -> Mapping[str, str]:
        error: Mapping[str, str] = self.answer.get("error", _SILENT)
        return error


def _outcomes(scopes: Sequence[Scope], arguments: Sequence[str], at_once: int, errors: int | None) -> Iterator[Outcome]:
    """Yield the outcomes as runs end; each run is a separate process, so that a crash affects no other run.

    Args:
        errors: Target of their stderr, as for `Popen`; None = stderr of this process.
    """
    running: list[subprocess.Popen[bytes]] = []
    is_over = False

    def index(scope: Scope) -> Outcome | None:
        if is_over:
            return None
        command = ["index", "--scope", scope.branch or scope.name, *arguments]
        child = start(command, os.environ, stdout=subprocess.PIPE, stderr=errors)
        running.append(child)
        assert child.stdout is not None
        output = child.stdout.read()  # `communicate` would close its standard input, which ends it
        child.wait()
        return Outcome(scope, child.returncode == 0, _answer(output))

    with ThreadPoolExecutor(at_once) as pool:
        try:
            for future in as_completed([pool.submit(index, scope) for scope in scopes]):
                if outcome := future.result():
                    yield outcome
        finally:
            is_over = True
            for child in running:
                stop(child)


def _answer(output: bytes) -> JsonObject:
    try:
        answer = json.loads(output.splitlines()[-1])
    except (ValueError, IndexError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _flags(options: RunOptions) -> list[str]:
    """Convert the options of this backfill to options of `searchsocket index`."""
    flags = []
    request = options.stated()
    for option in OPTIONS:
        if option.name in request:
            flags.append(option.flag or f"--{option.name.replace('_', '-')}")
            flags += [] if option.kind is bool else [str(request[option.name])]
    return flags


def _line(outcome: Outcome) -> str:
    name = outcome.scope.name
    if not outcome.ok:
        return f"{name}: {error_line(outcome.error['code'], outcome.error['message'])}"
    embeddings = outcome.answer.get("embeddings", {})
    state = "planned" if outcome.answer.get("dryRun") else "unchanged" if _is_unchanged(outcome) else "indexed"
    pages = outcome.answer.get("pages", {}).get("indexed", 0)
    return f"{name}: {state}, {count(pages, 'page')}, {count(embeddings.get('created', 0), 'text')} embedded"


def _is_unchanged(outcome: Outcome) -> bool:
    records = outcome.answer.get("records", {})
    return not (records.get("upserted") or records.get("deleted"))


def _to_json(outcome: Outcome) -> JsonObject:
    head = {"scope": outcome.scope.name, "branch": outcome.scope.branch or None, "ok": outcome.ok}
    if not outcome.ok:
        return {**head, "error": dict(outcome.error)}
    names = ("generation", "pages", "embeddings", "records", "estimatedTokens", "estimatedCostUsd", "seconds")
    return {**head, **{name: outcome.answer[name] for name in names if name in outcome.answer}}
