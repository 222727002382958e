"""Options and subcommands that the fleet adds to `serve` and `mcp`.

`searchsocket mcp add`, `sync`, `remove` and `list` manage projects that agents can search from every folder.
"""

import os
from pathlib import Path

import click

from searchsocket.agents.checkout import project_around
from searchsocket.cli.options import WholeNumber, json_option, load_project, with_options
from searchsocket.cli.output import print_json, safe
from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, ConfigError, NewerRelease
from searchsocket.extensions.fleet import user_list
from searchsocket.extensions.fleet.libraries import pulled_home
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
    if user_list.is_url(location):
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
        project = user_list.ProjectEntry(name=name, location=location)
    except ValueError as error:
        raise ConfigError("a name has 1 to 200 printable characters, and a location at most 4,096") from error
    is_new = user_list.add_project(user_list.list_path(), project)
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
    folder = user_list.site_project(url, pages)
    listed = next((each for each in user_list.read_list(user_list.list_path()) if each.location == str(folder)), None)
    try:
        _crawl(folder)
    except BaseException:
        if listed is None:
            user_list.delete_site(folder)
        raise
    _add(name or (listed.name if listed else user_list.site_name(url)), str(folder))


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
        for each in user_list.read_list(user_list.list_path())
        if user_list.is_crawled(each.location)
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
    path = user_list.list_path()
    listed = user_list.read_list(path)
    locations = {name, str(Path(name).expanduser().resolve())}
    project = next((each for each in listed if each.name == name), None)
    project = project or next((each for each in listed if each.location in locations), None)
    if project is None:
        names = ", ".join(safe(each.name) for each in listed) or "no project"
        raise click.UsageError(f"{safe(name)!r} is not in the list; it has {names}")
    user_list.remove_project(path, project)
    if user_list.is_crawled(project.location):
        user_list.delete_site(Path(project.location))
    click.echo(f"removed {safe(project.name)}")


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the projects that agents can ask in every folder.

    \b
    Example:
      searchsocket mcp list --json
    """
    listed = user_list.read_list(user_list.list_path())
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


def for_serve(command: click.Command) -> click.Command:
    """Return `searchsocket serve` with the options for pushed indexes and for many projects."""
    options = [
        click.Option(
            ["--artifacts", "url"],
            default="",
            metavar="URL",
            help="Serve a pushed index from this URL; needs no local index.",
        ),
        click.Option(
            ["--projects", "location"],
            default="",
            metavar="DIR|URL",
            help="Serve every project in this folder, or below this URL of an object store, each opened by its first "
            "request.",
        ),
        click.Option(
            ["--memory-mb"],
            type=WholeNumber(16, 1_000_000),
            default=600,
            show_default=True,
            help="With --projects: memory of each process for open projects; the least recently used are closed.",
        ),
        click.Option(
            ["--disk-mb"],
            type=WholeNumber(1, 100_000_000),
            default=20_000,
            show_default=True,
            help="With --projects: disk for pulled indexes; the least recently used are removed.",
        ),
    ]
    return with_options(command, options, after="scopes")


def for_mcp(group: click.Group) -> click.Group:
    """Return `searchsocket mcp` with an option for pushed indexes, and commands for the user's list."""
    urls = click.Option(
        ["--artifacts", "urls"],
        multiple=True,
        metavar="URL",
        help="Serve a pushed index from this URL; repeat for several.",
    )
    changed = with_options(group, [urls], after="roots")
    added = {str(command.name): command for command in (add, sync, remove, list_)}
    changed.commands = {**group.commands, **added}
    return changed
