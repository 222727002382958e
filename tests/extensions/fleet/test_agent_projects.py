"""Several projects in one server: of folders, of the user's list, of pushed indexes, and versions of their pages."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner, Result
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from search_api.app import create_app
from searchsocket.agents.checkout import CheckoutLibraries
from searchsocket.agents.server import make_server
from searchsocket.cli import mcp
from searchsocket.cli.main import cli
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.fleet.libraries import ProjectLibraries, beside, pulled_home
from searchsocket.project.project import Project
from tests.agents.agent_project import ERAS, call, list_tools, talk, text_of
from tests.agents.test_agent_stdio import COMMAND
from tests.api_client import ENVIRON, KEY
from tests.pipeline.conftest import Site
from tests.running_service import listening

LIGHTHOUSE = '[project]\nid = "lighthouse"\n[embeddings]\nprovider = "hash"\n'


@pytest.fixture(scope="module")
def lighthouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documentation in three versions, which each light the lantern with something else."""
    root = tmp_path_factory.mktemp("several") / "lighthouse"
    (root / "build").mkdir(parents=True)
    (root / "searchsocket.toml").write_text(LIGHTHOUSE)
    site = Site(root)
    for name, word in (("1.0", "match"), ("2.0", "lighter"), ("3.0", "switch")):
        site.write(f"{name}/install/index.html", "Install", "<p>Unpack the archive with a sextant.</p>")
        site.write(f"{name}/usage/index.html", "Usage", f"<p>Start the lighthouse lantern with a {word}.</p>")
        site.write(f"{name}/index.html", "Docs", "<p>The documentation of the lighthouse.</p>")
    site.index()
    return root


