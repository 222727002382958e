"""Each request gets an answer over both transports, whatever its strings contain."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from search_api.app import create_app
from searchsocket.agents.arguments import schema_of
from searchsocket.agents.tools import TOOLS
from searchsocket.project.project import Project
from searchsocket.system.json_text import without_lone_surrogates
from tests.api_client import ENVIRON, KEY
from tests.running_service import listening

COMMAND = Path(sys.executable).with_name("searchsocket")
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
ANSWER_S = 60.0  # a fault would otherwise hang the test

Ask = Callable[[bytes], Any]  # sends the text of one message, returns the answer

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=12)  # with single halves of surrogate pairs
TOOL_TEXTS = [
    (name, argument)
    for name, tool in TOOLS.items()
    for argument, field in schema_of(tool.takes)["properties"].items()
    if field.get("type") == "string"
]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """A call of a tool with any string in one of its arguments, or another method with one."""
    text = draw(ANY_TEXT)
    method = draw(st.sampled_from(["tools/call"] * 6 + ["resources/read", "completion/complete", text or "x"]))
    params: dict[str, Any] = {"uri": f"searchsocket://page/{text}"}
    if method == "completion/complete":
        reference = {"type": "ref/resource", "uri": "searchsocket://page/{+path}{?scope}"}
        params = {"ref": reference, "argument": {"name": draw(st.sampled_from(["path", "scope"])), "value": text}}
    elif method == "tools/call":
        name, argument = draw(st.sampled_from(TOOL_TEXTS))
        required = dict.fromkeys(schema_of(TOOLS[name].takes).get("required", ()), "battery")
        params = {"name": draw(st.sampled_from([name] * 9 + [text])), "arguments": {**required, argument: text}}
    return {
        "jsonrpc": "2.0",
        "id": draw(st.one_of(st.integers(1, 10**6), ANY_TEXT)),
        "method": method,
        "params": params,
    }


@pytest.fixture(scope="module")
def over_stdio(agent_project: Project) -> Iterator[Ask]:
    command = [COMMAND, "mcp", "--project", agent_project.root]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        stdin, stdout, lines = process.stdin, process.stdout, Queue[bytes]()
        Thread(target=lambda: [lines.put(line) for line in stdout], daemon=True).start()

        def ask(message: bytes) -> Any:
            stdin.write(message + b"\n")
            stdin.flush()
            while "method" in (answer := json.loads(lines.get(timeout=ANSWER_S))):
                pass  # a notification of progress
            return answer

        ask(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode())
        yield ask
        stdin.close()
        assert process.wait(ANSWER_S) == 0


@pytest.fixture(scope="module")
def over_http(agent_project: Project) -> Iterator[Ask]:
    with listening(create_app(agent_project, environ=ENVIRON, host="127.0.0.1")) as port:
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {KEY}",
        }

        def ask(message: bytes) -> Any:
            request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", message, headers)
            try:
                with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                    return json.loads(answer.read())
            except urllib.error.HTTPError as error:
                return json.loads(error.read())

        yield ask


@pytest.fixture(params=["over_stdio", "over_http"])
def ask(request: pytest.FixtureRequest) -> Ask:
    ask: Ask = request.getfixturevalue(request.param)
    return ask


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=requests(), is_escaped=st.booleans())
def test_each_request_gets_its_own_answer(ask: Ask, request: dict[str, Any], is_escaped: bool) -> None:
    """A client waits forever for an answer that does not come."""
    message = json.dumps(request, ensure_ascii=is_escaped).encode("utf-8", "replace")
    answer = ask(message)
    assert answer["id"] == json.loads(without_lone_surrogates(message))["id"]
    assert ("result" in answer) != ("error" in answer)
    assert answer.get("error", {}).get("code") != -32603, answer


HALF = '{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": %s}'


@pytest.mark.parametrize(
    "arguments", [r'{"query": "dock \ud83d cut"}', r'{"query": "dock \uDC80"}', r'{"query": "dock \\\ud83d"}']
)
def test_half_a_surrogate_pair_is_read_as_an_unknown_character(ask: Ask, arguments: str) -> None:
    """JavaScript writes it when it cuts a text within an emoji."""
    answer = ask((HALF % f'{{"name": "search", "arguments": {arguments}}}').encode())
    assert answer["id"] == 9
    assert not answer["result"].get("isError")


@pytest.mark.parametrize("line", [b"this is not json", b'{"jsonrpc": "2.0", "id": 3', b"\x00", b"\xff", b"[" * 5_000])
def test_a_line_that_is_not_json_gets_a_parse_error(ask: Ask, line: bytes) -> None:
    answer = ask(line)
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


def test_a_message_with_an_invalid_part_gets_an_error_with_its_id(over_stdio: Ask) -> None:
    answer = over_stdio(b'{"jsonrpc": "2.0", "id": 12, "method": 3}')
    assert (answer["id"], answer["error"]["code"]) == (12, -32600)
    assert over_stdio(b"[]")["error"]["code"] == -32600


@given(ANY_TEXT)
def test_json_without_single_halves_is_not_changed(text: str) -> None:
    """Pairs, and backslashes before `u`, are no single halves."""
    whole = json.dumps(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\\ud83d").encode()
    assert without_lone_surrogates(whole) == whole
    assert b"\\ufffd" in without_lone_surrogates(rb'"\ud83d\ud83d"')
