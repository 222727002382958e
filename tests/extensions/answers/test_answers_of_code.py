"""A project with source code only has answers, and no pages to read instead."""

from datetime import UTC, datetime
from pathlib import Path

from chat_server import ChatServer

from searchsocket.extensions.answers.answer import whole_answer
from searchsocket.extensions.answers.engine import Answers, Question
from searchsocket.project.project import open_project
from searchsocket.serving.capabilities.base import SHELL
from searchsocket.serving.content import open_content
from searchsocket.serving.service import open_service
from tests.extensions.code.code_project import CodeProject


def test_a_refusal_has_no_pages_if_only_code_is_indexed(tmp_path: Path, server: ChatServer) -> None:
    code = CodeProject(tmp_path / "shop")
    with (code.root / "searchsocket.toml").open("a") as file:
        file.write(f'\n[answers]\nenable = true\nbase_url = "{server.url}"\nmodel = "m"\n')
    code.index()
    project = open_project(code.root, {})
    content = open_content(project, {}, open_service(project, {}))
    errors: list[BaseException] = []
    answers = Answers(project, {}, lambda: content, clock=lambda: datetime.now(UTC), on_error=errors.append)
    known, strange = (Question(text) for text in ("How is a token verified?", "Which taxes must a bakery pay?"))
    assert answers.estimate(known, SHELL).passages
    answer = whole_answer(strange.text, answers.events(strange, SHELL))
    assert answer.refused
    assert (answer.refused.reason, answer.refused.results, errors) == ("not_covered", (), [])
