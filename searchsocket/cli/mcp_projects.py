"""`searchsocket mcp add`, `remove` and `list`: projects that the user's agents can always ask."""

import os
from pathlib import Path

import click

from searchsocket.cli.options import json_option, load_project
from searchsocket.cli.output import print_json, safe


@click.command()
@click.argument("location", metavar="DIR|URL")
@click.option("--name", default="", metavar="NAME", help="Name for agents; default: the project's id.")
def add(location: str, name: str) -> None:
    """Let agents ask another project, in every folder.

    DIR is a project folder. URL is where `searchsocket artifacts push` uploads an index. Running servers keep their
    projects until they restart.

    \b
    Example:
      searchsocket mcp add apps/docs
      searchsocket mcp add https://files.example.com/search --name hatch
    """
    from searchsocket.agents.project_list import ListedProject, add_project, is_url, list_path
    from searchsocket.agents.pulled import pulled_home
    from searchsocket.agents.worktree import project_around
    from searchsocket.errors import ConfigError
    from searchsocket.serving.pulled import pulled_project_id

    if is_url(location):
        name = name or pulled_project_id(pulled_home(os.environ), location)
    else:
        folder = Path(location).expanduser()
        if not folder.is_dir():
            raise click.UsageError(f"{safe(location)!r} is neither a folder nor a URL")
        root = project_around(folder)
        location, name = str(root), name or load_project(root).id
    try:
        project = ListedProject(name=name, location=location)
    except ValueError as error:
        raise ConfigError("a name has 1 to 200 printable characters, and a location at most 4,096") from error
    is_new = add_project(list_path(), project)
    state = "added" if is_new else "already listed:"
    click.echo(f"{state} {safe(name)}  {safe(shown(location))}")


@click.command()
@click.argument("name", metavar="NAME|DIR|URL")
def remove(name: str) -> None:
    """Remove a project from the list; its files and its index stay.

    \b
    Example:
      searchsocket mcp remove robot
    """
    from searchsocket.agents.project_list import list_path, read_list, remove_project

    path = list_path()
    listed = read_list(path)
    locations = {name, str(Path(name).expanduser().resolve())}
    project = next((each for each in listed if each.name == name), None)
    project = project or next((each for each in listed if each.location in locations), None)
    if project is None:
        names = ", ".join(safe(each.name) for each in listed) or "no project"
        raise click.UsageError(f"{safe(name)!r} is not in the list; it has {names}")
    remove_project(path, project)
    click.echo(f"removed {safe(project.name)}")


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the projects that agents can ask in every folder.

    \b
    Example:
      searchsocket mcp list --json
    """
    from searchsocket.agents.project_list import list_path, read_list

    listed = read_list(list_path())
    if as_json:
        print_json({"projects": [{"name": each.name, "location": shown(each.location)} for each in listed]})
        return
    for each in listed:
        is_gone = not each.is_url and not Path(each.location).is_dir()
        click.echo(f"{safe(each.name)}  {safe(shown(each.location))}{'  (no such folder)' if is_gone else ''}")
    if not listed:
        click.echo("no projects; add one with `searchsocket mcp add DIR`", err=True)


def shown(location: str) -> str:
    """A location without the password of a URL."""
    scheme, mark, rest = location.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://***@{host.rpartition('@')[2]}{slash}{path}" if mark and "@" in host else location
