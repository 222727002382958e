"""`searchsocket upgrade`: write indexes of an older release again in the format of this one."""

import os
from dataclasses import dataclass
from pathlib import Path

import click

from searchsocket.cli.exits import FAILED
from searchsocket.cli.options import load_project, log_options, project_option
from searchsocket.cli.output import print_error, print_json, say
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.upgrade import IndexedScope, indexed_scopes, upgrade_scope
from searchsocket.stores.local.layout import FORMAT
from searchsocket.system.json_text import JsonObject


@click.command()
@project_option
@click.option("--dry-run", is_flag=True, help="Only list the indexes that would be rewritten.")
@log_options
def upgrade(root: Path, dry_run: bool, as_json: bool) -> None:
    """Rewrite indexes of an older release in the format of this one.

    Rewrites every scope, of pages and of source code, from its own index: neither the site nor an embedding is needed.
    An interrupted upgrade leaves each index readable; run it again to continue.

    \b
    Example:
      searchsocket upgrade --dry-run
      searchsocket upgrade
    """

    project = load_project(root)
    older = [indexed for indexed in indexed_scopes(project) if indexed.is_older]
    outcomes = []
    for number, indexed in enumerate(older, 1):
        outcomes.append(outcome := _planned(indexed) if dry_run else _upgraded(indexed))
        if as_json:
            continue
        if outcome.error:
            print_error(outcome.error.code, f"{_name(indexed)}: {outcome.error}")
        else:
            say(f"[{number}/{len(older)}] {_name(indexed)}: format {indexed.format}, {outcome.words}")
    failed = [outcome for outcome in outcomes if outcome.error]
    if as_json:
        print_json({"dryRun": dry_run, "format": FORMAT, "indexes": [outcome.to_json() for outcome in outcomes]})
    elif not older:
        say(f"every index has format {FORMAT}, the one of this release")
    elif not dry_run:
        say(f"{len(outcomes) - len(failed)} upgraded, {len(failed)} failed")
    if failed:
        click.get_current_context().exit(FAILED)


@dataclass(frozen=True, slots=True)
class _Outcome:
    indexed: IndexedScope
    generation: str = ""  # the new one; "" = there is none
    error: SearchSocketError | None = None

    @property
    def words(self) -> str:
        return f"now {FORMAT}: generation {self.generation}" if self.generation else f"to be rewritten as {FORMAT}"

    def to_json(self) -> JsonObject:
        error = self.error and {"code": self.error.code, "message": str(self.error)}
        return {
            "corpus": self.indexed.corpus,
            "scope": self.indexed.scope.name,
            "format": self.indexed.format or None,
            "generation": self.generation or None,
            "error": error,
        }


def _planned(indexed: IndexedScope) -> _Outcome:
    return _Outcome(indexed, error=indexed.error)


def _upgraded(indexed: IndexedScope) -> _Outcome:
    try:
        return _Outcome(indexed, upgrade_scope(indexed, os.environ))
    except SearchSocketError as error:
        return _Outcome(indexed, error=error)


def _name(indexed: IndexedScope) -> str:
    return indexed.scope.name if indexed.corpus == "site" else f"code of {indexed.scope.name}"
