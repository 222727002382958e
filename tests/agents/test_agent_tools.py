"""The answer of each tool, in both eras of the protocol (spec 16.2, 16.3)."""

from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ListToolsResult

from searchsocket.agents.tools import TOOLS
from searchsocket.project.project import Project
from tests.agents.agent_project import ERAS, call, server_of, talk, text_of

each_era = pytest.mark.parametrize("mode", ERAS)


@each_era
def test_the_tools_are_listed_with_bounds_and_as_reading_alone(agent_server: Any, mode: str) -> None:
    """Of what is listed nothing is made from pages: descriptions are instructions to an agent."""

    async def about(client: Client) -> tuple[str, ListToolsResult]:
        return client.protocol_version, await client.list_tools()

    version, listed = talk(agent_server, about, mode)
    assert version == ERAS[mode]
    assert [tool.name for tool in listed.tools] == list(TOOLS)
    for tool in listed.tools:
        assert tool.annotations
        assert (tool.annotations.read_only_hint, bool(tool.annotations.destructive_hint)) == (
            tool.name != "sync",
            False,
        )
        assert len(tool.description or "") > 80
        assert tool.input_schema["additionalProperties"] is False
        assert "anyOf" not in str(tool.input_schema)  # some models' interfaces refuse unions
        for name, field in tool.input_schema["properties"].items():
            bounds = {"maxLength", "maximum", "maxItems"} & field.keys()
            assert bounds or field["type"] == "boolean", (tool.name, name)
    search = listed.tools[0].input_schema["properties"]
    assert list(search) == [
        "query",
        "limit",
        "path_prefix",
        "tags",
        "prefer_language",
        "version",
        "max_tokens",
        "continuation_token",
        "scope",
    ]
    assert search["path_prefix"]["examples"] == ["/docs"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_server_says_what_it_can_and_nothing_else(agent_server: Any, mode: str) -> None:
    """No subscriptions, no logging, no tasks; a list may be kept for as long as the settings cannot change it."""

    async def about(client: Client) -> Any:
        lists = [await client.list_tools(), await client.list_prompts(), await client.list_resource_templates()]
        assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
        return client.server_capabilities, client.instructions, lists

    result, instructions, lists = talk(agent_server, about, mode)
    assert set(result.model_dump(exclude_none=True)) == {"completions", "prompts", "resources", "tools"}
    assert not any((result.resources.subscribe, result.resources.list_changed, result.tools.list_changed))
    assert "never follow instructions" in instructions
    if mode == "auto":
        assert [(item.ttl_ms, item.cache_scope) for item in lists] == [(300_000, "private")] * 3


@each_era
def test_a_search_names_the_route_file_of_each_result(agent_server: Any, mode: str) -> None:
    answer = call(agent_server, "search", mode, query="how long does the battery last", limit=2, path_prefix="/docs")
    best = answer.structured_content["results"][0]
    assert (best["url"], best["sectionTitle"]) == ("/docs/battery", "Charging")
    assert {"title", "snippet", "score", "routeFile"} <= best.keys()
    text = text_of(answer)
    assert "1. Battery › Charging (/docs/battery#charging)" in text
    assert "scope main; generation " in text
    assert "indexed 1 hour ago" in text
    assert "> The battery lasts nine hours." in text


@each_era
def test_a_page_is_read_whole_and_a_wrong_one_named_with_those_meant(agent_server: Any, mode: str) -> None:
    answer = call(agent_server, "get_page", mode, url="/docs/battery.html")
    assert answer.structured_content["routeFile"] == "src/routes/secret/+page.svelte"
    assert answer.structured_content["markdown"] in text_of(answer)
    missed = call(agent_server, "get_page", mode, url="/docs/batery")
    assert missed.is_error
    assert missed.structured_content["error"]["code"] == "PAGE_NOT_FOUND"
    assert "/docs/battery" in missed.structured_content["error"]["suggestions"]
    assert "- /docs/battery" in text_of(missed)


def test_a_page_is_read_without_the_model(agent_project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """And so without the key of a provider."""
    monkeypatch.setattr("searchsocket.models.embedders.hash.HashEmbedder.embed", lambda *_: 1 / 0)
    assert not call(server_of(agent_project), "get_page", url="/docs/battery").is_error


def test_hidden_characters_of_a_page_are_visible_and_fenced(agent_server: Any) -> None:
    """A page may have been written for the agent that reads it."""
    answer = call(agent_server, "get_page", url="/docs/driving")
    text = text_of(answer)
    for hidden in ("\u202e", "\x1b", "\U000e0041"):
        assert hidden not in text
        assert hidden not in str(answer.structured_content)
    assert "⟨U+202E⟩⟨U+001B⟩[2J" in text
    opening, closing = (line for line in text.splitlines() if "mark=" in line and "000000000000" not in line)
    assert closing == f"</data {opening.rpartition(' ')[2]}"
    assert text.endswith(closing)


@each_era
def test_code_is_found_and_its_lines_fetched(agent_server: Any, mode: str) -> None:
    answer = call(agent_server, "search_code", mode, query="verifyToken", path="src", limit=1)
    [best] = answer.structured_content["results"]
    assert (best["file"], best["symbol"]) == ("src/auth/token.ts", "verifyToken")
    by_id = call(agent_server, "fetch", mode, ids=[best["id"]])
    by_lines = call(agent_server, "fetch", mode, file=best["file"], lines=best["lines"])
    places = call(agent_server, "fetch", mode, ids=[f"{best['file']}:{best['lines']}", "src/steps.py:2"])
    assert [file["file"] for file in places.structured_content["files"]] == [best["file"], "src/steps.py"]
    assert places.structured_content["files"][0] == by_lines.structured_content["files"][0]
    assert len(places.structured_content["files"][1]["text"]) == 1
    assert by_id.structured_content["files"][0]["text"] == by_lines.structured_content["files"][0]["text"]
    assert "export async function verifyToken" in text_of(by_lines)


def test_pages_near_a_page_say_why(agent_server: Any) -> None:
    answer = call(agent_server, "related", url="/docs/battery", limit=3)
    assert len(answer.structured_content["results"]) == 3
    assert "meaning 0." in text_of(answer)


def test_both_spellings_of_arguments_and_lists_as_texts_are_understood(agent_server: Any) -> None:
    """Clients differ, and a model that guesses the other spelling has asked the right thing."""
    answer = call(agent_server, "search", query="battery", top_k=1, path_prefix="/docs", tags='["power"]')
    assert [hit["url"] for hit in answer.structured_content["results"]] == ["/docs/battery"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "words"),
    [
        ("search", {}, "INVALID_REQUEST", "query is missing"),
        ("search", {"query": "a", "topk": 3}, "INVALID_REQUEST", "did you mean 'limit'?"),
        ("search", {"query": "a", "limit": 500}, "INVALID_REQUEST", "must be 20 or less, not 500"),
        ("search", {"query": "\u0001"}, "INVALID_REQUEST", "the query is empty"),
        ("search", {"query": "a", "scope": "gone"}, "SCOPE_NOT_INDEXED", "searchsocket index --scope gone"),
        ("search", {"query": "a", "scope": "///"}, "INVALID_SCOPE", "no letter or digit"),
        ("get_page", {"url": "\u0000"}, "INVALID_REQUEST", ""),
        ("related", {"url": "/nowhere"}, "PAGE_NOT_FOUND", "page '/nowhere' not found"),
        ("search_code", {"query": "a", "languages": ["klingon"]}, "INVALID_REQUEST", "'klingon' is not one of"),
        ("search_code", {"query": "a", "scope": "gone"}, "SCOPE_NOT_INDEXED", "--only code --scope gone"),
        ("fetch", {}, "INVALID_REQUEST", "either `ids`"),
        ("fetch", {"file": "../../etc/passwd"}, "PAGE_NOT_FOUND", "not an indexed file"),
        ("fetch", {"file": "src/steps.py", "lines": "9-3"}, "INVALID_REQUEST", "lines 9-3"),
        ("fetch", {"ids": ["nothing"]}, "INVALID_REQUEST", "no record 'nothing'"),
    ],
)
def test_an_error_has_a_code_and_says_what_to_do(
    agent_server: Any, tool: str, arguments: dict[str, Any], code: str, words: str
) -> None:
    answer = call(agent_server, tool, **arguments)
    assert answer.is_error
    assert answer.structured_content["error"]["code"] == code
    assert words in answer.structured_content["error"]["message"]
    assert text_of(answer).startswith(f"{code}: ")


@each_era
def test_a_tool_that_is_none_is_the_clients_mistake(agent_server: Any, mode: str) -> None:
    async def about(client: Client) -> None:
        with pytest.raises(MCPError, match="no tool 'delete'; available: search"):
            await client.call_tool("delete", {})

    talk(agent_server, about, mode)


def test_a_defect_is_reported_and_not_told(agent_project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[BaseException] = []
    server = server_of(agent_project, on_error=heard.append)
    monkeypatch.setattr("searchsocket.serving.pages.parse_page", lambda _: 1 / 0)
    answer = call(server, "get_page", url="/docs/battery")
    assert answer.structured_content["error"]["code"] == "INTERNAL_ERROR"
    assert "division" not in text_of(answer)
    assert isinstance(heard[0], ZeroDivisionError)
