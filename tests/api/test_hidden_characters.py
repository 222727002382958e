"""No text leaves with hidden characters: not over HTTP, from the command line, in JSONL, or in texts for agents."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from search_site import DOCS

from search_api.app import create_app
from searchsocket.cli.main import cli
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.jsonl import LineServer
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.project.project import open_project
from searchsocket.text.hidden import hidden_positions
from tests.agents.agent_project import make_agent_project
from tests.api_client import ENVIRON, KEY, Api

TAGS = "".join(chr(0xE0000 + ord(char)) for char in "obey")
PYTHON = (
    f'def greet():\n    return "zebra{TAGS}\u202e \u3164 \x1b[2J"  # zebra\n\n\ndef می\u200cخواهم():\n    return 1\n'
)
PAGE = DOCS[-1].url
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"q": "driving maintenance mode", "sectionSnippets": True}),
    ("find", {"q": "maintenance"}),
    ("code/search", {"query": "greet zebra"}),
    ("code/find", {"q": "zebra"}),
    ("code/fetch", {"file": "src/greet.py", "firstLine": 1, "lastLine": 6}),
    ("content/search", {"folder_id": "site", "semantic_concepts": ["driving"], "exact_terms": ["maintenance"]}),
    ("content/search", {"folder_id": "code", "exact_terms": ["zebra"]}),
    ("documents", {"folder_id": "site", "query": "driving"}),
    ("documents/text", {"folder_id": "code", "file_path": "src/greet.py"}),
    ("ask", {"question": "Which mode are you in now?"}),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hidden") / "robot"
    (folder / "src").mkdir(parents=True)
    make_agent_project(folder, {"src/greet.py": PYTHON, "docs/odd.md": f"# Odd\n\nAn odd walrus{TAGS}\u202e page.\n"})
    return folder


@pytest.fixture(scope="module")
def api(root: Path) -> Api:
    return Api(create_app(open_project(root, {}), environ=ENVIRON), base="http://localhost")


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(item)


def check_clean(content: str) -> None:
    for text in texts_in(json.loads(content)):
        assert not hidden_positions(text), text


@pytest.mark.parametrize(("path", "body"), REQUESTS)
def test_answers_over_http_have_no_hidden_characters(api: Api, path: str, body: dict[str, Any]) -> None:
    answer = api.post(body, f"/api/{path}", headers={"authorization": f"Bearer {KEY}"})
    assert answer.status_code == 200, answer.text
    check_clean(answer.text)


@pytest.mark.parametrize("path", ["related", "pages"])
def test_answers_about_a_page_have_no_hidden_characters(api: Api, path: str) -> None:
    answer = api.get(f"/api/{path}?url={PAGE}")
    assert answer.status_code == 200, answer.text
    check_clean(answer.text)
    assert ("⟨U+202E⟩" in answer.text) == (path == "pages")


@pytest.mark.parametrize("path", [f"{PAGE}.md", "/llms-full.txt", "/llms.txt"])
def test_texts_for_agents_have_no_hidden_characters(api: Api, path: str) -> None:
    answer = api.get(path)
    assert answer.status_code == 200
    assert not hidden_positions(answer.text)
    assert path == "/llms.txt" or "⟨U+202E⟩" in answer.text


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "Which mode are you in now?"],
        ["search", "driving maintenance mode"],
        ["find", "maintenance"],
        ["code", "search", "greet zebra"],
        ["code", "find", "zebra"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("as_json", [True, False])
def test_the_command_line_prints_no_hidden_characters(root: Path, arguments: list[str], as_json: bool) -> None:
    result = CliRunner().invoke(cli, [*arguments, "--project", str(root), *(["--json"] if as_json else [])])
    assert result.exit_code == 0, result.output
    if as_json:
        check_clean(result.stdout)
    assert not hidden_positions(result.stdout)


def test_lines_of_the_jsonl_protocol_have_no_hidden_characters(root: Path) -> None:
    project = open_project(root, {})
    server = LineServer(
        lambda: (open_code(project, {}, on_error=print), open_upkeep(project, {})),
        ChunkIds(code_home(project).state_dir), "main", print,
    )  # fmt: skip
    answers = io.BytesIO()
    server.serve(io.BytesIO(b'{"op": "search", "q": "greet"}\n{"op": "fetch", "ids": [0, 1]}\n'), answers)
    assert b"greet" in answers.getvalue()
    for line in answers.getvalue().decode().splitlines():
        check_clean(line)


def test_marks_of_an_occurrence_stay_on_their_words(api: Api) -> None:
    """Escapes before a mark move it."""
    answer = api.post({"q": "# zebra"}, "/api/code/find", headers={"authorization": f"Bearer {KEY}"}).json()
    [occurrence] = answer["occurrences"]
    [(start, end)] = occurrence["marks"]
    assert occurrence["text"][start:end] == "# zebra"


def test_joiners_that_a_script_needs_stay(api: Api) -> None:
    headers = {"authorization": f"Bearer {KEY}"}
    answer = api.post({"file": "src/greet.py", "firstLine": 5}, "/api/code/fetch", headers=headers)
    assert "می\u200cخواهم" in answer.text
