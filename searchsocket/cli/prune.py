"""`searchsocket prune`: delete the scopes of branches that no longer exist (spec 17)."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.cli.exits import FAILED
from searchsocket.cli.options import load_project, log_options, project_option
from searchsocket.cli.output import count, print_error, print_json, safe, say
from searchsocket.pipeline.branches.pruning import (
    PruneOutcome,
    PrunePlan,
    PruneRequest,
    apply_prune,
    plan_prune,
    seconds_of,
)
from searchsocket.project.project import Project, dagster_home


@click.command()
@project_option
@click.option("--by-branch", is_flag=True, help="Scopes whose branch no longer exists (default).")
@click.option(
    "--scopes-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of existing branches or scopes, one per line, instead of git.",
)
@click.option("--older-than", metavar="TIME", help="Scopes without a run for this long: 12h, 30d, 8w.")
@click.option(
    "--match",
    type=click.Choice(["any", "all"]),
    default="any",
    show_default=True,
    help="Delete a scope if any, or only if all, of these conditions match.",
)
@click.option("--apply", "is_applied", is_flag=True, help="Delete; without it, only show.")
@log_options
def prune(
    root: Path,
    by_branch: bool,
    scopes_file: Path | None,
    older_than: str | None,
    match: str,
    is_applied: bool,
    as_json: bool,
) -> None:
    """Delete the scopes of branches that no longer exist.

    Shows what it would delete; `--apply` deletes it. Keeps the embedding cache.

    \b
    Example:
      searchsocket prune --by-branch --older-than 30d --match all
    """
    project = load_project(root)
    older_than_s = seconds_of(older_than) if older_than else None
    request = PruneRequest(by_branch, scopes_file, older_than_s, "all" if match == "all" else "any")
    plan = plan_prune(project, os.environ, request, datetime.now(UTC))
    if plan.problem is not None:
        click.echo(f"could not read the index: {safe(str(plan.problem))}", err=True)
    if not as_json:
        _print_plan(plan)
    outcome = PruneOutcome((), {})
    if is_applied:
        outcome = apply_prune(project, os.environ, plan, lambda scope: None if as_json else say(f"deleted {scope}"))
        _delete_empty_partitions(project, plan)
    if as_json:
        print_json(_as_json(plan, outcome, is_applied=is_applied))
    elif not is_applied and plan.to_delete:
        say(f"Nothing was deleted; run with `--apply` to delete {count(len(plan.to_delete), 'scope')}.")
    for scope, error in outcome.failed.items():
        if not as_json:
            print_error(error.code, f"could not delete {scope}: {error}")
    if outcome.failed:
        click.get_current_context().exit(FAILED)


def _delete_empty_partitions(project: Project, plan: PrunePlan) -> None:
    home = dagster_home(project, os.environ)
    if home.is_dir():
        from searchsocket_assets.partitions import delete_empty_partitions

        delete_empty_partitions(project, os.environ, home, plan)


def _print_plan(plan: PrunePlan) -> None:
    if plan.listed:
        say(f"existing branches from {safe(plan.listed)}")
    width = max((len(verdict.scope) for verdict in plan.verdicts), default=0)
    for verdict in plan.verdicts:
        word = click.style("delete", fg="red") if verdict.goes else "keep  "
        say(f"  {word}  {verdict.scope:<{width}}  {safe(verdict.reason)}")
    if not plan.verdicts:
        say("No scope is indexed yet.")
    elif not plan.to_delete:
        say("No scope can be deleted.")


def _as_json(plan: PrunePlan, outcome: PruneOutcome, *, is_applied: bool) -> dict[str, object]:
    return {
        "applied": is_applied,
        "listedBy": plan.listed,
        "scopes": [{"scope": each.scope, "goes": each.goes, "reason": each.reason} for each in plan.verdicts],
        "deleted": list(outcome.deleted),
        "failed": {scope: {"code": error.code, "message": str(error)} for scope, error in outcome.failed.items()},
    }
