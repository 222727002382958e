"""`searchsocket ask --answer` prints sentences with their sources, or the passages."""

import json
from collections.abc import Callable

import pytest
from chat_server import ChatServer, refusal
from click.testing import CliRunner, Result

from searchsocket.cli.main import cli
from searchsocket.project.project import Project
from tests.extensions.answers.conftest import ANSWER, QUESTION


@pytest.fixture
def ask(configured_robot: Callable[..., Project]) -> Callable[..., Result]:
    def run(*arguments: str, toml: str = "") -> Result:
        project = configured_robot(toml)
        return CliRunner().invoke(cli, ["ask", *arguments, "--project", str(project.root), "--scope", "main"])

    return run


def test_sentences_have_their_sources_below(ask: Callable[..., Result]) -> None:
    result = ask("--answer", QUESTION)
    assert result.exit_code == 0, result.output
    assert "The battery lasts nine hours. [1]" in result.stdout
    assert "[1] Battery  /docs/battery#charging" in result.stdout


def test_json_is_that_of_the_service(ask: Callable[..., Result]) -> None:
    answer = json.loads(ask("--answer", "--json", QUESTION).stdout)
    assert [sentence["text"] for sentence in answer["sentences"]] == [
        "The battery lasts nine hours.", "Charge it in the dock.",
    ]  # fmt: skip


def test_a_failing_model_ends_in_the_passages(ask: Callable[..., Result], server: ChatServer) -> None:
    server.answer = lambda body: refusal(500, "out of memory")
    result = ask("--answer", QUESTION)
    assert result.exit_code == 0
    assert "the language model is not available now" in result.stdout
    assert "The battery lasts nine hours" in result.stdout
    assert "MODEL_UNAVAILABLE" in result.stderr
    assert "out of memory" in result.stderr


def test_the_bill_comes_before_the_call(ask: Callable[..., Result], server: ChatServer) -> None:
    toml = "input_usd_per_million_tokens = 0.0\noutput_usd_per_million_tokens = 10.0"
    result = ask("--answer", "--dry-run", QUESTION, toml=toml)
    assert "at most 700 back, at most $0.007" in result.stdout
    assert not server.requests


def test_without_the_option_passages_are_printed_as_before(ask: Callable[..., Result], server: ChatServer) -> None:
    assert "/docs/battery#charging" in ask(QUESTION).stdout
    assert not server.requests
    assert ask("--dry-run", QUESTION).exit_code == 2


def test_an_answer_is_the_model_s_only_where_it_is_proved(ask: Callable[..., Result], server: ChatServer) -> None:
    server.says(f"{ANSWER} It sings in Norway [1].")
    assert "Norway" not in ask("--answer", QUESTION).stdout
