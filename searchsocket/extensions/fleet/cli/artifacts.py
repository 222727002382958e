"""`searchsocket artifacts`: generations in an object store, for machines without their own index."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from searchsocket.cli.options import (
    DecimalNumber,
    WholeNumber,
    json_option,
    load_project,
    log_options,
    project_option,
    scope_options,
)
from searchsocket.cli.output import count, print_json, safe, say
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.fleet.live import push_live
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.prune import StoredGeneration, stored_generations
from searchsocket.extensions.fleet.prune import prune as prune_objects
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.serving.scopes import ReadableScopes
from searchsocket.state.project import ProjectState

_url_option = click.option("--url", default="", metavar="URL", help="URL of the object store; default: artifacts.url.")


@click.group()
def artifacts() -> None:
    """Push indexes to an object store, and pull them elsewhere.

    A URL is file:///folder, s3://bucket/prefix, gs://bucket/prefix, or https://host/path (pull only).

    \b
    Example:
      searchsocket artifacts push --url s3://my-bucket/search
    """


@artifacts.command()
@scope_options
@_url_option
@log_options
def push(root: Path, scope_name: str | None, url: str, as_json: bool) -> None:
    """Upload the live generation of a scope.

    Uploads only files that the object store lacks.

    \b
    Example:
      searchsocket artifacts push --scope main --json
    """

    project = _project(root, url)
    scope = project.scope(os.environ, scope_name)
    make_private_folders(project)
    with ProjectState(project.state_dir).lock(scope.name):
        pushed = push_live(project, scope, os.environ, datetime.now(UTC))
    assert pushed is not None
    if as_json:
        print_json(
            {
                "scope": pushed.scope,
                "generation": pushed.generation,
                "files": pushed.files,
                "sentFiles": pushed.sent_files,
                "sentBytes": pushed.sent_bytes,
                "switched": pushed.is_new,
            }
        )
        return
    sent = f"sent {count(pushed.sent_files, 'file')} of {pushed.files}, {pushed.sent_bytes / 1e6:,.1f} MB"
    say(f"{click.style(pushed.scope, bold=True)}: generation {pushed.generation} is live in the object store; {sent}")


@artifacts.command()
@project_option
@_url_option
@log_options
def pull(root: Path, url: str, as_json: bool) -> None:
    """Download the default scope into the state folder.

    `searchsocket serve --artifacts` then starts immediately.

    \b
    Example:
      searchsocket artifacts pull --url https://files.example.com/search
    """

    project = _project(root, url)
    pulled = open_pulled(project, os.environ, artifacts_of(project).url)
    name = ReadableScopes(pulled.project, os.environ, pulled.store.public_scopes).default
    generation = pulled.store.generation(pulled.project.scope_named(name))
    assert generation is not None
    folder = pulled.project.settings.vector.local.path
    if as_json:
        print_json({"project": pulled.project.id, "scope": name, "generation": generation.name, "path": folder})
        return
    pages = count(generation.pages, "page")
    say(f"{click.style(name, bold=True)}: generation {generation.name} ({pages}) downloaded to {safe(folder)}")


@artifacts.command("list")
@project_option
@_url_option
@json_option
def list_(root: Path, url: str, as_json: bool) -> None:
    """List the generations of every scope, newest first.

    \b
    Example:
      searchsocket artifacts list --json
    """

    generations = stored_generations(open_objects(artifacts_of(_project(root, url)).url))
    if as_json:
        print_json({"generations": [_generation(each) for each in generations]})
        return
    for each in generations:
        state = "live" if each.is_live else "kept"
        click.echo(f"{safe(each.scope)}  {each.name}  {state}  pushed {each.pushed.isoformat(timespec='seconds')}")


@artifacts.command()
@project_option
@_url_option
@click.option("--keep", type=WholeNumber(1), default=2, show_default=True, help="Generations to keep per scope.")
@click.option(
    "--min-age-hours",
    type=DecimalNumber(0),
    default=24.0,
    show_default=True,
    help="Keep generations that were live or pushed in the last H hours.",
)
@click.option(
    "--drop-scope", "dropped", multiple=True, metavar="NAME", help="Delete this scope completely; repeat for several."
)
@click.option("--dry-run", is_flag=True, help="Show what would be deleted.")
@log_options
def prune(
    root: Path, url: str, keep: int, min_age_hours: float, dropped: tuple[str, ...], dry_run: bool, as_json: bool
) -> None:
    """Delete old generations.

    \b
    Example:
      searchsocket artifacts prune --keep 3 --drop-scope old-preview
    """

    project = _project(root, url)
    removed = prune_objects(
        open_objects(artifacts_of(project).url),
        datetime.now(UTC),
        keep=keep,
        min_age=timedelta(hours=min_age_hours),
        drop_scopes=[project.scope(os.environ, name).name for name in dropped],
        dry_run=dry_run,
    )
    if as_json:
        generations_json = [_generation(each) for each in removed.generations]
        print_json({"generations": generations_json, "files": removed.files, "bytes": removed.bytes, "dryRun": dry_run})
        return
    verb = "would remove" if dry_run else "removed"
    generations, files = count(len(removed.generations), "generation"), count(removed.files, "file")
    say(f"{verb} {generations} and {files}, {removed.bytes / 1e6:,.1f} MB")


def _project(root: Path, url: str) -> Project:
    """Load the project, with the URL of the command line instead of its own."""
    project = load_project(root)
    settings = project.settings
    section = artifacts_of(project)
    if not (url or section.url):
        raise ConfigMissing("no URL of an object store; set artifacts.url or pass --url")
    artifacts = section.model_copy(update={"url": url or section.url})
    return replace(project, settings=settings.model_copy(update={"artifacts": artifacts}))


def _generation(generation: StoredGeneration) -> dict[str, object]:
    return {
        "scope": generation.scope,
        "generation": generation.name,
        "live": generation.is_live,
        "pushedAt": generation.pushed.isoformat(timespec="seconds"),
        "replacedAt": generation.replaced.isoformat(timespec="seconds") if generation.replaced else None,
    }
