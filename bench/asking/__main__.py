"""Fits the rule of `ask`, and says how well it refuses: `python -m bench.asking FOLDER [-v] [--fresh]`.

FOLDER holds an indexed project for each name in `answerable.txt`: the documentation of Vue, of SQLite 3.40 and of
Django 3.2 as sites, and the packages click and starlette as code. Each has thirty questions that it answers, with a
part of the path of a document that does and a phrase of what it says, and thirty that it does not. The rule is fitted
to one half of the questions and judged on the other, in both ways; the weights that are printed at the end are fitted
to all of them. Whether a first passage truly answers is told by the phrases, which were looked up in the texts.

`--fresh` asks forty questions of two other sites, the manual of PostgreSQL 15 and the documentation of Bits UI, by
the rule as it is. Nothing may be chosen by them: who changes the rule after looking at them writes new ones.

`--together` asks pages and code at once, as `ask` does for trusted callers: `docs-site` is a copy of
`examples/docs-site`, built, with `code.enable`, and with `searchsocket/text` and `clients/js/src` below `lib/`.
Of its 36 questions with an answer, 29 ask for sentences that were drawn at random (seed 35) from paragraphs and
comments, and seven ask for a quantity that the pages state; the 36 without one ask for what neither says. All were
written before they were asked.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from searchsocket.search.content.corpus import Corpus

from searchsocket.project.project import open_project
from searchsocket.search.answering.ask import Supported, candidates
from searchsocket.search.answering.support import ENOUGH, Support, likelihood
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import open_service

TOGETHER = "docs-site"  # the project of which pages and code are asked at once
HERE = Path(__file__).parent
Rows = NDArray[np.float64]
_RIDGE = 0.05
_STEPS = 60
_MARKDOWN = re.compile(r"[`*\\]|\[(?=[^\]]*\]\()|\]\([^)]*\)")


class Question(NamedTuple):
    """A question, and where and by which words it is answered; both "" of one that is not."""

    project: str
    text: str
    path: str = ""
    phrases: str = ""  # alternatives

    def is_answered_by(self, text: str) -> bool:
        return any(_plain(phrase) in _plain(text) for phrase in self.phrases.split("|"))


def questions(name: str) -> Iterator[Question]:
    """Those of a file, a project after the other."""
    project = ""
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("# "):
            project = line[2:]
        elif line:
            *where, text = line.split("\t")
            yield Question(project, text, *where)


def _plain(text: str) -> str:
    """A text without signs of Markdown, on one line."""
    return " ".join(_MARKDOWN.sub("", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")).split()).lower()


def is_there(corpus: Corpus, question: Question) -> bool:
    """Whether the document that answers holds one of the phrases."""
    urls = (url for url in corpus.reader.words.pages_with(()) if question.path in corpus.file_path(url))
    return any(question.is_answered_by(corpus.reader.catalogue.page_body(url) or "") for url in urls)


def corpora_of(folder: Path, project: str, services: dict[str, ContentService] = {}) -> list[Corpus]:  # noqa: B006
    """The corpora that the questions of a project ask: its pages, its code, or both."""
    if project not in services:
        opened = open_project(folder / project, os.environ)
        services[project] = open_content(opened, os.environ, open_service(opened, os.environ))
    kinds = ("site", "code") if project == TOGETHER else ("site",) if project.endswith("-docs") else ("code",)
    return [services[project].corpus(kind, trusted=True) for kind in kinds]


class Asked(NamedTuple):
    """A question with what `ask` chooses among, best first."""

    question: Question
    found: list[Supported]

    @property
    def path(self) -> str:
        return self.found[0].corpus.file_path(self.found[0].found.record.page.url) if self.found else ""

    @property
    def support(self) -> Support:
        """Of the first passage, within the bounds that the rule knows."""
        if not self.found:
            return Support(0.0, 0.0, 0.0, 0.0)
        support = self.found[0].support
        return support._replace(nearness=min(max(support.nearness, -1.0), 4.0))

    def texts(self, count: int) -> list[str]:
        return [one.passage.text for one in self.found[:count]] or [""]


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
    refused, wanted = sure < enough, answers == 0
    right = float((refused & wanted).sum())
    return right / max(refused.sum(), 1), right / wanted.sum()


def asked(folder: Path, prefix: str = "") -> list[Asked]:
    """All questions of a pair of files, each with what `ask` finds."""
    found = []
    for file in ("answerable.txt", "unanswerable.txt"):
        for question in questions(prefix + file):
            corpora = corpora_of(folder, question.project)
            best = candidates(corpora, question.text)
            if question.path and not any(is_there(corpus, question) for corpus in corpora):
                raise SystemExit(f"{question.path} of {question.project} does not say {question.phrases!r}")
            found.append(Asked(question, best))
    return found


def report(found: Sequence[Asked], sure: Rows) -> None:
    """How well is refused at several thresholds and in each project, and how often the first passages answer."""
    right = np.array([bool(one.question.path) for one in found])
    print("enough  refusal precision  recall")
    for enough in (0.3, 0.4, 0.5, 0.6, 0.7):
        precision, recall = refusals(sure, right, enough)
        print(f"{enough:6.2f}  {precision:17.3f}  {recall:6.3f}")
    for name in dict.fromkeys(one.question.project for one in found):
        own = np.array([one.question.project == name for one in found])
        print(name, "precision {:.3f} recall {:.3f}".format(*refusals(sure[own], right[own], ENOUGH)))
    answered = [one for one in found if one.question.path]
    for count, words in ((1, "first passage says"), (3, "one of the first three says")):
        share = np.mean([any(map(one.question.is_answered_by, one.texts(count))) for one in answered])
        print(f"{words} what answers: {share:.3f}")
    print(
        f"first passage is of the expected document: {np.mean([one.question.path in one.path for one in answered]):.3f}"
    )


def main(folder: Path, arguments: Sequence[str]) -> None:
    prefix = "fresh_" if "--fresh" in arguments else "together_" if "--together" in arguments else ""
    if prefix:
        found = asked(folder, prefix)
        sure = np.array([likelihood(one.support) for one in found])
        weights: Rows | None = None
    else:
        found = asked(folder)
        table = np.array([one.support for one in found])
        right = np.array([float(bool(one.question.path)) for one in found])
        sure = np.zeros(len(right))
        for half in (0, 1):
            held = np.arange(len(right)) % 2 == half
            weights = fitted(table[~held], right[~held])
            sure[held] = 1 / (1 + np.exp(-(np.hstack([np.ones((held.sum(), 1)), table[held]]) @ weights)))
        weights = fitted(table, right)
    for one, value in zip(found, sure, strict=True):
        if "-v" in arguments and (value >= ENOUGH) != bool(one.question.path):
            print(
                f"{'MISSED' if one.question.path else 'GIVEN'} {value:.2f} {one.question.project}: {one.question.text}"
            )
            print(f"    {one.path} {[round(each, 2) for each in one.support]} {one.texts(1)[0][:150]!r}")
        elif "-v" in arguments and one.question.path and not one.question.is_answered_by(one.texts(1)[0]):
            print(f"FIRST {value:.2f} {one.question.project}: {one.question.text}")
            print(f"    {one.path} {one.texts(1)[0][:150]!r}")
    report(found, sure)
    if weights is not None:
        print("weights:", ", ".join(f"{weight:.2f}" for weight in weights))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
