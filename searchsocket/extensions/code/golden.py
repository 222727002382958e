"""Golden queries over source code."""

from collections.abc import Callable
from datetime import datetime

from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.search.engine import CodeSearch
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import Project
from searchsocket.quality.generations import OneReader
from searchsocket.quality.golden import GoldenQuery
from searchsocket.quality.judgement import DEPTH, Ask, GoldenResult, refuse_words_alone
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import Lines, Scope


def ask_code_over(
    project: Project, vectors: QueryVectors, reader: IndexReader, scope: Scope, clock: Callable[[], datetime]
) -> Ask:
    """Return a function that runs golden queries on one generation of source code.

    It raises `EmbedderUnavailable` for an answer by words only.
    """
    # The index is judged, not the current files: each file counts as present.
    engine = CodeSearch(OneReader(reader), vectors, clock, lambda _: lambda path: b"")

    def ask(golden: GoldenQuery) -> list[GoldenResult]:
        answer = engine.search(CodeQuery(golden.query, top_k=max(golden.k, DEPTH)), scope)
        refuse_words_alone(golden, answer.notes)
        records = reader.catalogue.records([result.id for result in answer.results])
        names = [
            frozenset((record.chunk.at.symbol, *record.chunk.at.heading_path))
            for record in records
            if isinstance(record.chunk.at, Lines)
        ]
        return [
            GoldenResult(result.file, definitions, result.score)
            for result, definitions in zip(answer.results, names, strict=True)
        ]

    return ask
