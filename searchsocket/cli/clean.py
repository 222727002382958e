"""`searchsocket clean`: delete what is kept of one scope, or everything (spec 17)."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchsocket.cli.options import is_quiet, json_option, load_project, project_option, quiet_option
from searchsocket.cli.output import print_json, say
from searchsocket.errors import ConfigError
from searchsocket.system.errors import system_error

if TYPE_CHECKING:
    from searchsocket.project.project import Project
    from searchsocket.types import Scope

_OURS = ("pages", "index", "artifacts", "tmp", "dagster", "code", "state.db*")


@click.command()
@project_option
@click.option("--scope", "scope_name", metavar="NAME", help="Delete exactly this scope; default: all local state.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@quiet_option
@json_option
def clean(root: Path, scope_name: str | None, yes: bool, as_json: bool) -> None:
    """Delete index, mirror and state of a scope, or of all.

    The embedding cache is kept; `searchsocket cache prune` is for that.

    \b
    Example:
      searchsocket clean --scope preview --yes
    """
    project = load_project(root)
    if project.root.is_relative_to(project.state_dir.resolve()):
        raise ConfigError(f"state.dir is {project.state_dir}, which holds the project itself; nothing was deleted")
    scopes = known_scopes(project) if scope_name is None else [project.scope(os.environ, scope_name)]
    paths = [path for scope in scopes for path in _scope_paths(project, scope)]
    if scope_name is None:
        paths = [path for name in _OURS for path in sorted(project.state_dir.glob(name))]
    if not as_json:
        for path in paths:
            say(f"deletes {path}")
        if not paths:
            say("there is nothing to delete")
    if paths and not yes:
        if as_json or is_quiet():
            raise click.UsageError(f"{'--json' if as_json else '--quiet'} does not ask; add --yes")
        click.confirm("Delete this?", abort=True)
    _delete(project, scopes, paths, everything=scope_name is None)
    if as_json:
        print_json({"scopes": [scope.name for scope in scopes], "deleted": [str(path) for path in paths]})
    elif paths:
        say("deleted")


def known_scopes(project: "Project") -> list["Scope"]:
    """Every scope that something is kept of; why the index cannot be listed is said."""
    from searchsocket.branches.scopes import kept_scopes
    from searchsocket.project.backends import Backends

    scopes, problem = kept_scopes(project, Backends(project, os.environ).store)
    if problem is not None:
        click.echo(f"the index cannot be listed: {problem}", err=True)
    return scopes


def _scope_paths(project: "Project", scope: "Scope") -> Iterator[Path]:
    index = project.settings.vector.local.path
    folders = (
        project.mirror_dir,
        project.root / index if index else project.state_dir / "index",
        project.state_dir / "tmp",
    )
    yield from (path for folder in folders if (path := folder / scope.name).exists())


def _delete(project: "Project", scopes: list["Scope"], paths: list[Path], *, everything: bool) -> None:
    from searchsocket.pipeline.run.forget import forget_scope

    for scope in scopes:
        forget_scope(project, scope, os.environ, with_rows=not everything)
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
            continue  # went with its scope
        except OSError as error:
            raise system_error("cannot delete", path, error) from error


def _forget_runs(project: "Project", scopes: list["Scope"]) -> None:
    """Dagster's memory of the scopes; else a scope of the same name would show as materialized."""
    from searchsocket_assets.run.home import dagster_home

    home = dagster_home(project, os.environ)
    if home.is_dir():
        from searchsocket_assets.run.runs import forget_runs

        forget_runs(project, home, scopes)
