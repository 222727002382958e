"""A site about a garden robot, a scripted model, and applications that answer with it."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from api_client import ENVIRON, Api, make_project
from chat_server import ChatServer, chat_server

from search_api.app import create_app
from searchsocket.project.project import Project, open_project

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
QUESTION = "How long does the battery last?"
ANSWER = "The battery lasts nine hours [1]. Charge it in the dock [1]."


class Events(list[tuple[str, dict[str, Any]]]):
    """The events of a stream."""

    def of(self, name: str) -> list[dict[str, Any]]:
        return [data for kind, data in self if kind == name]

    @property
    def text(self) -> str:
        return " ".join(sentence["text"] for sentence in self.of("sentence"))

    @property
    def last(self) -> tuple[str, str]:
        """The name of the last event, and the reason of a refusal."""
        name, data = self[-1]
        return name, data.get("reason", "")


def read_events(body: str) -> Events:
    parts = [part.split("\n") for part in body.split("\n\n") if part]
    assert all(lines[0].startswith("event: ") and lines[1].startswith("data: ") for lines in parts)
    return Events((lines[0][7:], json.loads(lines[1][6:])) for lines in parts)


class Reader(NamedTuple):
    """A visitor who asks."""

    api: Api
    errors: list[BaseException]

    def ask(self, question: str = QUESTION, **body: Any) -> Events:
        reply = self.api.post({"q": question, "stream": True, **body}, "/api/answer")
        assert reply.status_code == 200, reply.text
        assert reply.headers["content-type"].startswith("text/event-stream")
        return read_events(reply.text)


@pytest.fixture(scope="session")
def shared_server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def server(shared_server: ChatServer) -> ChatServer:
    shared_server.says(ANSWER)
    shared_server.requests.clear()
    shared_server.keys.clear()
    return shared_server


@pytest.fixture(scope="session")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The site, indexed once."""
    return make_project(tmp_path_factory.mktemp("answers") / "site")


@pytest.fixture
def configured_robot(robot: Project, server: ChatServer) -> Callable[..., Project]:
    """Return the project with other settings of `[answers]`, as lines of TOML."""

    def configured(toml: str = "", base: str = "") -> Project:
        file = Path(robot.root, "searchsocket.toml")
        start = file.read_text().partition("#answers")[0]
        section = f'enable = true\nbase_url = "{server.url}"\nmodel = "m"\n{toml}'
        file.write_text(f"{start}#answers\n{base}\n[answers]\n{section}")
        return open_project(robot.root, {})

    return configured


@pytest.fixture
def make_reader(configured_robot: Callable[..., Project], tmp_path: Path) -> Callable[..., Reader]:
    def make(toml: str = "", base: str = "", client: str = "203.0.113.9", **environ: str) -> Reader:
        errors: list[BaseException] = []
        app = create_app(
            configured_robot(toml, base),
            environ={**ENVIRON, "SEARCHSOCKET_CACHE": str(tmp_path / "cache"), **environ},
            host="0.0.0.0",
            clock=lambda: NOW,
            on_error=errors.append,
        )
        return Reader(Api(app, client=client), errors)

    return make


@pytest.fixture
def reader(make_reader: Callable[..., Reader]) -> Reader:
    return make_reader()
