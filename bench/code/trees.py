"""A collection of source code as files in folders, the input of searches of code."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.relevance.collection import Collection, Document

CODE = ("commits", "cosqa", "ncs")  # collections whose documents are source code
_SUFFIX = {"cosqa": ".py", "ncs": ".java"}  # of documents that are no files of a repository


@dataclass(frozen=True, slots=True)
class Tree:
    """The documents of one scope of a collection."""

    scope: str
    root: Path
    ids: dict[str, str]  # of documents, by path from the root


def grow(collection: Collection, folder: Path) -> Iterator[Tree]:
    """Write the documents of each scope below `folder`, each as a file of the name that it has, or its id."""
    for number, scope in enumerate(sorted({document.scope for document in collection.documents})):
        root = folder / collection.name / str(number)
        ids = {}
        for document in (document for document in collection.documents if document.scope == scope):
            path = _path(collection, document)
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(document.text, encoding="utf-8")
            ids[path] = document.id
        yield Tree(scope, root, ids)


def _path(collection: Collection, document: Document) -> str:
    suffix = next((each for name, each in _SUFFIX.items() if collection.name.startswith(name)), "")
    return f"src/{document.id}{suffix}" if suffix else document.id.partition(":")[2]
