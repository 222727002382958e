"""`python -m bench.relevance.typed_letters COLLECTIONS`: results while titles of pages are typed letter by letter.

For the server and for a static export, prints two kinds of faults. A list *vanishes* if a query has no results, but
had some one letter earlier. A title *leaves* if it was among the first five results one letter earlier and is not now.

Each title that only one page has is typed, from its second letter on: the first begins too many.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.relevance.collection import Collection, Document, Query, load_named, names_of
from bench.relevance.example_site import example_site
from bench.relevance.product import NOW, SCOPE, Indexes
from bench.static_export.ranker import ask, export_of
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.text.words import name_of

SHOWN = 5
TOP_K = 8  # as the dialog requests from an export
Answers = Mapping[str, Sequence[str]]  # by query, the ids of the first documents


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of the titles of one site."""

    titles: int
    vanished: tuple[str, ...]  # the first query without results of each title
    left: tuple[tuple[str, str], ...]  # the title, and the first query that lost it


def titles_of(collection: Collection) -> list[Document]:
    """The documents whose title, by its words, no other document has."""
    counts = Counter(name_of(document.title) for document in collection.documents)
    return [document for document in collection.documents if counts[name_of(document.title)] == 1]


def beginnings(title: str) -> Iterator[str]:
    """What is in the field while the title is typed, without the moments after a space."""
    return (title[:end] for end in range(2, len(title) + 1) if not title[end - 1].isspace())


def typed_letters(documents: Sequence[Document], answers: Answers) -> Faults:
    """The faults in the answers to all beginnings of the titles."""
    vanished, left = [], []
    for document in documents:
        before: Sequence[str] = ()
        for query in beginnings(document.title):
            now = answers[query]
            if before and not now:
                vanished.append(query)
                break
            before = now
        before = ()
        for query in beginnings(document.title):
            now = answers[query][:SHOWN]
            if document.id in before and document.id not in now:
                left.append((document.title, query))
                break
            before = now
    return Faults(len(documents), tuple(vanished), tuple(left))


def with_beginnings(collection: Collection, documents: Sequence[Document]) -> Collection:
    """The collection with all beginnings of the titles as queries."""
    texts = dict.fromkeys(query for document in documents for query in beginnings(document.title))
    return replace(collection, queries=tuple(Query(text, text, "begun") for text in texts), grades={})


def of_server(collection: Collection, indexes: Indexes) -> Answers:
    [indexed] = indexes.of(collection)
    queries = QueryVectors(lambda _: indexed.embedder)
    engine = SearchEngine(indexed.store, queries, RankingSettings(), lambda: NOW)
    answers = {query.id: engine.search(SearchQuery(query.text, TOP_K), SCOPE) for query in collection.queries}
    return {id_: [indexed.ids[one.url] for one in answer.results] for id_, answer in answers.items()}


def of_export(collection: Collection, indexes: Indexes, work: Path) -> Answers:
    folder, ids = export_of(collection, indexes, work)
    found = ask(folder, {query.id: {"q": query.text, "topK": TOP_K} for query in collection.queries})
    return {id_: [ids[one["url"]] for one in answer["results"]] for id_, answer in found.items()}


def main() -> None:
    folder = Path(sys.argv[1])
    indexes = Indexes(BuiltinEmbedder())
    with TemporaryDirectory() as work:
        sides: dict[str, Callable[[Collection], Answers]] = {
            "server": lambda collection: of_server(collection, indexes),
            "export": lambda collection: of_export(collection, indexes, Path(work)),
        }
        for collection in [
            example_site(),
            *(load_named(folder, name) for name in names_of(folder) if name.startswith("site_")),
        ]:
            documents = titles_of(collection)
            typed = with_beginnings(collection, documents)
            for side, answer in sides.items():
                faults = typed_letters(documents, answer(typed))
                print(f"{collection.name} {side}: {faults.titles} titles, {len(typed.queries)} queries")
                print(f"  vanished {len(faults.vanished)}:", *faults.vanished, sep="\n    ")
                print(f"  left {len(faults.left)}:", *faults.left, sep="\n    ")


if __name__ == "__main__":
    main()
