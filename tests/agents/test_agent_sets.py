"""The tools that are offered: few unless more are chosen, answered as text alone, and none sends to one that is not."""

import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp.client.stdio import StdioServerParameters, stdio_client

from searchsocket.agents.arguments import schema_of
from searchsocket.agents.library import OF_CORPUS, SETS, offered_tools
from searchsocket.agents.server import INSTRUCTIONS
from searchsocket.agents.tool import about_offered
from searchsocket.agents.tools import TOOLS
from searchsocket.cli.main import cli
from searchsocket.cli.options import offering
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.serving.capabilities.all_capabilities import TOOL_NAMES
from tests.agents.agent_project import ERAS, call, list_tools, server_of, text_of
from tests.agents.agent_project import offering as with_tools

SETTINGS = Settings()
EVERY_OFFER = sorted(
    {
        tuple(offered_tools(chosen, SETTINGS, corpora, sync=sync))
        for count in range(4)
        for chosen in [*combinations(SETS, count), *combinations(TOOL_NAMES, count)]
        for corpora in ((), ("site",), ("code",), ("site", "code"))
        for sync in (True, False)
    }
)
_NAMED = re.compile(rf"`({'|'.join(TOOL_NAMES)})`|\b({'|'.join(name for name in TOOL_NAMES if '_' in name)})\b")


def named_in(value: Any) -> Iterator[str]:
    """The tools that texts name: in backticks, or by a name that is no English word."""
    if isinstance(value, str):
        yield from (match[1] or match[2] for match in _NAMED.finditer(value))
    elif isinstance(value, dict):
        for one in value.values():
            yield from named_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from named_in(one)


def test_no_description_names_a_tool_that_is_not_offered() -> None:
    """Of any one to three sets or tools, with and without pages and code."""
    for names in EVERY_OFFER:
        assert set(named_in(about_offered(INSTRUCTIONS, names))) <= set(names)
        for name in names:
            description = TOOLS[name].description(names)
            assert set(named_in(description)) <= set(names), (name, names)
            assert len(description) > 80
            assert set(named_in(schema_of(TOOLS[name].takes))) <= {name}


def test_descriptions_send_from_tool_to_tool_where_both_are_offered() -> None:
    """So that the test above cannot pass by descriptions that name nothing."""
    assert set(named_in(TOOLS["search"].description(TOOL_NAMES))) == {"get_page", "search_code"}
    assert set(named_in(TOOLS["search"].description(["search", "get_page"]))) == {"get_page"}
    assert set(named_in(TOOLS["status"].description(TOOL_NAMES))) == {"sync"}


def test_the_sets_hold_every_tool_once() -> None:
    assert set(TOOL_NAMES) == set(TOOLS) == SETS["core"] | SETS["content"] == SETS["all"]
    assert not SETS["core"] & SETS["content"]
    assert offered_tools(("core",), SETTINGS, ["site"]) == ["search", "get_page", "ask"]
    assert not OF_CORPUS["site"] & set(offered_tools(("all",), SETTINGS, ["code"]))
    assert not OF_CORPUS["code"] & set(offered_tools(("all",), SETTINGS, ["site"]))
    assert "fetch" in offered_tools(("fetch", "content"), SETTINGS, ["site"])  # since it is named
    assert list(offered_tools((), SETTINGS, ["site", "code"], sync=True)) == list(TOOL_NAMES)
    assert "sync" not in offered_tools(("sync", "all"), SETTINGS, ["site", "code"])


@pytest.mark.parametrize("mode", ERAS)
def test_an_answer_is_text_alone_unless_data_is_wanted(agent_project: Project, mode: str) -> None:
    """A tool that declares a schema of its output must give it, and clients that pass on both double each answer."""
    server = server_of(with_tools(agent_project, structured_content=False))
    assert {tool.output_schema for tool in list_tools(server, mode)} == {None}
    answer = call(server, "search", mode, query="how long does the battery last")
    assert answer.structured_content is None
    assert "1. Battery › Charging (/docs/battery#charging)" in text_of(answer)
    missed = call(server, "search", mode, query="battery", scope="gone")
    assert (missed.is_error, missed.structured_content) == (True, None)
    assert text_of(missed).startswith("SCOPE_NOT_INDEXED: ")
    assert "Indexed scopes: main" in text_of(missed)


@pytest.mark.parametrize("mode", ERAS)
def test_answers_send_to_offered_tools_alone(agent_project: Project, mode: str) -> None:
    server = server_of(with_tools(agent_project, "search", "search_code", structured_content=False))
    for tool, query in (("search", "battery"), ("search", "zxqv blorf"), ("search_code", "verifyToken")):
        assert set(named_in(text_of(call(server, tool, mode, query=query)))) <= {"search", "search_code"}
    assert "get_page" in text_of(call(server_of(agent_project), "search", mode, query="battery"))


def test_an_exact_name_gets_no_strangers(agent_project: Project, agent_server: Any) -> None:
    """The definition comes alone where nothing else is about it."""
    results = call(agent_server, "search_code", query="verifyToken", limit=10).structured_content["results"]
    assert results[0]["symbol"] == "verifyToken"
    assert all(result["score"] >= 0.1 * results[0]["score"] for result in results)
    answer = call(agent_server, "search_code", query="where is verifyToken defined", limit=10).structured_content
    assert len(answer["results"]) > len(results)


def test_a_set_that_there_is_not_is_named(agent_project: Project) -> None:
    result = CliRunner().invoke(cli, ["mcp", "--project", str(agent_project.root), "--tools", "core,everything"])
    assert result.exit_code
    assert "no tool 'everything'; known: core, content, all, search" in result.output


def test_the_command_chooses_tools_and_how_they_answer(agent_project: Project) -> None:
    """Over stdio, and through `serve` over HTTP."""
    command = Path(sys.executable).with_name("searchsocket")
    arguments = ["mcp", "--tools", "content, fetch"]
    started = StdioServerParameters(command=str(command), args=arguments, cwd=str(agent_project.root))
    names = [tool.name for tool in list_tools(stdio_client(started))]
    assert names == list(offered_tools(("content", "fetch"), SETTINGS, ["site", "code"]))
    settings = offering(agent_project.settings.mcp, "related", structured_content=True)
    assert (settings.tools, settings.structured_content) == (("related",), True)
