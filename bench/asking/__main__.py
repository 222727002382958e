"""Fit the rule of `ask`, and report how well it refuses: `python -m bench.asking FOLDER [-v] [--unseen]`.

FOLDER contains an indexed project for each name in the files of questions: documentation as sites (`...-docs`), and
repositories of source code. A question with an answer has a part of the path of the document that answers it, and
phrases of that document. The bench looks them up there. The other questions have no answer in the project.

Without an option, the bench fits the rule to all questions except those of one project and judges it on these, project
by project. The weights that it prints at the end are fitted to all questions. There are 500:

- thirty with and thirty without an answer, of Vue, SQLite 3.40, Django 3.2, click and starlette (`answerable.txt`)
- ten and ten of PostgreSQL 15 and Bits UI (`fresh_...`)
- 112 and 48 of MkDocs, Vite, Prometheus, svelte-multiselect, pluggy 1.6, logrus, itsdangerous, uv, Caddy, Sveltepress,
  the Rust book, httpd 2.4, httpx, cobra and fastify (`choosing_...`)

`--fresh` and `--choosing` judge the rule as it is on one of these sets.

`--unseen` judges the rule as it is on a hundred questions of other projects: the documentation of Jujutsu, Helix, pnpm,
Traefik and the Networking Toolbox, and the source of attrs, chi and express. The 60 with an answer are about sections
that were drawn at random. Do not tune on them: if you change the rule after you read them, add them to the other
questions and write new ones.

`--together` searches pages and code at once, as `ask` does for trusted callers. `docs-site` is a copy of
`examples/docs-site`, built, with `code.enable`, and with `searchsocket/text` and `clients/js/src` below `lib/`.
Of its 36 questions with an answer, 29 are about sentences that were drawn at random (seed 35) from paragraphs and
comments, and seven are about a quantity in the pages. The 36 without an answer are about something that neither has.
All were written before the first run.
"""

import html
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.project.project import open_project
from searchsocket.search.answering.ask import ENOUGH, Support, Supported, candidates, likelihood
from searchsocket.search.content.folder import ContentFolder
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import open_service

SETS = ("fresh", "together", "choosing", "unseen")
FITTED = ("", "fresh_", "choosing_")  # the sets that the rule is fitted to
TOGETHER = "docs-site"  # the project of which pages and code are asked at once
HERE = Path(__file__).parent
Rows = NDArray[np.float64]
_RIDGE = 0.3
_STEPS = 60
_LINK_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*")
_MARKDOWN = re.compile(r"[`*\\]|\[(?=[^\]]*\]\()|\]\([^)]*\)")


class Question(NamedTuple):
    """A question, and where and by which words it is answered; both "" of one that is not."""

    project: str
    text: str
    path: str = ""
    phrases: str = ""  # alternatives

    def is_answered_by(self, text: str) -> bool:
        return any(_plain(phrase) in _plain(text) for phrase in self.phrases.split("|"))


def questions(name: str, folder: Path = HERE) -> Iterator[Question]:
    """Those of a file, a project after the other."""
    project = ""
    for line in (folder / name).read_text().splitlines():
        if line.startswith("# "):
            project = line[2:]
        elif line:
            *where, text = line.split("\t")
            yield Question(project, text, *where)


