"""Pages and files as resources, and their paths while they are typed."""

import json
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from tests.agents.agent_project import ERAS, talk

PAGE, FILE = "searchsocket://page/{+path}{?scope}", "searchsocket://file/{+path}{?scope}"
each_era = pytest.mark.parametrize("mode", ERAS)


def read(server: Any, uri: str, mode: str = "legacy") -> Any:
    async def about(client: Client) -> Any:
        try:
            [content] = (await client.read_resource(uri)).contents
        except MCPError as error:
            return error
        return content.text

    return talk(server, about, mode)


@each_era
def test_pages_and_files_are_read_by_their_addresses(agent_server: Any, mode: str) -> None:
    async def about(client: Client) -> Any:
        listed, templates = await client.list_resources(), await client.list_resource_templates()
        return [resource.uri for resource in listed.resources], [
            template.uri_template for template in templates.resource_templates
        ]

    assert talk(agent_server, about, mode) == (["searchsocket://status"], [PAGE, FILE])
    page = read(agent_server, "searchsocket://page/docs/battery?scope=main", mode)
    assert 'routeFile: "src/routes/secret/+page.svelte"' in page
    assert "The battery lasts nine hours" in page
    assert "export async function verifyToken" in read(agent_server, "searchsocket://file/src/auth/token.ts", mode)
    status = json.loads(read(agent_server, "searchsocket://status", mode))
    assert (status["scope"], status["indexed"][0]["scope"]) == ("main", "main")


@pytest.mark.parametrize(
    "uri",
    ["searchsocket://page/nowhere", "searchsocket://file/..%2F..%2Fetc/passwd", "searchsocket://file//etc/passwd",
     "file:///etc/passwd", "searchsocket://page/a?scope=gone", "searchsocket://" + "a" * 9_000],
)  # fmt: skip
def test_a_missing_resource_is_an_error_with_a_code(agent_server: Any, uri: str) -> None:
    error = read(agent_server, uri)
    assert isinstance(error, MCPError)
    assert error.error.data["code"] in ("PAGE_NOT_FOUND", "SCOPE_NOT_INDEXED")


@each_era
def test_paths_are_completed(agent_server: Any, mode: str) -> None:
    async def about(client: Client) -> Any:
        async def typed(template: str, name: str, value: str) -> Any:
            answer = await client.complete(ResourceTemplateReference(uri=template), {"name": name, "value": value})
            return answer.completion.values

        return [
            await typed(PAGE, "path", "docs/ba"),
            await typed(FILE, "path", "src/auth"),
            await typed(PAGE, "scope", "m"),
            await typed(PAGE, "color", "r"),
        ]

    answer = talk(agent_server, about, mode)
    assert answer == [["docs/battery"], ["src/auth/token.ts"], ["main"], []]


def test_hidden_characters_of_a_page_are_seen_here_too(agent_server: Any) -> None:
    assert "⟨U+202E⟩" in read(agent_server, "searchsocket://page/docs/driving")