@pytest.fixture(scope="module")
def pushed(lighthouse: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL to which that documentation was pushed."""
    url = (tmp_path_factory.mktemp("objects") / "lighthouse").as_uri()
    result = subprocess.run(
        [COMMAND, "artifacts", "push", "--url", url], cwd=lighthouse, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return url


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A user who has no list yet."""
    return {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config"), "SEARCHSOCKET_CACHE": str(tmp_path / "cache")}


def stdio(arguments: Sequence[str], environ: Mapping[str, str], folder: Path) -> Any:
    return stdio_client(
        StdioServerParameters(command=str(COMMAND), args=["mcp", *arguments], env=dict(environ), cwd=str(folder))
    )


def command(environ: Mapping[str, str], *arguments: str | Path) -> Result:
    """Of a command in a folder of no project."""
    with chdir("/"):
        return CliRunner().invoke(cli, ["mcp", *map(str, arguments)], env=environ)


def several(agent_project: Project, lighthouse: Path, **options: Any) -> Any:
    makers: dict[str, Any] = {
        "site": lambda: CheckoutLibraries(agent_project.root, {}, tools=("core",)),
        "lighthouse": lambda: CheckoutLibraries(lighthouse, {}, tools=("all",)),
    }
    return make_server(ProjectLibraries(makers), **options)


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_asks_each_of_two_projects(
    agent_project: Project, lighthouse: Path, environ: dict[str, str], mode: str
) -> None:
    roots = ["--project", str(agent_project.root), "--project", str(lighthouse)]

    async def about(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        answers: dict[str, str] = {}
        for name in ("", "site", "lighthouse", "lighthouse@1.0", "lighthouse@9.9", "harbour"):
            arguments = {"query": "battery" if name in ("", "site") else "lantern"} | (
                {"project": name} if name else {}
            )
            answers[name] = text_of(await client.call_tool("search", arguments))
        return tools, answers

    tools, answers = talk(stdio(roots, environ, Path("/")), about, mode)
    described = {tool.name: tool.input_schema["properties"]["project"]["description"] for tool in tools}
    assert described["get_page"] == "One of site, lighthouse; default: site."
    assert described["search"] == f"{described['get_page']} NAME@VERSION selects a version of its pages."
    assert answers[""] == answers["site"]
    assert answers["site"].startswith("Project site;")
    assert "1. Battery" in answers["site"]
    assert answers["lighthouse"].startswith("Project lighthouse;")
    assert "/3.0/usage" in answers["lighthouse"]
    assert "/1.0/usage" in answers["lighthouse@1.0"]
    assert "/3.0/usage" not in answers["lighthouse@1.0"]
    assert "UNKNOWN_VERSION" in answers["lighthouse@9.9"]
    assert answers["harbour"] == "INVALID_REQUEST: no project 'harbour'; this server has 'site', 'lighthouse'"


def test_answers_as_data_name_their_project_and_fit_their_schema(agent_project: Project, lighthouse: Path) -> None:
    """The client checks each answer by the schema of its tool."""
    server = several(agent_project, lighthouse, structured=True)
    for tool in list_tools(server):
        assert tool.output_schema is not None
        assert tool.output_schema["properties"]["project"] == {"type": "string"}
    answer = data(call(server, "search_content", project="lighthouse", exact_terms=["lantern"]))
    assert answer["project"] == "lighthouse"
    assert 'get_document_text(project="lighthouse", folder_id=' in str(answer["navigation_hints"])
    missed = data(call(server, "get_page", project="lighthouse", url="/no/such/page"))
    assert (missed["error"]["code"], missed["project"]) == ("PAGE_NOT_FOUND", "lighthouse")


def data(result: CallToolResult) -> Any:
    return result.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search_code", {"query": "step", "project": "lighthouse"}, "has no tool search_code; it has search,"),
        ("ask", {"question": "Which lantern?", "project": "lighthouse@1.0"}, "ask cannot select a version"),
        ("search", {"query": "lantern", "project": "lighthouse@1.0", "version": "2.0"}, "and version '2.0' differ"),
        ("search", {"query": "lantern", "projct": "lighthouse"}, "did you mean 'project'?"),
        ("search", {"query": "lantern", "project": "lighthouse@"}, "no project 'lighthouse@'"),
    ],
)  # fmt: skip
def test_a_wrong_project_is_refused_with_what_to_send(
    agent_project: Project, lighthouse: Path, tool: str, arguments: dict[str, Any], message: str
) -> None:
    answer = call(several(agent_project, lighthouse), tool, **arguments)
    assert answer.is_error
    assert message in text_of(answer)


def test_the_address_of_a_page_names_its_version_itself(agent_project: Project, lighthouse: Path) -> None:
    server = several(agent_project, lighthouse)
    assert "match" in text_of(call(server, "get_page", project="lighthouse@1.0", url="/1.0/usage"))


def test_one_project_is_listed_without_the_argument_and_selects_versions(lighthouse: Path) -> None:
    server = make_server(CheckoutLibraries(lighthouse, {}))
    assert all("project" not in tool.input_schema["properties"] for tool in list_tools(server))
    answer = text_of(call(server, "search", query="lantern", project="lighthouse@1.0"))
    assert "/1.0/usage" in answer
    assert not answer.startswith("Project")
    other = text_of(call(server, "search", query="lantern", project="site"))
    assert other == "INVALID_REQUEST: this server has the project 'lighthouse', not 'site'"


def test_a_project_that_cannot_be_opened_stops_no_other(lighthouse: Path) -> None:
    def missing_project() -> Any:
        raise ConfigMissing("the folder of 'gone' does not exist")

    server = make_server(
        ProjectLibraries({"gone": missing_project, "lighthouse": lambda: CheckoutLibraries(lighthouse, {})})
    )
    assert text_of(call(server, "search", query="lantern")) == "CONFIG_MISSING: the folder of 'gone' does not exist"
    assert "/3.0/usage" in text_of(call(server, "search", query="lantern", project="lighthouse"))


def test_resources_name_their_project(agent_project: Project, lighthouse: Path) -> None:
    async def about(client: Client) -> Any:
        templates = [item.uri_template for item in (await client.list_resource_templates()).resource_templates]
        page = await client.read_resource("searchsocket://page/1.0/usage?project=lighthouse")
        status = await client.read_resource("searchsocket://status")
        return templates, page.contents[0].text, json.loads(status.contents[0].text)

    templates, page, status = talk(several(agent_project, lighthouse), about)
    assert all(template.endswith("{?scope,project}") for template in templates)
    assert "match" in page
    assert (status["project"], status["projects"]) == ("site", ["site", "lighthouse"])


def test_a_longer_name_wins_over_a_version() -> None:
    requests: list[str] = []

    def maker(name: str) -> Any:
        def make() -> Any:
            requests.append(name)
            raise ConfigMissing(name)

        return make

    libraries = ProjectLibraries({name: maker(name) for name in ("docs", "docs@1", "@acme/docs")})
    for project in ("docs", "docs@1", "docs@1@2", "docs@2", "@acme/docs@3"):
        with pytest.raises(ConfigMissing):
            libraries.find("", project)
    assert requests == ["docs", "docs@1", "docs@1", "docs", "@acme/docs"]


def test_a_pushed_index_answers_without_a_checkout(pushed: str, environ: dict[str, str], tmp_path: Path) -> None:
    async def about(client: Client) -> Any:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        search = await client.call_tool("search", {"query": "lantern", "project": "lighthouse@2.0"})
        return tools, text_of(search), text_of(await client.call_tool("get_page", {"url": "/2.0/usage"}))

    tools, result, page = talk(stdio(["--artifacts", pushed], environ, tmp_path), about)
    assert tools == ["search", "get_page", "ask"]
    assert "/2.0/usage" in result
    assert "lighter" in page


def test_listed_projects_are_offered_in_every_folder(
    agent_project: Project, lighthouse: Path, pushed: str, environ: dict[str, str], tmp_path: Path
) -> None:
    for arguments in ((lighthouse / "build",), (pushed, "--name", "remote")):
        assert command(environ, "add", *arguments).exit_code == 0
    listed = command(environ, "list").stdout
    assert listed == f"lighthouse  {lighthouse}\nremote  {pushed}\n"

    async def about(client: Client) -> Any:
        first = text_of(await client.call_tool("search", {"query": "lantern"}))
        return first, text_of(await client.call_tool("search", {"query": "lantern", "project": "remote"}))

    def answered(folder: Path) -> tuple[str, str]:
        first, remote = talk(stdio([], environ, folder), about)
        assert "/3.0/usage" in remote
        return first.partition(";")[0], remote.partition(";")[0]

    assert answered(tmp_path) == ("Project lighthouse", "Project remote")  # of no project: the first of the list
    assert answered(agent_project.root / "src") == ("Project site", "Project remote")
    assert command(environ, "remove", lighthouse).stdout == "removed lighthouse\n"
    assert json.loads(command(environ, "list", "--json").stdout) == {
        "projects": [{"name": "remote", "location": pushed}]
    }


def test_the_list_refuses_what_it_cannot_keep(lighthouse: Path, environ: dict[str, str], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(lighthouse, other)
    assert command(environ, "add", lighthouse).stdout == f"added lighthouse  {lighthouse}\n"
    assert command(environ, "add", lighthouse).stdout == f"already listed: lighthouse  {lighthouse}\n"
    for arguments, message in (
        ((other,), f"[CONFIG_INVALID]: the name 'lighthouse' is taken by {lighthouse}; choose another with"),
        ((other, "--name", "a\nb"), "error [CONFIG_INVALID]: a name has 1 to 200 printable characters"),
        ((tmp_path / "none",), "is neither a folder nor a URL"),
        (((tmp_path / "empty").as_uri(),), "error [ARTIFACTS_UNAVAILABLE]"),
    ):  # fmt: skip
        result = command(environ, "add", *arguments)
        assert (result.exit_code != 0, message in result.stderr) == (True, True), result.stderr
    [file] = (tmp_path / "config" / "searchsocket").glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    for text in ("{", "[]", '{"projects": [{"name": 1, "location": "/"}]}', "\x00"):
        file.write_text(text)
        result = command(environ, "list")
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error [CONFIG_INVALID]: {file}: ")


def test_passwords_of_urls_are_not_printed(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "config" / "searchsocket" / "mcp-projects.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"projects": [{"name": "docs", "location": "https://me:secret@example.com/a@b"}]}')
    assert command(environ, "list").stdout == "docs  https://***@example.com/a@b\n"


def test_several_need_different_ids_and_over_http_a_folder(
    lighthouse: Path, pushed: str, environ: dict[str, str]
) -> None:
    twice: list[str | Path] = ["--project", lighthouse, "--project", lighthouse]
    assert "two projects have the id 'lighthouse'" in command(environ, *twice).stderr
    refused = command(environ, "--artifacts", pushed, "--transport", "http")
    assert refused.exit_code == 2
    assert "over HTTP the first project must be a folder" in refused.stderr


@pytest.mark.parametrize("mode", ERAS)
def test_a_service_answers_about_other_projects_too(agent_project: Project, lighthouse: Path, mode: str) -> None:
    """Over HTTP with the key, in both eras; the service's own project is the default."""
    others = {"lighthouse": lambda: CheckoutLibraries(lighthouse, {}), "site": lambda: pytest.fail("it has that one")}
    app = create_app(agent_project, environ=ENVIRON, host="127.0.0.1", libraries=partial(beside, others))
    with listening(app) as port:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"})

        async def about(client: Client) -> Any:
            request = {"": {"query": "battery"}, "lighthouse": {"query": "lantern", "project": "lighthouse"}}
            return [text_of(await client.call_tool("search", arguments)) for arguments in request.values()]

        own, other = talk(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), about, mode)
    assert own.startswith(f"Project {agent_project.id};")
    assert other.startswith("Project lighthouse;")
    assert "/3.0/usage" in other


def test_the_list_is_served_over_http_too(lighthouse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the option nor the setting leaves projects of the list out silently."""
    served: list[Any] = []
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def serve_http(*arguments: Any) -> None:
        home, with_others = arguments[-2:]
        served.append([home.id, *(with_others(home.id, with_others).projects[1:] if with_others else ())])

    monkeypatch.setattr(mcp, "serve_http", serve_http)
    here = tmp_path / "here"
    here.mkdir()
    (here / "searchsocket.toml").write_text('[project]\nid = "here"\n[mcp]\ntransport = "http"\n')
    monkeypatch.chdir(here)
    assert CliRunner().invoke(cli, ["mcp"]).exit_code == 0
    assert CliRunner().invoke(cli, ["mcp", "add", str(lighthouse)]).exit_code == 0
    assert CliRunner().invoke(cli, ["mcp"]).exit_code == 0
    both = ["mcp", "--project", str(lighthouse), "--project", str(here), "--transport", "http"]
    assert CliRunner().invoke(cli, both).exit_code == 0
    assert served == [["here"], ["here", "lighthouse"], ["lighthouse", "here"]]


def test_pushed_indexes_are_fetched_beside_the_project_without_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the embeddings are kept there."""
    monkeypatch.chdir(tmp_path)
    assert pulled_home({}).root == tmp_path / ".searchsocket" / "artifacts"
    assert pulled_home({"SEARCHSOCKET_CACHE": "kept"}).root == tmp_path / "kept" / "artifacts"
