"""The share of relevant passages among the first ten: `python -m bench.content.precision FOLDER [-v]`.

`queries.tsv` has 62 queries of the projects of `bench.asking`: three sites and two repositories, by concepts, by terms
and by both. `judged.tsv` has every passage that was among the first ten in any variant, with the judgement and its
reason. The id of a passage has its page, heading and text. A passage is relevant if it gives information on the query
itself. A list of links, an index, a footer, a constructor without a word and an example of something else are not. A
passage without a judgement counts as irrelevant, and `-v` prints it: judge it and add it.

Queries by concepts are embedded in several ways. The choice was made on the queries with even numbers.
"""

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from searchsocket.project.project import open_project
from searchsocket.search.bounds import MOST_MAX_TOKENS
from searchsocket.search.content import retrieve
from searchsocket.search.content.answer import ContentAnswer, ContentQuery
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.content.retrieve import ContentSearch, concept_vector, middle_of_concepts
from searchsocket.search.continuation import Continuations
from searchsocket.serving.content import open_content
from searchsocket.serving.service import open_service
from searchsocket.types import Vector

HERE = Path(__file__).parent
Way = Callable[[ContentFolder, tuple[str, ...], tuple[str, ...]], Vector | None]


class JudgedQuery(NamedTuple):
    """A query of the bench."""

    number: int
    project: str
    query: ContentQuery


def joined(by: str, content: ContentFolder, concepts: tuple[str, ...], _: tuple[str, ...]) -> Vector | None:
    """The vector of all concepts in one text."""
    return content.vector(by.join(concepts)) if concepts else None  # type: ignore[return-value]


def middle(content: ContentFolder, concepts: tuple[str, ...], _: tuple[str, ...]) -> Vector | None:
    """The middle of the vectors of all concepts, and nothing else."""
    return middle_of_concepts(content, concepts) if concepts else None


WAYS: dict[str, Way] = {
    "all concepts in one text": partial(joined, ", "),
    "middle of the concepts": middle,
    "and of what is found first": concept_vector,
}


def queries() -> Iterator[JudgedQuery]:
    """Those of `queries.tsv`."""
    for line in (HERE / "queries.tsv").read_text().splitlines()[1:]:
        number, project, *lists = line.split("\t")
        concepts, terms = (tuple(filter(None, map(str.strip, text.split(";")))) for text in lists)
        yield JudgedQuery(int(number), project, ContentQuery(concepts, terms, max_tokens=MOST_MAX_TOKENS))


def judgements() -> dict[tuple[int, str], bool]:
    """Relevance of passages, by the query's number and the passage's id."""
    rows = [line.split("\t") for line in (HERE / "judged.tsv").read_text().splitlines()[1:]]
    return {(int(number), chunk_id): relevant == "1" for number, relevant, chunk_id, _ in rows}


def corpora(folder: Path) -> dict[str, ContentFolder]:
    """The pages of each site of the bench, and the code of each repository."""
    folders = {}
    for name in sorted({query.project for query in queries()}):
        project = open_project(folder / name, os.environ)
        service = open_content(project, os.environ, open_service(project, os.environ))
        folders[name] = service.folder("site" if name.endswith("-docs") else "code", trusted=True)
    return folders


def answers(folders: dict[str, ContentFolder], way: Way) -> Iterator[tuple[JudgedQuery, ContentAnswer]]:
    """All queries, answered by a search that remembers nothing of another way."""
    search = ContentSearch(Continuations(lambda: b"bench"), lambda: datetime.now(UTC))
    with patch.object(retrieve, "concept_vector", way):
        for query in queries():
            yield query, search.search(folders[query.project], query.query)


def main(folder: Path, *, verbose: bool) -> None:
    folders, judged = corpora(folder), judgements()
    unjudged: dict[tuple[int, str], str] = {}
    print(f"{'precision of the first ten':28} all  even   odd  concepts several  terms  unjudged")
    for name, way in WAYS.items():
        shares: dict[JudgedQuery, float] = {}
        missing = 0
        for query, answer in answers(folders, way):
            results = answer.data.results
            ids = [(query.number, one.chunk_id) for one in results]
            shares[query] = sum(judged.get(each, False) for each in ids) / max(len(ids), 1)
            new = {each: one.content for each, one in zip(ids, results, strict=True) if each not in judged}
            missing += len(new)
            unjudged |= new
        groups = [
            list(shares),
            [one for one in shares if one.number % 2 == 0],
            [one for one in shares if one.number % 2],
            [one for one in shares if one.query.semantic_concepts],
            [one for one in shares if len(one.query.semantic_concepts) > 1],
            [one for one in shares if not one.query.semantic_concepts],
        ]
        print(f"{name:26}", " ".join(f"{np.mean([shares[one] for one in group]):.3f}  " for group in groups), missing)
    if verbose:
        for (number, chunk_id), text in unjudged.items():
            print(f"unjudged: {number}\t{chunk_id}\t{' '.join(text.split())[:300]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), verbose="-v" in sys.argv)
