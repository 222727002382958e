"""`searchsocket ask --answer` prints sentences with their sources, or the passages."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

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


@pytest.fixture
def golden(configured_robot: Callable[..., Project]) -> Iterator[Callable[[str], Result]]:
    """Run `searchsocket test --answers` with these golden answers."""
    file = Path(configured_robot().root, "golden-answers.toml")

    def run(text: str) -> Result:
        project = configured_robot()
        file.write_text(text)
        arguments = ["test", "--answers", "--json", "--project", str(project.root), "--scope", "main"]
        return CliRunner().invoke(cli, arguments)

    yield run
    file.unlink()


def test_golden_answers_have_their_facts(golden: Callable[[str], Result]) -> None:
    strange = "Which taxes must a bakery in Lisbon pay?"
    right = f'[[answer]]\nquestion = "{QUESTION}"\nfacts = ["Nine hours"]\nmust_not = ["ten"]\n'
    result = golden(f'{right}[[answer]]\nquestion = "{strange}"\nrefused = true\n')
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        [{"question": question, "problems": [], "skipped": ""} for question in (QUESTION, strange)],
    )


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ('facts = ["ten hours"]', "lacks 'ten hours'"),
        ('must_not = ["dock"]', "contains 'dock'"),
        ("refused = true", "an answer, though it must be refused"),
    ],
)
def test_a_wrong_answer_fails(entry: str, problem: str, golden: Callable[[str], Result]) -> None:
    result = golden(f'[[answer]]\nquestion = "{QUESTION}"\n{entry}\n')
    assert result.exit_code == 1
    assert json.loads(result.stdout)[0]["problems"] == [problem]


def test_without_a_model_golden_answers_are_skipped_and_said(
    golden: Callable[[str], Result], server: ChatServer
) -> None:
    server.answer = lambda body: refusal(500, "out of memory")
    result = golden(f'[[answer]]\nquestion = "{QUESTION}"\nfacts = ["nine hours"]\n')
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["skipped"] == "127.0.0.1 answers 500 bad: out of memory"


def test_a_mistake_in_the_file_is_named(golden: Callable[[str], Result]) -> None:
    result = golden('[[answer]]\nfacts = ["nine hours"]\n')
    assert result.exit_code != 0
    assert "answer.0.question" in result.output
