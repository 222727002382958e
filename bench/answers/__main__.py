"""Measure answers in sentences: `python -m bench.answers [FOLDER] [--calibrate] [--model URL NAME [QUESTIONS]]`.

Without FOLDER, the bench judges the check of sentences alone, on sentences of our documentation: as written, in other
words by rule, in other words by hand (`paraphrases.tsv`), and altered in number, flag, name, negation or word.

FOLDER contains indexed projects, as for `bench.asking` or as `bench.answers.projects` fetches them. The questions of
both benches about these projects are asked, with scripted models of three qualities, or with a model behind an address.
Projects that are missing are named. `-v` prints each false sentence that is shown.

60 questions are of this bench: five sites and three repositories, 38 with an answer, whose facts were looked up and
written down before the first run (`answerable.txt`), and 22 about something else (`unanswerable.txt`).
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.answers.alterations import TRUE, Case, cases, paraphrases
from bench.answers.models import QUALITIES, ScriptedModel
from bench.asking.__main__ import Question as Asked
from bench.asking.__main__ import questions
from searchsocket.extensions.answers.answer import AnswerSentence, AnswerSource, whole_answer
from searchsocket.extensions.answers.engine import Answers, Question
from searchsocket.extensions.answers.pieces import plain_text
from searchsocket.extensions.answers.proof import ENOUGH, ENOUGH_NEAR, prove
from searchsocket.project.project import open_project
from searchsocket.serving.capabilities.base import SHELL
from searchsocket.serving.content import open_content
from searchsocket.serving.service import open_service

DRAWN = {"as written": 50, "other words": 58, "number": 35, "flag": 35, "name": 25, "negation": 35, "meaning": 20}
SEEDS = (1, 2, 3)
PREFIXES = ("", "fresh_", "choosing_", "unseen_")
FILES = ("answerable.txt", "unanswerable.txt")
HERE = Path(__file__).parent


def judge(found: Sequence[Case], enough: float = ENOUGH, near: float = ENOUGH_NEAR) -> Counter[str]:
    """Count the sentences that are shown, by kind."""
    return Counter(case.kind for case in found if prove(case.sentence, (1,), case.passages, enough, near).citations)


def verifier(*, calibrate: bool) -> None:
    for seed in SEEDS:
        found = [*cases(seed, DRAWN), *paraphrases()]
        total, shown = Counter(case.kind for case in found), judge(found)
        print(f"seed {seed}: {len(found)} sentences")
        for kind, count in total.items():
            right = shown[kind] if kind in TRUE else count - shown[kind]
            print(f"  {'shown' if kind in TRUE else 'caught':6} {kind:12} {right:3} of {count:3}  {right / count:6.1%}")
    if calibrate:
        found = [case for seed in SEEDS for case in cases(seed, DRAWN)] + paraphrases()
        true, false = sum(case.is_true for case in found), sum(not case.is_true for case in found)
        print("enough  near  true and dropped  false and shown")
        for enough in (0.5, 0.6, 0.7, 0.8, 0.9):
            for near in (0.3, 0.45, 0.6):
                shown = judge(found, enough, near)
                kept = sum(shown[kind] for kind in TRUE)
                print(f"{enough:6.2f}  {near:4.2f}  {1 - kept / true:16.1%}  {(shown.total() - kept) / false:15.1%}")


def asked(folder: Path) -> Iterator[Asked]:
    """Yield the questions about projects in the folder; print which are missing."""
    every = [question for prefix in PREFIXES for file in FILES for question in questions(prefix + file)]
    every += [question for file in FILES for question in questions(file, HERE)]
    names = dict.fromkeys(question.project for question in every)
    missing = [name for name in names if not (folder / name).is_dir()]
    print(f"not in {folder}: {', '.join(missing) or 'none'}")
    yield from (question for question in every if question.project not in missing)


def pipeline(folder: Path, name: str, address: tuple[str, str] | None, limit: int | None) -> None:
    """Ask all questions, and print the measures."""
    environ = dict(os.environ)
    settings = {
        "SEARCHSOCKET__ANSWERS__BASE_URL": address[0] if address else "http://127.0.0.1:1/v1",
        "SEARCHSOCKET__ANSWERS__MODEL": address[1] if address else name,
        "SEARCHSOCKET__ANSWERS__TIMEOUT_S": "120",
        "SEARCHSOCKET__ANSWERS__MAX_OUTPUT_TOKENS": "150" if address else "700",
        "SEARCHSOCKET__ANSWERS__MAX_PASSAGE_TOKENS": "600" if address else "2000",
    }
    scripted = None if address else ScriptedModel(QUALITIES[name])
    answers: dict[str, Answers] = {}
    totals: Counter[str] = Counter()
    waits_s: list[float] = []
    for question in list(asked(folder))[:limit]:
        if question.project not in answers:
            project = open_project(folder / question.project, {**environ, **settings})
            content = open_content(project, environ, open_service(project, environ))
            make: dict[str, Any] = {} if scripted is None else {"make": lambda *_: scripted}
            answers[question.project] = Answers(
                project, environ, lambda content=content: content,  # type: ignore[misc]
                clock=lambda: datetime.now(UTC), on_error=lambda error: print("error:", error), **make,
            )  # fmt: skip
        events = []
        for event in answers[question.project].events(Question(question.text), SHELL):
            if event.name == "sentence" and scripted and not any(each.name == "sentence" for each in events):
                waits_s.append(time.perf_counter() - scripted.started_s)
            events.append(event)
        answer = whole_answer(question.text, events)
        totals["questions"] += 1
        totals["right to answer or refuse"] += bool(question.path) == (answer.refused is None)
        totals["answers"] += answer.refused is None
        totals["dropped"] += answer.dropped
        totals["tokens"] += answer.tokens.prompt + answer.tokens.completion
        text = " ".join(plain_text(sentence.text) for sentence in answer.sentences)
        totals["facts present"] += bool(question.path) and question.is_answered_by(text)
        totals["with a fact"] += bool(question.path)
        for sentence in answer.sentences:
            count(sentence, answer.passages, scripted, totals)
    print(f"{name}: {dict(totals)}")
    if waits_s:
        waits_s.sort()
        print(f"  to the first sentence: median {waits_s[len(waits_s) // 2]:.3f} s, longest {waits_s[-1]:.3f} s")


def count(
    sentence: AnswerSentence, passages: Sequence[AnswerSource], scripted: ScriptedModel | None, totals: Counter[str]
) -> None:
    """Count a shown sentence, and if it is true and rightly cited, as far as the model knows."""
    totals["shown"] += 1
    if scripted:
        shown = _letters(sentence.text)
        said = next((each for each in scripted.cited if _letters(each) == shown), "")
        totals["false and shown"] += said in scripted.false
        if said in scripted.false and "-v" in sys.argv:
            print(f"false and shown: {said!r} for {scripted.false[said]!r}")
        totals["cited right"] += scripted.cited.get(said) in sentence.citations


def _letters(text: str) -> str:
    """Return a text without the signs of Markdown, which the answer may add."""
    return plain_text(text).replace("`", "")


def main(arguments: Sequence[str]) -> None:
    folder = next((Path(each) for each in arguments if not each.startswith("-")), None)
    if folder is None or "--calibrate" in arguments:
        verifier(calibrate="--calibrate" in arguments)
    elif "--model" in arguments:
        at = arguments.index("--model")
        limit = int(arguments[at + 3]) if len(arguments) > at + 3 else None
        pipeline(folder, arguments[at + 2], (arguments[at + 1], arguments[at + 2]), limit)
    else:
        for name in QUALITIES:
            pipeline(folder, name, None, None)


if __name__ == "__main__":
    main(sys.argv[1:])
