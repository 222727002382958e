"""Golden answers: questions with facts that an answer must contain, and must not; asked over one generation.

Replies are kept, so that unchanged passages cost nothing.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from searchsocket.backends import Backends
from searchsocket.errors import ConfigError
from searchsocket.extensions.answers.answer import SentenceAnswer, whole_answer
from searchsocket.extensions.answers.engine import Answers, Question
from searchsocket.extensions.answers.pieces import plain_text
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.project.project import Project
from searchsocket.quality.generations import engine_over, queries_of
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.wire import Wire
from searchsocket.serving.capabilities.base import SHELL
from searchsocket.serving.content import open_content
from searchsocket.serving.service import OnError, open_service
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.system.files import write_atomic
from searchsocket.text.mistakes import explain_mistake
from searchsocket.types import Scope

FILE = "golden-answers.toml"
_Facts = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(max_length=50)]

_REPLIES_FILE = "golden-answers.json"  # in the state folder
_MAX_REPLIES = 1_000
_NOT_JUDGED = ("model", "budget", "busy")


class GoldenAnswer(BaseModel):
    """An entry of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
    facts: _Facts = []  # each is in the answer, in any case
    must_not: _Facts = []  # none is
    refused: bool = False  # True: no page answers it


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    answer: list[GoldenAnswer] = []


@dataclass(frozen=True, slots=True)
class GoldenOutcome(Wire):
    """The outcome of one question."""

    question: str
    problems: tuple[str, ...]  # empty if the answer is right
    skipped: str = ""  # the reason why it was not judged


def read_golden_answers(root: Path) -> list[GoldenAnswer]:
    """Return the entries of a project; empty without the file.

    Raises:
        ConfigError: The file cannot be read, or an entry is not valid.
    """
    path = root / FILE
    if not path.is_file():
        return []
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8-sig"))).answer
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {explain_mistake(first)}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


class GoldenReply(NamedTuple):
    """Refusal and text of an answer, which are compared with a golden answer."""

    reason: str  # of the refusal; "" for an answer
    text: str


def reply_of(answer: SentenceAnswer) -> GoldenReply:
    """Return the refusal and the text of an answer."""
    text = " ".join(plain_text(sentence.text) for sentence in answer.sentences).replace("`", "")
    return GoldenReply(answer.refused.reason if answer.refused else "", text.encode("utf-8", "replace").decode())


def judge_reply(golden: GoldenAnswer, reply: GoldenReply) -> GoldenOutcome:
    """Compare a reply that was judged by a model, or refused for its subject, with what is expected."""
    if golden.refused != bool(reply.reason):
        expected = "an answer, though it must be refused" if golden.refused else f"no answer ({reply.reason})"
        return GoldenOutcome(golden.question, (expected,))
    text = reply.text.casefold()
    missing = [f"lacks {fact!r}" for fact in golden.facts if not golden.refused and fact.casefold() not in text]
    wrong = [f"contains {fact!r}" for fact in golden.must_not if fact.casefold() in text]
    return GoldenOutcome(golden.question, (*missing, *wrong))


class _Stored(BaseModel):
    replies: dict[str, GoldenReply] = {}  # the least recently used first
    run: str = ""  # id of the run with this outcome
    passed: bool = True
    message: str = ""
    severity: Literal["error", "warn"] = "error"


class Replies:
    """The file of replies, by the digest of question, passages, model and settings.

    A file that is damaged, or that another run replaces at the same time, only makes the next run ask again.
    """

    def __init__(self, project: Project) -> None:
        self._path = Path(project.state_dir, _REPLIES_FILE)
        self._stored = _Stored()
        with suppress(OSError, ValueError):
            self._stored = _Stored.model_validate_json(self._path.read_bytes())

    def get(self, key: str) -> GoldenReply | None:
        """Return a reply; None if it is new."""
        return self._stored.replies.get(key)

    def put(self, key: str, reply: GoldenReply) -> None:
        """Add a reply, or mark it as used."""
        self._stored.replies.pop(key, None)
        self._stored.replies[key] = reply

    def outcome(self, run_id: str) -> CheckOutcome | None:
        """Return the outcome that was saved last, if it is of this run."""
        stored = self._stored
        return CheckOutcome(stored.passed, stored.message, stored.severity) if stored.run == run_id else None

    def save(self, run_id: str, outcome: CheckOutcome) -> None:
        """Write the file, with the outcome of a run.

        Raises:
            StateUnavailable, PermissionDenied: It cannot be written.
        """
        newest = dict(list(self._stored.replies.items())[-_MAX_REPLIES:])
        stored = _Stored(
            replies=newest, run=run_id, passed=outcome.passed, message=outcome.message, severity=outcome.severity
        )
        write_atomic(self._path, stored.model_dump_json().encode())


def answers_over(
    project: Project,
    environ: Mapping[str, str],
    reader: IndexReader,
    *,
    clock: Callable[[], datetime],
    on_error: OnError,
) -> Answers:
    """Return answers over one generation of pages, without source code, as visitors get them.

    Raises:
        ConfigError: No model is configured, or its prices are unknown.
    """
    backends = Backends(project, environ, clock=clock, on_error=on_error)
    engine = engine_over(project, queries_of(project, backends, clock), reader, clock)
    service = replace(open_service(project, environ, clock=clock, on_error=on_error), engine=engine)
    content = open_content(project, environ, service, {}, clock=clock, on_error=on_error)
    return Answers(project, environ, lambda: content, clock=clock, on_error=on_error)


def ask_all(
    answers: Answers,
    golden: Sequence[GoldenAnswer],
    scope: Scope,
    errors: Sequence[BaseException],
    replies: Replies | None = None,
    before_each: Callable[[], None] = lambda: None,
) -> list[GoldenOutcome]:
    """Ask the questions; one for which the model is not available is skipped, with the reason.

    Args:
        errors: Those that `answers` reported so far.
        replies: Used and added to; None: every question is asked.
        before_each: Called before each question.

    Raises:
        SearchSocketError: The generation cannot be read, or `before_each` ends the run.
    """
    outcomes = []
    for each in golden:
        before_each()
        question = Question(each.question, scope=scope.name)
        key = answers.key(question, SHELL) if replies else ""
        reply = replies.get(key) if replies else None
        if reply is None:
            answer = whole_answer(each.question, answers.events(question, SHELL))
            reply = reply_of(answer)
            if answer.refused and reply.reason in _NOT_JUDGED:
                reason = str(errors[-1]) if errors and reply.reason == "model" else answer.refused.message
                outcomes.append(GoldenOutcome(each.question, (), reason))
                continue
        if replies and key:
            replies.put(key, reply)
        outcomes.append(judge_reply(each, reply))
    return outcomes
