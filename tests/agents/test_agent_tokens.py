"""Sizes of replies: at most the requested tokens, and never more than clients accept."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from search_site import DOCS, Piece, Site

from searchsocket.agents.arguments import read_arguments
from searchsocket.agents.checkout import CheckoutLibraries
from searchsocket.agents.resources import read_resource
from searchsocket.agents.server import make_server
from searchsocket.agents.tool import CLIENTS_TAKE, MOST_TOKENS, Reply, fitting_reply
from searchsocket.agents.tools import TOOLS
from searchsocket.project.project import Project
from searchsocket.search.bounds import MOST_MAX_TOKENS
from searchsocket.stores.local.store import LocalStore
from searchsocket.text.hidden import visible
from searchsocket.text.token_count import LEAST, count_tokens
from tests.agents.agent_project import ERAS, call, make_agent_project, text_of
from tests.api_client import body_of

TEXTS = Path(__file__).parents[1] / "text" / "tokens"
WORST = ("language-fi", "language-th", "signs-emoji", "signs-lines", "signs-hidden", "noise-unicode", "data-base64")
LONG_FILE = "".join(f"step_{number} = {number * 7919}\n" for number in range(4_000))
HIDDEN = "\u202e\U000e0041\x1b" * 400  # each is written out, as nine signs


@pytest.fixture(scope="module")
def worst_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Pages and a file of texts that are many tokens, far longer than any reply."""
    project = make_agent_project(tmp_path_factory.mktemp("worst") / "robot", {"src/long.py": LONG_FILE})
    texts = [*((TEXTS / f"{name}.txt").read_text() for name in WORST), HIDDEN]
    pages = {f"/worst/{number}": (text * (40_000 // len(text))) for number, text in enumerate(texts)}
    pieces = [
        Piece(url, f"worst {text[at : at + 1_500]}", text[:200], text[:100], ordinal=at, description=text[:300])
        for url, text in pages.items()
        for at in range(0, 12_000, 1_500)
    ]
    Site(LocalStore(project.state_dir / "index", project.id)).publish(
        [*DOCS, *pieces], bodies=[body_of("main", url, text) for url, text in pages.items()]
    )
    return project


def reply_of(project: Project, name: str, **arguments: Any) -> Reply:
    tool = TOOLS[name]
    return fitting_reply(tool, CheckoutLibraries(project.root, {}).find(""), read_arguments(tool.takes, arguments))


EVERY_CALL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"query": "worst", "limit": 20}),
    ("related", {"url": "/worst/0", "limit": 20}),
    ("search_content", {"folder_id": "site", "exact_terms": ["worst"], "limit": 50}),
    ("find_documents", {"folder_id": "site", "query": "worst", "limit": 50}),
    ("ask", {"question": "worst", "limit": 10}),
    ("search_code", {"query": "step", "limit": 20}),
    ("find_code", {"query": "step", "limit": 1_000}),
    ("fetch", {"file": "src/steps.py"}),
    ("status", {}),
    ("sync", {}),
    *(("get_page", {"url": f"/worst/{number}"}) for number in range(len(WORST) + 1)),
    *(("get_document_text", {"folder_id": "site", "file_path": f"worst/{n}.md"}) for n in (0, len(WORST))),
    *(("get_document_data", {"folder_id": "site", "file_path": f"worst/{n}.md"}) for n in (0, len(WORST))),
)


def test_no_reply_is_more_than_clients_take(worst_project: Project) -> None:
    """Counted as text and as data, with all that stands around, and with the largest error that counts have."""
    assert {name for name, _ in EVERY_CALL} == set(TOOLS)
    assert MOST_TOKENS / LEAST <= CLIENTS_TAKE
    sizes = {
        f"{name} {arguments}": reply_of(worst_project, name, **arguments).tokens(0) for name, arguments in EVERY_CALL
    }
    assert {call: size for call, size in sizes.items() if size > MOST_TOKENS} == {}
    assert max(sizes.values()) > MOST_TOKENS / 2  # it is held by being cut, and not since the texts are short


def test_whoever_says_how_much_gets_it(worst_project: Project) -> None:
    answer = reply_of(worst_project, "get_page", url="/worst/0", max_tokens=20_000)
    assert count_tokens(answer.data["markdown"]) > MOST_TOKENS / 2


@pytest.mark.parametrize("number", [1, len(WORST)], ids=["thai", "hidden"])
def test_a_resource_ends_where_clients_cut_and_says_what_reads_on(worst_project: Project, number: int) -> None:
    libraries = CheckoutLibraries(worst_project.root, {})
    page = libraries.find("").service.page(f"/worst/{number}", libraries.find("").scope)
    text, rest = _cut(read_resource(libraries, f"searchsocket://page/worst/{number}").text)
    tool = rest.pop("tool")
    while rest["continuation_token"]:
        part = reply_of(worst_project, tool, **rest, max_tokens=MOST_MAX_TOKENS).data
        text += part["markdown"]
        rest["continuation_token"] = part["continuationToken"]
    assert f"{text}\n" == visible(page.markdown(sources=True))


