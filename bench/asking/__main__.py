"""Fits the rule of `ask`, and says how well it refuses: `python -m bench.asking FOLDER [-v]`.

FOLDER holds an indexed project for each name in `answerable.txt`: the documentation of Vue, of SQLite 3.40 and of
Django 3.2 as sites, and the packages click and starlette as code. Each has thirty questions that it answers, with a
part of the path that does, and thirty that it does not. The rule is fitted to one half of the questions and judged on
the other, in both ways; the weights that are printed at the end are fitted to all of them.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.project.project import open_project
from searchsocket.search.answering.ask import Supported, supported
from searchsocket.serving.content import open_content
from searchsocket.serving.service import open_service

HERE = Path(__file__).parent
Rows = NDArray[np.float64]
_RIDGE = 0.05
_STEPS = 60


def questions(name: str) -> Iterator[tuple[str, str, str]]:
    """(project, expected part of the path or "", question) of a file."""
    project = ""
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("# "):
            project = line[2:]
        elif line:
            expected, _, question = line.rpartition("\t")
            yield project, expected, question


def best_of(folder: Path, project: str, question: str, services: dict[str, object] = {}) -> list[Supported]:  # noqa: B006
    """What `ask` chooses among, best first."""
    if project not in services:
        opened = open_project(folder / project, os.environ)
        services[project] = open_content(opened, os.environ, open_service(opened, os.environ))
    service = services[project]
    kind = "code" if not project.endswith("-docs") else "site"
    corpus = service.corpus(kind, trusted=True)  # type: ignore[attr-defined]
    return sorted(supported(corpus, question), key=lambda one: -one.score)


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


def main(folder: Path, arguments: Sequence[str]) -> None:
    rows, answers, names, first_right, lines = [], [], [], [], []
    for file, answer in (("answerable.txt", 1.0), ("unanswerable.txt", 0.0)):
        for project, expected, question in questions(file):
            found = best_of(folder, project, question)
            path = found[0].corpus.file_path(found[0].found.record.page.url) if found else ""
            support = found[0].support if found else (0.0,) * 4
            support = (*support[:2], min(max(support[2], -1.0), 4.0), support[3])
            rows.append(support)
            answers.append(answer)
            names.append(project)
            if answer:
                first_right.append(expected in path)
            lines.append((project, question, path, support, found[0].passage.text[:150] if found else ""))
    table, right = np.array(rows), np.array(answers)
    sure = np.zeros(len(right))
    for half in (0, 1):
        held = np.arange(len(right)) % 2 == half
        weights = fitted(table[~held], right[~held])
        sure[held] = 1 / (1 + np.exp(-(np.hstack([np.ones((held.sum(), 1)), table[held]]) @ weights)))
    weights = fitted(table, right)
    if "-v" in arguments:
        for (project, question, path, support, text), value, answer in zip(lines, sure, answers, strict=True):
            if (value >= 0.5) != bool(answer):
                print(
                    f"{'MISSED' if answer else 'GIVEN'} {value:.2f} {project}: {question}\n    {path} "
                    f"{[round(float(one), 2) for one in support]} {text!r}"
                )
    print("enough  refusal precision  recall   (each half judged by the other)")
    for enough in (0.3, 0.4, 0.5, 0.6, 0.7):
        precision, recall = refusals(sure, right, enough)
        print(f"{enough:6.2f}  {precision:17.3f}  {recall:6.3f}")
    for name in dict.fromkeys(names):
        own = np.array([one == name for one in names])
        print(name, "precision {:.3f} recall {:.3f}".format(*refusals(sure[own], right[own], 0.5)))
    print("first passage is of the expected document:", round(float(np.mean(first_right)), 3))
    print("weights:", ", ".join(f"{one:.2f}" for one in weights))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