def _plain(text: str) -> str:
    """A text without signs of Markdown, on one line."""
    return " ".join(_MARKDOWN.sub("", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")).split()).lower()


def _letters(text: str) -> str:
    """A text without anything but letters and digits; addresses of links are left out."""
    return re.sub(r"[^\w]|_", "", _LINK_TARGET.sub("](", html.unescape(text))).casefold()


def is_there(corpus: ContentFolder, question: Question) -> bool:
    """Return True if the document with the answer contains one of the phrases."""
    urls = (url for url in corpus.reader.words.pages_with(()) if question.path in corpus.file_path(url))
    return any(question.is_answered_by(corpus.reader.catalogue.page_body(url) or "") for url in urls)


def corpora_of(folder: Path, project: str, services: dict[str, ContentService] = {}) -> list[ContentFolder]:  # noqa: B006
    """The corpora that the questions of a project ask: its pages, its code, or both."""
    if project not in services:
        opened = open_project(folder / project, os.environ)
        services[project] = open_content(opened, os.environ, open_service(opened, os.environ))
    kinds = ("site", "code") if project == TOGETHER else ("site",) if project.endswith("-docs") else ("code",)
    return [services[project].folder(kind, trusted=True) for kind in kinds]


class QuestionResult(NamedTuple):
    """A question with what `ask` chooses among, best first."""

    question: Question
    passages: list[Supported]

    @property
    def path(self) -> str:
        return self.passages[0].folder.file_path(self.passages[0].readable.record.page.url) if self.passages else ""

    @property
    def support(self) -> Support:
        """Of the first passage, within the bounds that the rule knows."""
        if not self.passages:
            return Support(0.0, 0.0, 0.0, 1.0, 0.0)
        support = self.passages[0].support
        return support._replace(nearness=min(max(support.nearness, -1.0), 4.0))

    @property
    def is_verbatim(self) -> bool:
        """True if each line of the first passages is in its document, without Markdown signs."""
        return all(
            _letters(line) in _letters(one.folder.text(one.readable.record.page.url)[0])
            for rank, one in enumerate(self.passages[:3])
            for line in one.text(is_first=not rank).splitlines()
        )

    def texts(self, count: int) -> list[str]:
        return [one.text(is_first=not rank) for rank, one in enumerate(self.passages[:count])] or [""]


def fitted(rows: Rows, answers: Rows) -> Rows:
    """The weights of a logistic model, by Newton's method with a little ridge."""
    table = np.hstack([np.ones((len(rows), 1)), rows])
    weights = np.zeros(table.shape[1])
    for _ in range(_STEPS):
        sure = 1 / (1 + np.exp(-(table @ weights)))
        slope = table.T @ (answers - sure) - _RIDGE * weights
        bend = (table.T * (sure * (1 - sure))) @ table + _RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def refusals(sure: Rows, answers: Rows, enough: float) -> tuple[float, float]:
    """Precision and recall of refusing."""
    refused, unanswerable = sure < enough, answers == 0
    right = float((refused & unanswerable).sum())
    return right / max(refused.sum(), 1), right / unanswerable.sum()


def ask_all(folder: Path, prefix: str = "") -> list[QuestionResult]:
    """All questions of a pair of files, each with what `ask` finds."""
    results = []
    for file in ("answerable.txt", "unanswerable.txt"):
        for question in questions(prefix + file):
            corpora = corpora_of(folder, question.project)
            best = candidates(corpora, question.text)
            if question.path and not any(is_there(corpus, question) for corpus in corpora):
                raise SystemExit(f"{question.path} of {question.project} does not say {question.phrases!r}")
            results.append(QuestionResult(question, best))
    return results


def report(results: Sequence[QuestionResult], sure: Rows) -> None:
    """Print precision and recall of refusals by threshold and project, and how often the first passages answer."""
    right = np.array([bool(one.question.path) for one in results])
    print("enough  refusal precision  recall")
    for enough in (0.3, 0.4, 0.5, 0.6, 0.7):
        precision, recall = refusals(sure, right, enough)
        print(f"{enough:6.2f}  {precision:17.3f}  {recall:6.3f}")
    for name in dict.fromkeys(one.question.project for one in results):
        own = np.array([one.question.project == name for one in results])
        print(name, "precision {:.3f} recall {:.3f}".format(*refusals(sure[own], right[own], ENOUGH)))
    answered = [one for one in results if one.question.path]
    for count, words in ((1, "first passage says"), (3, "one of the first three says")):
        share = np.mean([any(map(one.question.is_answered_by, one.texts(count))) for one in answered])
        print(f"{words} what answers: {share:.3f}")
    print(f"every line of the first three is in its document: {np.mean([one.is_verbatim for one in results]):.3f}")
    print(
        f"first passage is of the expected document: {np.mean([one.question.path in one.path for one in answered]):.3f}"
    )


def main(folder: Path, arguments: Sequence[str]) -> None:
    prefix = next((f"{name}_" for name in SETS if f"--{name}" in arguments), "")
    results = [one for each in ((prefix,) if prefix else FITTED) for one in ask_all(folder, each)]
    table = np.array([one.support for one in results])
    right = np.array([float(bool(one.question.path)) for one in results])
    sure = np.array([likelihood(one.support) for one in results]) if prefix else judged_by_others(results, table, right)
    for one, value in zip(results, sure, strict=True):
        answer = one.texts(1)[0]
        is_answered = one.question.is_answered_by(answer)
        if "-v" in arguments and ((value >= ENOUGH) != bool(one.question.path) or not (value < ENOUGH or is_answered)):
            error = "FIRST" if value >= ENOUGH and one.question.path else "MISSED" if value < ENOUGH else "GIVEN"
            print(f"{error} {value:.2f} {one.question.project}: {one.question.text}")
            print(f"    {one.path} {[round(each, 2) for each in one.support]} {answer[:150]!r}")
    report(results, sure)
    if not prefix:
        print("weights:", ", ".join(f"{weight:.2f}" for weight in fitted(table, right)))


def judged_by_others(results: Sequence[QuestionResult], table: Rows, right: Rows) -> Rows:
    """The likelihoods of each project's questions, by a rule fitted to those of the others."""
    sure = np.zeros(len(right))
    projects = np.array([one.question.project for one in results])
    for project in set(projects.tolist()):
        own = projects == project
        weights = fitted(table[~own], right[~own])
        sure[own] = 1 / (1 + np.exp(-(np.hstack([np.ones((own.sum(), 1)), table[own]]) @ weights)))
    return sure


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
