"""Two agents and the search box ask while a generation is published: no call fails, and each answer is of one."""

import json
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from search_site import MAIN, Piece, Site

from search_api.app import create_app
from searchsocket.project.project import open_project
from searchsocket.stores.local.store import LocalStore
from tests.agents.agent_project import TOML, talk
from tests.api_client import ENVIRON, KEY, body_of
from tests.running_service import listening

PAGES, ROUNDS = 12, 4  # rounds of each before the publish, at least
_MOST_S = 120.0
COMMAND = str(Path(sys.executable).with_name("searchsocket"))
Answers = list[tuple[str, str]]  # (generation, what was said)


def pieces(word: str) -> list[Piece]:
    return [Piece(f"/docs/{n}", f"The lantern number {n} is {word}.", title=f"Lantern {n}") for n in range(PAGES)]


def publish(site: Site, word: str) -> None:
    new = pieces(word)
    site.publish(new, bodies=[body_of("main", page.url, f"# {page.title}\n\n{page.text}") for page in new])


class Rounds:
    """Each goes on asking until it is answered from what was published: services look for that from time to time."""

    def __init__(self) -> None:
        self._done = threading.Semaphore(0)
        self._end = time.monotonic() + _MOST_S
        self.generation = ""  # that was published meanwhile

    def of(self, answers: Answers) -> Iterator[None]:
        while not self.generation or [name for name, _ in answers[-1:]] != [self.generation]:
            assert time.monotonic() < self._end, f"{answers[-1:]} is not of {self.generation}"
            yield
            self._done.release()

    def wait(self, count: int) -> None:
        for _ in range(count):
            assert self._done.acquire(timeout=_MOST_S)


def ask_as_an_agent(transport: Any, mode: str, rounds: Rounds) -> Answers:
    async def about(client: Client) -> Answers:
        answers: Answers = []
        for _ in rounds.of(answers):
            answer = (await client.call_tool("search", {"query": "lantern", "limit": 10})).structured_content
            answers.append((answer["generation"], json.dumps(answer["results"])))
            page = (await client.call_tool("get_page", {"url": "/docs/3"})).structured_content
            answers.append((page["generation"], page["markdown"]))
            expected = {"folder_id": "site", "exact_terms": ["lantern"]}
            content = (await client.call_tool("search_content", expected)).structured_content
            answers.append((content["index"]["generation"], json.dumps(content["data"])))
        return answers

    answer: Answers = talk(transport, about, mode)
    return answer


def ask_as_the_box(port: int, rounds: Rounds) -> Answers:
    answers: Answers = []
    for _ in rounds.of(answers):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/search?q=lantern") as answer:
            result = json.load(answer)
        answers.append((result["meta"]["generation"], json.dumps(result["results"])))
    return answers


def test_no_call_fails_and_each_answer_is_of_one_generation(tmp_path: Path) -> None:
    root = tmp_path / "site"
    root.mkdir()
    (root / "searchsocket.toml").write_text(TOML)
    project = open_project(root, {})
    site = Site(LocalStore(project.state_dir / "index", project.id))
    publish(site, "amber")
    rounds = Rounds()
    with listening(create_app(project, environ=ENVIRON, host="127.0.0.1")) as port, ThreadPoolExecutor(3) as pool:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"})
        over_http = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
        over_stdio = stdio_client(StdioServerParameters(command=COMMAND, args=["mcp"], cwd=str(root)))
        asking = [
            pool.submit(ask_as_an_agent, over_http, "legacy", rounds),
            pool.submit(ask_as_an_agent, over_stdio, "2026-07-28", rounds),
            pool.submit(ask_as_the_box, port, rounds),
        ]
        rounds.wait(3 * ROUNDS)
        publish(site, "violet")
        rounds.generation = site.store.answering(MAIN).generation.name
        answers = [item.result(2 * _MOST_S) for item in asking]
    first, second = sorted({generation for client_answers in answers for generation, _ in client_answers})
    for generation, answer_text in (answer for client_answers in answers for answer in client_answers):
        expected, other = ("amber", "violet") if generation == first else ("violet", "amber")
        assert (expected in answer_text, other in answer_text) == (True, False)
    assert second == rounds.generation
