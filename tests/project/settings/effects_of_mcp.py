"""Effects of `mcp`: whether coding agents are answered, where, and by which tools."""

from click.testing import CliRunner

from searchsocket.cli import mcp, sites
from searchsocket.cli.main import cli
from tests.project.settings.lab import Effect, Lab


def paths(lab: Lab) -> list[str]:
    """Return the paths at which the service answers agents."""
    routes = lab.api(local=True).app.routes
    return sorted(getattr(route, "path", "") for route in routes if getattr(route, "name", "") == "mcp")


def started(lab: Lab) -> list[object]:
    """Return the transport and address that `searchsocket mcp` would start."""
    results: list[object] = []
    with lab.patch.context() as patch:
        patch.setattr(sites, "serve_libraries", lambda *_, **__: results.append("stdio"))
        patch.setattr(
            mcp,
            "serve_http",
            lambda *args: results.extend(["http", args[-2].settings.mcp.http.port]),  # of the project
        )
        result = CliRunner().invoke(cli, ["mcp", "--project", str(lab.root)])
    assert result.exit_code == 0, result.output
    return results


def tools(lab: Lab) -> list[str]:
    """The names of the tools that agents are offered."""
    from searchsocket.agents.checkout import CheckoutLibraries

    return list(CheckoutLibraries(lab.root, {}).tools)


def schemas(lab: Lab) -> set[bool]:
    """Return {True} if tools describe the shape of their answers, and so return data."""
    from tests.agents.agent_project import list_tools, server_of

    return {tool.output_schema is not None for tool in list_tools(server_of(lab.project))}


OF_PAGES = ["search", "get_page", "ask"]  # of the set `core`: no code is indexed
OF_CODE = ["search_code", "find_code", "fetch", "status"]
EFFECTS = (
    Effect("mcp.enable", True, paths, [], ["/mcp", "/mcp/"]),
    Effect("mcp.transport", "http", started, ["stdio"], ["http", 3338]),
    Effect("mcp.http.port", 4000, started, ["http", 3338], ["http", 4000], given={"mcp.transport": "http"}),
    Effect(
        "mcp.http.path",
        "/agents/mcp",
        paths,
        ["/mcp", "/mcp/"],
        ["/agents/mcp", "/agents/mcp/"],
        given={"mcp.enable": True},
    ),
    Effect("mcp.tools", ["search"], tools, OF_PAGES, ["search"]),
    Effect("mcp.sync", False, tools, [*OF_CODE, "sync"], OF_CODE, given={"mcp.tools": [*OF_CODE, "sync"]}),
    Effect("mcp.structured_content", True, schemas, {False}, {True}),
)
