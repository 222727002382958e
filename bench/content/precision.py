"""How many of the first ten passages are relevant: `python -m bench.content.precision FOLDER`.

`judged.tsv` says, for 62 queries of the projects of `bench.asking`, what a relevant passage holds: a pattern that was
written for each before anything was found. Passages were not read one by one, so a loose pattern flatters. Queries of
several concepts are asked by one vector in several ways.
"""

import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from searchsocket.project.project import open_project
from searchsocket.search.content import retrieve
from searchsocket.search.content.answer import ContentAnswer
from searchsocket.search.content.corpus import Corpus
from searchsocket.search.content.query import ContentQuery
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import open_service
from searchsocket.types import Vector

HERE = Path(__file__).parent
Ways = Callable[[Corpus, tuple[str, ...]], Vector | None]


def joined(by: str, corpus: Corpus, concepts: tuple[str, ...]) -> Vector | None:
    """The vector of all concepts in one text."""
    return corpus.vector(by.join(concepts)) if concepts else None  # type: ignore[return-value]


def mean(corpus: Corpus, concepts: tuple[str, ...]) -> Vector | None:
    """The middle of the vectors of all concepts."""
    if not concepts:
        return None
    total = np.sum([corpus.vector(one) for one in concepts], axis=0)  # type: ignore[arg-type]
    return np.asarray(total / np.linalg.norm(total), np.float32)


WAYS: dict[str, Ways] = {
    "joined by a comma": partial(joined, ", "),
    "joined by a space": partial(joined, " "),
    "joined by a line": partial(joined, "\n"),
    "mean of vectors": mean,
}


def services(folder: Path, names: list[str]) -> dict[str, ContentService]:
    found = {}
    for name in names:
        project = open_project(folder / name, os.environ)
        found[name] = open_content(project, os.environ, open_service(project, os.environ))
    return found


def relevant(answer: ContentAnswer, pattern: str) -> list[bool]:
    """Whether each passage is."""
    texts = (f"{one.source.title} {one.source.section} {one.content}" for one in answer.data.results)
    return [re.search(pattern, text, re.IGNORECASE) is not None for text in texts]


def main(folder: Path, *, verbose: bool) -> None:
    rows = [line.split("\t") for line in (HERE / "judged.tsv").read_text().splitlines()[1:]]
    known = services(folder, sorted({row[0] for row in rows}))
    for way, vector in WAYS.items():
        shares, several = [], []
        with patch.object(retrieve, "concept_vector", vector):
            for project, concepts, terms, pattern in rows:
                split = [tuple(filter(None, map(str.strip, text.split(";")))) for text in (concepts, terms)]
                folder_id = "site" if project.endswith("-docs") else "code"
                answer = known[project].search_content(folder_id, ContentQuery(*split), trusted=True)
                found = relevant(answer, pattern)
                shares.append(sum(found) / max(len(found), 1))
                several += [shares[-1]] if len(split[0]) > 1 else []
                if verbose and way == "joined by a comma" and shares[-1] < 0.9:
                    print(f"{shares[-1]:.1f} {project} {split}")
                    for one, is_relevant in zip(answer.data.results, found, strict=True):
                        print("    +" if is_relevant else "    -", one.file_path, one.source.section, one.content[:80])
        print(
            f"{way:20} precision@10 {np.mean(shares):.3f} of {len(shares)}, {np.mean(several):.3f} of several concepts"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), verbose="-v" in sys.argv)
