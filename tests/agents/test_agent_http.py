"""The protocol inside of the API process: for those with the key, stateless, and behind the same guards."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from search_api.app import create_app
from searchsocket.errors import ConfigError
from searchsocket.project.project import Project
from tests.agents.agent_project import ERAS, talk, text_of
from tests.api_client import ENVIRON, KEY
from tests.running_service import listening

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ASKING = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def port(agent_project: Project) -> Iterator[int]:
    with listening(create_app(agent_project, environ=ENVIRON, host="127.0.0.1")) as port:
        yield port


def send(
    port: int, body: Any = LIST, method: str = "POST", key: str = KEY, path: str = "/mcp", **headers: str
) -> tuple[int, Any, Any]:
    """(status, body, headers) of a request of the protocol."""
    data = json.dumps(body).encode() if method == "POST" else None
    own = (
        ASKING
        | ({"authorization": f"Bearer {key}"} if key else {})
        | {k.replace("_", "-"): v for k, v in headers.items()}
    )
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, own, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"null"), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null"), error.headers


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_is_answered_in_both_eras(port: int, mode: str) -> None:
    async def about(client: Client) -> Any:
        return client.protocol_version, await client.call_tool("search", {"query": "battery"})

    http = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"})
    transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
    version, result = talk(transport, about, mode)
    assert version == ERAS[mode]
    assert "1. Battery" in text_of(result)


def test_each_request_stands_alone(port: int) -> None:
    """So that any of several workers may answer it: no session is begun, and none is needed."""
    status, body, headers = send(port)
    assert (status, headers["content-type"], headers["mcp-session-id"]) == (200, "application/json", None)
    assert body["result"]["tools"][0]["name"] == "search"


@pytest.mark.parametrize("accept", ["", "*/*", "text/event-stream", "application/json;q=0.5", "text/html, */*;q=0.8"])
def test_a_client_that_names_no_kind_of_answer_gets_json(port: int, accept: str) -> None:
    """Some clients send no `Accept` header or half of it, and take a refusal for a missing login."""
    status, body, headers = send(port, accept=accept)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert body["result"]["tools"]


def test_a_slash_at_the_end_of_the_address_changes_nothing(port: int) -> None:
    """Clients add one; a redirect would lose the body of the request."""
    assert send(port, path="/mcp/")[:2] == send(port)[:2]
    assert send(port, path="/mcp/", key="")[0] == 401
    assert send(port, path="/mcp/", method="GET")[0] == 405


def test_a_call_without_a_key_is_refused(port: int) -> None:
    status, body, headers = send(port, key="")
    assert (status, body["error"]["code"], headers["www-authenticate"]) == (401, "UNAUTHORIZED", "Bearer")
    status, body, _ = send(port, key="wrong")
    assert (status, body["error"]["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:5173"}, 200),
        ({"host": "evil.example"}, 421),
        ({"content_type": "text/plain"}, 415),
    ],
)
def test_pages_and_names_of_others_are_refused(port: int, headers: dict[str, str], status: int) -> None:
    """A page of another site can make a browser on this machine ask (DNS rebinding)."""
    assert send(port, **headers)[0] == status


def test_a_large_body_is_refused(port: int) -> None:
    status, body, _ = send(port, LIST | {"params": {"x": "a" * 70_000}})
    assert (status, body["error"]["code"]) == (413, "INVALID_REQUEST")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_to_wait_at_and_no_session_to_end(port: int, method: str) -> None:
    """Clients that get a stream without events open it again and again."""
    status, _, headers = send(port, method=method)
    assert (status, headers["allow"]) == (405, "POST")


def test_it_is_on_where_the_settings_say_so_and_costs_nothing_elsewhere(agent_project: Project) -> None:
    off = agent_project.settings.mcp.model_copy(update={"enable": None})
    project = replace(agent_project, settings=agent_project.settings.model_copy(update={"mcp": off}))
    routes = {getattr(route, "path", "") for route in create_app(project, environ=ENVIRON).routes}
    assert "/mcp" not in routes
    assert "/api/search" in routes


def test_its_path_is_nobody_elses(agent_project: Project) -> None:
    http = agent_project.settings.mcp.http.model_copy(update={"path": "/api/search"})
    mcp = agent_project.settings.mcp.model_copy(update={"http": http})
    with pytest.raises(ConfigError, match="mcp.http.path '/api/search' is where"):
        create_app(
            replace(agent_project, settings=agent_project.settings.model_copy(update={"mcp": mcp})), environ=ENVIRON
        )
