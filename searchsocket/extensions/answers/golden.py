"""Golden answers: questions with facts that an answer must contain, and must not."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from searchsocket.errors import ConfigError
from searchsocket.extensions.answers.answer import SentenceAnswer
from searchsocket.extensions.answers.markup import plain_text
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.wire import Wire
from searchsocket.text.mistakes import explain_mistake

FILE = "golden-answers.toml"
_Facts = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(max_length=50)]


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
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).answer
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
