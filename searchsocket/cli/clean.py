"""`searchsocket clean`: delete the local state of one scope, or all of it (spec 17)."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import is_quiet, load_project, log_options, project_option
from searchsocket.cli.output import print_json, say
from searchsocket.errors import ConfigError
from searchsocket.extensions import extensions
from searchsocket.pipeline.branches.scopes import existing_scopes
from searchsocket.pipeline.run.context import homes_of
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.project.access import refuse_linked_state
from searchsocket.project.project import Project, dagster_home
from searchsocket.stores.base.vectors import VectorUpkeep
from searchsocket.system.errors import system_error
from searchsocket.types import Scope

_OURS = (
    "pages",
    "index",
    "tmp",
    "runs",
    "dagster",
    "state.db*",
    "settings.json",
    "hashed.json",
)


@click.command()
@project_option
@click.option("--scope", "scope_name", metavar="NAME", help="Delete only this scope; default: all local state.")
@click.option("--all", "everything", is_flag=True, help="Delete all local state (default; not with --scope).")
@click.option("--remote", is_flag=True, help="Also delete vectors in a remote vector store; needs --scope or --all.")
@click.option(
    "--confirm", "confirmed", metavar="PROJECT", help="Project id, to run --all --remote without confirmation."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@log_options
def clean(
    root: Path,
    scope_name: str | None,
    everything: bool,
    remote: bool,
    confirmed: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete the index, mirror and state of one scope or of all.

    Keeps the embedding cache (see `searchsocket cache prune`). Keeps vectors in a remote vector store unless you pass
    --remote.

    \b
    Example:
      searchsocket clean --scope preview --yes
      searchsocket clean --scope preview --remote
    """
    if everything and scope_name is not None:
        raise click.UsageError("--all and --scope cannot be combined")
    if remote and not everything and scope_name is None:
        raise click.UsageError("--remote needs --scope NAME or --all")
    project = load_project(root)
    index = _remote_index(project) if remote else None
    if project.root.is_relative_to(project.state_dir.resolve()):
        raise ConfigError(f"state.dir is {project.state_dir}, which contains the project itself; nothing was deleted")
    refuse_linked_state(project)
    scopes = all_scopes(project) if scope_name is None else [project.scope(os.environ, scope_name)]
    paths = [path for scope in scopes for path in _scope_paths(project, scope)]
    if scope_name is None:
        names = (*_OURS, *(name for extension in extensions() for name in extension.files))
        paths = [path for name in names for path in sorted(project.state_dir.glob(name))]
    if not as_json:
        for path in paths:
            say(f"deletes {path}")
        for line in _remote_lines(index, scope_name) if index else ():
            say(line)
        if not paths and not index:
            say("nothing to delete")
    silent = "--json" if as_json else "--quiet" if is_quiet() else ""
    if index and everything:
        _confirm_with_id(project, confirmed, silent)
    elif (paths or index) and not yes:
        if silent:
            raise click.UsageError(f"{silent} cannot ask for confirmation; add --yes")
        click.confirm("Delete this?", abort=True)
    dropped = _drop_remote(project) if index and everything else []
    _delete(project, scopes, paths, everything=scope_name is None, remote=remote and not everything)
    if as_json:
        deleted = [*map(str, paths), *dropped]
        print_json({"scopes": [scope.name for scope in scopes], "deleted": deleted, "remote": remote})
    elif paths or index:
        say("deleted")


def _remote_index(project: Project) -> VectorUpkeep:
    """Return the remote vector store, or raise a usage error."""

    if (index := Backends(project, os.environ, calls=False).store.remote_index) is None:
        provider = project.settings.vector.provider
        raise click.UsageError(f"vector.provider is {provider}; there are no remote vectors; remove --remote")
    return index


def _drop_remote(project: Project) -> list[str]:
    """Delete all remote vectors of the project; return their names."""

    return [name for home in homes_of(project) for name in _remote_index(home).drop()]


def _remote_lines(index: VectorUpkeep, scope_name: str | None) -> Iterator[str]:
    """Yield one line per remote scope that would be deleted."""
    for each in index.registered():
        if scope_name in (None, each.scope):
            yield f"deletes {each.records:,} remote vectors of scope {each.scope}"


def _confirm_with_id(project: Project, confirmed: str | None, silent: str) -> None:
    """Require the project's id: this deletes all its vectors, for all users, so a quick `y` is not enough."""
    if confirmed is None and silent:
        raise click.UsageError(f"{silent} cannot ask for confirmation; add --confirm {project.id}")
    if confirmed is None:
        confirmed = click.prompt(f"Type the project's id ({project.id}) to delete all of this", err=True)
    if confirmed != project.id:
        raise click.UsageError(
            f"{confirmed!r} is not the id of this project, which is {project.id!r}; nothing was deleted"
        )


def all_scopes(project: Project) -> list["Scope"]:
    """Return every scope with local state; print the reason if the index cannot be listed."""

    scopes, problem = existing_scopes(project, Backends(project, os.environ, local_only=True).store)
    if problem is not None:
        click.echo(f"could not read the index: {problem}", err=True)
    return scopes


def _scope_paths(project: Project, scope: Scope) -> Iterator[Path]:
    index = project.settings.vector.local.path
    folders = (
        project.mirror_dir,
        project.root / index if index else project.state_dir / "index",
        project.state_dir / "tmp",
    )
    yield from (path for folder in folders if (path := folder / scope.name).exists())


def _delete(project: Project, scopes: list["Scope"], paths: list[Path], *, everything: bool, remote: bool) -> None:

    for scope in scopes:
        forget_scope(project, scope, os.environ, with_rows=not everything, remote=remote)
    if not everything:
        _forget_runs(project, scopes)
        return
    for path in paths:
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except FileNotFoundError:
            continue  # deleted with its scope
        except OSError as error:
            raise system_error("cannot delete", path, error) from error


def _forget_runs(project: Project, scopes: list["Scope"]) -> None:
    """Delete Dagster's records of the scopes; otherwise a new scope of the same name would show as materialized."""
    home = dagster_home(project, os.environ)
    if home.is_dir():
        from searchsocket_assets.partitions import forget_runs

        forget_runs(project, home, scopes)
