"""`searchsocket ask --answer`: the answer in sentences, and its cost before."""

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import load_scope, with_options
from searchsocket.cli.output import safe, say
from searchsocket.cli.service_log import trouble_line
from searchsocket.dollars import dollars
from searchsocket.extensions.answers.answer import (
    AnswerCitation,
    AnswerRefusal,
    AnswerSentence,
    whole_answer,
)
from searchsocket.extensions.answers.engine import Answers, Estimate, Question
from searchsocket.extensions.answers.golden import FILE, GoldenOutcome, answers_over, ask_all, read_golden_answers
from searchsocket.project.project import Project
from searchsocket.serving.answers import to_json
from searchsocket.serving.capabilities.base import SHELL
from searchsocket.serving.content import open_content
from searchsocket.serving.service import open_service

_OPTIONS = (
    click.Option(["--answer"], is_flag=True, help="Let the language model of [answers] write sentences."),
    click.Option(["--dry-run"], is_flag=True, help="With --answer: show the highest cost, and call nothing."),
)


def with_answer(command: click.Command) -> click.Command:
    """Return `searchsocket ask` with the options for an answer in sentences."""
    passages = command.callback
    assert passages

    def ask(answer: bool, dry_run: bool, **fields: Any) -> None:
        if answer:
            _answer(dry_run=dry_run, passages=lambda: passages(**fields), **fields)
        elif dry_run:
            raise click.UsageError("--dry-run needs --answer")
        else:
            passages(**fields)

    changed = with_options(command, _OPTIONS)
    changed.callback = ask
    return changed


def with_golden_answers(command: click.Command) -> click.Command:
    """Return `searchsocket test` with the option for golden answers."""
    queries = command.callback
    assert queries

    def test(answers: bool, **fields: Any) -> None:
        if answers:
            _test_answers(fields["root"], fields["scope_name"], fields["generation"], as_json=fields["as_json"])
        else:
            queries(**fields)

    option = click.Option(["--answers"], is_flag=True, help=f"Ask the questions of {FILE} instead, with the model.")
    changed = with_options(command, [option])
    changed.callback = test
    return changed


def _test_answers(root: Path, scope_name: str | None, generation: str, *, as_json: bool) -> None:
    """Ask the golden questions over a generation; exit with 1 if an answer is wrong."""
    project, scope = load_scope(root, scope_name)
    golden = read_golden_answers(project.root)
    outcomes: list[GoldenOutcome] = []
    if golden:
        errors: list[BaseException] = []
        reader = Backends(project, os.environ).store.reader_of(scope, generation)
        answers = answers_over(project, os.environ, reader, clock=lambda: datetime.now(UTC), on_error=errors.append)
        outcomes = ask_all(answers, golden, scope, errors)
    if as_json:
        click.echo(json.dumps([json.loads(to_json(outcome, sources=True)) for outcome in outcomes]))
    else:
        say(f"{len(outcomes)} golden answers" if golden else f"{project.root / FILE} has no questions")
        for outcome in outcomes:
            verdict = f"skipped: {outcome.skipped}" if outcome.skipped else "; ".join(outcome.problems) or "right"
            say(f"  {outcome.question}  {verdict}")
    if any(outcome.problems for outcome in outcomes):
        raise SystemExit(1)


def _open(project: Project) -> Answers:
    content = open_content(project, os.environ, open_service(project, os.environ))
    return Answers(
        project,
        os.environ,
        lambda: content,
        clock=lambda: datetime.now(UTC),
        on_error=lambda error: click.echo(trouble_line(error), err=True),
    )


def _answer(
    *,
    dry_run: bool,
    passages: Callable[[], None],
    question: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    as_json: bool,
    **_: object,
) -> None:
    """Print the answer as it is written, then its sources; without one, the passages."""
    project, scope = load_scope(root, scope_name)
    answers = _open(project)
    asked = Question(" ".join(question), scope=scope.name)
    if dry_run:
        say(_estimate_line(answers.estimate(asked, SHELL), answers.settings.model))
        return
    events = answers.events(asked, SHELL)
    if as_json:
        click.echo(to_json(whole_answer(asked.text, events), sources=True).decode())
        return
    refused: AnswerRefusal | None = None
    citations: list[AnswerCitation] = []
    for event in events:
        match event.data:
            case AnswerSentence() as sentence:
                click.echo("".join(_sentence_lines(sentence)))
            case AnswerCitation() as citation:
                citations.append(citation)
            case AnswerRefusal() as refusal:
                refused = refusal
    if refused:
        say(refused.message)
        if refused.reason != "not_covered":
            passages()
            return
        for page in refused.results:
            say(f"  {page.title}  {page.url}")
        return
    say("")
    for citation in sorted(citations, key=lambda each: each.number):
        say(f"[{citation.number}] {citation.title}  {click.style(safe(citation.url), fg='cyan')}")


def _sentence_lines(sentence: AnswerSentence) -> Iterator[str]:
    if sentence.kind == "code":
        yield "" if sentence.quoted else "  (not from the documentation)\n"
        yield "\n".join(f"    {safe(line)}" for line in sentence.text.split("\n"))
        return
    numbers = "".join(f"[{number}]" for number in sentence.citations)
    yield f"{'- ' if sentence.kind == 'item' else ''}{safe(sentence.text)} {click.style(numbers, fg='cyan')}"


def _estimate_line(estimate: Estimate, model: str) -> str:
    if not estimate.passages:
        return "nothing would be sent: the documentation does not cover this question"
    tokens = f"{estimate.usage.prompt:,} tokens and at most {estimate.usage.completion:,} back"
    return f"{model}: {tokens}, at most {dollars(estimate.cost_usd)}; nothing was sent"
