"""`searchsocket serve`: the search API of this project (spec 14)."""

import os
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchsocket.cli.options import DecimalNumber, WholeNumber, offer_options, offering, projects_option, quiet_option
from searchsocket.cli.sites import ServeRequest, chosen_sites
from searchsocket.project.project import Project
from searchsocket.serving.hosts import is_loopback

if TYPE_CHECKING:
    from searchsocket.agents.library import WithOthers

DEFAULT_PORT = 8181
MAX_WORKERS = 64


@click.command()
@projects_option("Project folder; repeat to search several sites at once. Default: the current folder.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option(
    "--port", type=WholeNumber(0, 65535), default=DEFAULT_PORT, show_default=True, help="Port; 0 = any free port."
)
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="Scope that is public; repeat for several.")
@click.option("--no-page", is_flag=True, help="Do not serve the search page at /.")
@click.option(
    "--workers",
    type=WholeNumber(1, MAX_WORKERS),
    default=1,
    show_default=True,
    help="Number of worker processes; each counts the rate limit separately.",
)
@click.option(
    "--drain-seconds",
    type=DecimalNumber(0, 3600),
    default=0.0,
    show_default=True,
    help="After SIGTERM, seconds to keep answering while /api/ready returns 503.",
)
@click.option("--metrics-port", type=WholeNumber(1, 65535), help="Serve /metrics at this port too, without a key.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of warnings on stderr.",
)
@click.option("--access-log", is_flag=True, help="Write one JSON line per request to stderr.")
@quiet_option
@click.option("--dev", is_flag=True, help="Trust every program on this machine while no key is set.")
@click.option("--mcp/--no-mcp", default=None, help="Also run the MCP server; default: mcp.enable, or with --dev.")
@offer_options
def serve(
    roots: tuple[Path, ...],
    host: str,
    port: int,
    scopes: tuple[str, ...],
    no_page: bool,
    workers: int,
    drain_seconds: float,
    metrics_port: int | None,
    log_format: str,
    access_log: bool,
    dev: bool,
    mcp: bool | None,
    tools: str | None,
    structured_content: bool,
    sync: bool | None = None,
    libraries: "WithOthers | None" = None,
    **added: Any,
) -> None:
    """Serve the search API until Ctrl-C.

    It serves new generations without a restart. Callers with the key, or with the token from the state folder if no
    key is set, see every scope and source paths.

    \b
    Example:
      searchsocket serve --port 8181 --workers 2
      searchsocket serve --project apps/docs --project apps/blog
      searchsocket serve --artifacts https://files.example.com/search
      searchsocket serve --projects s3://bucket/search --memory-mb 600
      curl "http://127.0.0.1:8181/api/search?q=install"
      curl -H "Authorization: Bearer $(cat .searchsocket/serve.token)" "http://127.0.0.1:8181/api/search?q=install"
    """
    if dev and not is_loopback(host):
        raise click.UsageError(f"--dev trusts every program on this machine, but other machines can reach {host}")
    options = _Options(scopes, no_page, access_log, mcp, dev, tools, structured_content, sync, workers)
    chosen_sites().serve(
        ServeRequest(
            roots=roots,
            added=added,
            prepare=options.applied,
            dev=dev,
            libraries=libraries,
            host=host,
            port=port,
            workers=workers,
            drain_s=drain_seconds,
            metrics_port=metrics_port,
            json_lines=log_format == "json",
        )
    )


@dataclass(frozen=True, slots=True)
class _Options:
    """Options that change the settings of each project."""

    scopes: tuple[str, ...]
    no_page: bool
    access_log: bool
    mcp: bool | None
    dev: bool
    tools: str | None
    structured_content: bool
    sync: bool | None
    workers: int

    def applied(self, project: Project) -> Project:
        """Return the project with these options."""
        options = {
            "scopes": tuple(project.scope(os.environ, name).name for name in self.scopes) or None,
            "page": False if self.no_page else None,
            "access_log": self.access_log or None,
        }
        changes = {name: value for name, value in options.items() if value is not None}
        agents = offering(project.settings.mcp, self.tools, structured_content=self.structured_content)
        in_dev = self.dev and find_spec("mcp") is not None
        may_sync = agents.sync if agents.sync is not None else self.sync
        agents = agents.model_copy(update={"enable": _first(self.mcp, agents.enable, in_dev), "sync": may_sync})
        sections = {"api": project.settings.api.model_copy(update=changes), "mcp": agents}
        return share_of_budget(replace(project, settings=project.settings.model_copy(update=sections)), self.workers)


def _first(*values: bool | None) -> bool:
    """Return the first value that is not None."""
    return next(value for value in values if value is not None)


def share_of_budget(project: Project, workers: int) -> Project:
    """Return the project with one worker's share of the query budget, since each worker counts separately."""
    settings = project.settings
    shares = {
        "embeddings": settings.embeddings.model_copy(
            update={"query_usd_a_day": settings.embeddings.query_usd_a_day / workers}
        ),
        "rerank": settings.rerank.model_copy(update={"usd_a_day": settings.rerank.usd_a_day / workers}),
    }
    return replace(project, settings=settings.model_copy(update=shares))
