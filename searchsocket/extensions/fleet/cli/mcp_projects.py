"""`searchsocket mcp add`, `sync`, `remove` and `list`: projects that agents can search from every folder."""

import os
from pathlib import Path

import click

from searchsocket.agents.checkout import project_around
from searchsocket.cli.options import WholeNumber, json_option, load_project
from searchsocket.cli.output import print_json, safe
from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, ConfigError, NewerRelease
from searchsocket.extensions.fleet.agents import project_list
from searchsocket.extensions.fleet.agents.pulled import pulled_home
from searchsocket.extensions.fleet.pulled import pulled_project_id
from searchsocket.pipeline.run.options import RunOptions


@click.command()
@click.argument("location", metavar="DIR|URL")
@click.option("--name", default="", metavar="NAME", help="Name for agents; default: the project's id, or the host.")
@click.option("--pages", type=WholeNumber(1), metavar="N", help="Crawl at most N pages; default: 1,000.")
def add(location: str, name: str, pages: int | None) -> None:
    """Let agents ask another project, in every folder.

    DIR is a project folder. URL is where `searchsocket artifacts push` uploads an index, or a website: its pages are
    crawled and indexed in a folder of yours. A path in its URL limits the crawl to the pages below it. The same command
    again, or `searchsocket mcp sync`, fetches what changed. Running servers keep their projects until they restart.

    \b
    Example:
      searchsocket mcp add apps/docs
      searchsocket mcp add https://files.example.com/search --name hatch
      searchsocket mcp add https://docs.example.org/guide --pages 200
    """
    if project_list.is_url(location):
        pushed = "" if pages else _pushed_project_id(location)
        if not pushed:
            _add_site(location, name, pages)
            return
        name = name or pushed
    else:
        folder = Path(location).expanduser()
        if not folder.is_dir():
            raise click.UsageError(f"{safe(location)!r} is neither a folder nor a URL")
        root = project_around(folder)
        location, name = str(root), name or load_project(root).id
    _add(name, location)


def _add(name: str, location: str) -> None:
    try:
        project = project_list.ProjectEntry(name=name, location=location)
    except ValueError as error:
        raise ConfigError("a name has 1 to 200 printable characters, and a location at most 4,096") from error
    is_new = project_list.add_project(project_list.list_path(), project)
    state = "added" if is_new else "already listed:"
    click.echo(f"{state} {safe(name)}  {safe(public_location(location))}")


def _pushed_project_id(url: str) -> str:
    """Return the id of the project whose index was pushed to a URL; "" for a website.

    Raises:
        SearchSocketError: The URL is not a website's, and has no index.
    """
    try:
        return pulled_project_id(pulled_home(os.environ), url)
    except (ArtifactInvalid, ArtifactsUnavailable, NewerRelease):
        if not url.startswith(("http://", "https://")):
            raise
        return ""


def _add_site(url: str, name: str, pages: int | None) -> None:
    """Crawl a website into its folder, and list it; the list stays unchanged if nothing can be indexed."""
    folder = project_list.site_project(url, pages)
    listed = next(
        (each for each in project_list.read_list(project_list.list_path()) if each.location == str(folder)), None
    )
    try:
        _crawl(folder)
    except BaseException:
        if listed is None:
            project_list.delete_site(folder)
        raise
    _add(name or (listed.name if listed else project_list.site_name(url)), str(folder))


def _crawl(folder: Path) -> None:
    from searchsocket.cli.index_run import index_corpora

    index_corpora(folder, None, RunOptions(), "site", dry_run=False, verbose=False, record=False, as_json=False)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def sync(names: tuple[str, ...]) -> None:
    """Crawl listed websites again, and index the pages that changed.

    \b
    Example:
      searchsocket mcp sync
      searchsocket mcp sync docs.example.org
    """
    sites = {
        each.name: Path(each.location)
        for each in project_list.read_list(project_list.list_path())
        if project_list.is_crawled(each.location)
    }
    if unknown := next((name for name in names if name not in sites), None):
        listed = ", ".join(map(safe, sites)) or "no website"
        raise click.UsageError(f"{safe(unknown)!r} is not a listed website; the list has {listed}")
    if not sites:
        click.echo("no websites; add one with `searchsocket mcp add URL`", err=True)
    failed = 0
    for name in names or sites:
        click.echo(safe(name), err=True)
        try:
            _crawl(sites[name])
        except SystemExit as error:
            failed = failed or int(error.code or 0)  # the others are crawled too
    if failed:
        raise SystemExit(failed)


@click.command()
@click.argument("name", metavar="NAME|DIR|URL")
def remove(name: str) -> None:
    """Remove a project from the list.

    Its files and its index stay. The copy of a website is deleted.

    \b
    Example:
      searchsocket mcp remove robot
    """
    path = project_list.list_path()
    listed = project_list.read_list(path)
    locations = {name, str(Path(name).expanduser().resolve())}
    project = next((each for each in listed if each.name == name), None)
    project = project or next((each for each in listed if each.location in locations), None)
    if project is None:
        names = ", ".join(safe(each.name) for each in listed) or "no project"
        raise click.UsageError(f"{safe(name)!r} is not in the list; it has {names}")
    project_list.remove_project(path, project)
    if project_list.is_crawled(project.location):
        project_list.delete_site(Path(project.location))
    click.echo(f"removed {safe(project.name)}")


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the projects that agents can ask in every folder.

    \b
    Example:
      searchsocket mcp list --json
    """
    listed = project_list.read_list(project_list.list_path())
    if as_json:
        print_json({"projects": [{"name": each.name, "location": public_location(each.location)} for each in listed]})
        return
    for each in listed:
        is_gone = not each.is_url and not Path(each.location).is_dir()
        click.echo(
            f"{safe(each.name)}  {safe(public_location(each.location))}{'  (no such folder)' if is_gone else ''}"
        )
    if not listed:
        click.echo("no projects; add one with `searchsocket mcp add DIR`", err=True)


def public_location(location: str) -> str:
    """Return a location without the login of a URL."""
    scheme, mark, address = location.partition("://")
    host, slash, path = address.partition("/")
    return f"{scheme}://***@{host.rpartition('@')[2]}{slash}{path}" if mark and "@" in host else location