def test_a_long_file_does_too(worst_project: Project) -> None:
    libraries = CheckoutLibraries(worst_project.root, {})
    text, rest = _cut(read_resource(libraries, "searchsocket://file/src/long.py").text)
    assert rest.pop("tool") == "get_document_text"
    assert LONG_FILE.startswith(text)
    part = reply_of(worst_project, "get_document_text", **rest)
    assert part.data["data"]["first_line"] == text.count("\n") + 1
    assert LONG_FILE.startswith(text + part.data["data"]["text"])


def _cut(text: str) -> tuple[str, dict[str, str]]:
    """A resource without the line that says how to go on, and the call that this names."""
    assert count_tokens(text) <= CLIENTS_TAKE * LEAST
    match = re.search(r"\n\[cut at the maximum length for clients; the rest: (\w+)\((.+)\)\]\n$", text)
    assert match
    named = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*")', match[2])
    return text[: match.start()], {"tool": match[1], **{name: json.loads(value) for name, value in named}}


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        ("search", {"query": "battery", "limit": 5}, "url"),
        ("related", {"url": "/docs/battery", "limit": 5}, "url"),
        ("search_code", {"query": "step", "limit": 6}, "id"),
    ],
)
def test_results_that_do_not_fit_are_got_by_the_token(
    agent_server: Any, mode: str, tool: str, arguments: dict[str, Any], key: str
) -> None:
    """Best first, whole, none twice and none missed."""
    whole = call(agent_server, tool, mode, **arguments).structured_content
    assert (whole.get("truncated", False), whole.get("continuationToken")) == (False, None)
    first = call(agent_server, tool, mode, **arguments, max_tokens=200)
    assert first.structured_content["truncated"]
    results, token = first.structured_content["results"], first.structured_content["continuationToken"]
    assert f"continuation_token {token}" in text_of(first)
    name = next(iter(arguments))
    while token:
        part = call(agent_server, tool, mode, **{name: arguments[name]}, continuation_token=token).structured_content
        results += part["results"]
        token = part.get("continuationToken")
    assert [result[key] for result in results] == [item[key] for item in whole["results"]]


def test_passages_that_do_not_fit_are_got_by_the_token(agent_server: Any) -> None:
    request = {"question": "What does the battery do?"}
    whole = call(agent_server, "ask", **request, limit=4).structured_content
    assert (whole["truncated"], whole["continuationToken"]) == (False, None)
    part = call(agent_server, "ask", **request, limit=4, max_tokens=200)
    assert "\n1. " in text_of(part)
    assert f"continuation_token {part.structured_content['continuationToken']}" in text_of(part)
    results = list(part.structured_content["passages"])
    while token := part.structured_content["continuationToken"]:
        part = call(agent_server, "ask", **request, continuation_token=token)
        assert "\n1. " not in text_of(part)  # they are not the first ones
        results += part.structured_content["passages"]
    assert results == whole["passages"]
    assert len(results) > 1
    assert not part.structured_content["truncated"]


@pytest.mark.parametrize(
    ("tool", "other"),
    [
        ("search", {"query": "dock"}),
        ("related", {"url": "/docs/battery"}),
        ("search_code", {"query": "x"}),
        ("ask", {"question": "x"}),
    ],
)
def test_a_token_is_of_one_request(agent_server: Any, tool: str, other: dict[str, Any]) -> None:
    first = call(agent_server, "search", query="battery", limit=5, max_tokens=200)
    answer = call(agent_server, tool, **other, continuation_token=first.structured_content["continuationToken"])
    code = "INVALID_REQUEST" if tool == "search" else "CONTINUATION_GONE"
    assert answer.structured_content["error"]["code"] == code


def test_a_reply_that_is_made_again_is_still_one_of_the_protocol(worst_project: Project) -> None:
    server = make_server(CheckoutLibraries(worst_project.root, {}), structured=True)
    answer = call(server, "search_content", folder_id="site", exact_terms=["worst"], limit=50)
    assert answer.structured_content["continuation"]["truncated"]
    assert answer.structured_content["continuation"]["next_token"]


def test_lines_behind_the_end_of_a_file_are_told_from_an_empty_line(agent_server: Any) -> None:
    assert "src/auth/token.ts:1-7, the end of the file" in text_of(
        call(agent_server, "fetch", file="src/auth/token.ts")
    )
    missed = call(agent_server, "fetch", file="src/auth/token.ts", lines="900-950")
    assert "src/auth/token.ts ends before line 900." in text_of(missed)
