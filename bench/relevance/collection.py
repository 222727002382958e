"""A relevance collection: documents, queries, and the documents that answer each query."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_ARCHIVE = ".tar.xz"


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    title: str
    text: str  # Markdown, or code
    scope: str = ""  # a query sees the documents of its own scope only


@dataclass(frozen=True, slots=True)
class Query:
    id: str
    text: str
    kind: str  # the class that results are reported by
    exclude: frozenset[str] = frozenset()  # documents taken out of its ranking, e.g. where it was mined
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    grades: Mapping[str, Mapping[str, int]]  # query id -> document id -> grade, 1 or more


def load(folder: Path) -> Collection:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` of one collection."""
    documents = tuple(
        Document(row["id"], row.get("title") or "", row.get("text") or "", row.get("scope") or "")
        for row in _rows(folder / "corpus.jsonl")
    )
    queries = tuple(
        Query(row["id"], row["text"], row.get("class") or "", frozenset(row.get("exclude", ())), row.get("scope") or "")
        for row in _rows(folder / "queries.jsonl")
    )
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    return Collection(folder.name, documents, queries, grades)


def names_of(folder: Path) -> list[str]:
    """The collections in `folder`, each a folder or a `.tar.xz` of one, sorted."""
    folders = {path.parent.name for path in folder.glob("*/queries.jsonl")}
    return sorted(folders | {path.name.removesuffix(_ARCHIVE) for path in folder.glob(f"*{_ARCHIVE}")})


def load_named(folder: Path, name: str) -> Collection:
    """Read the collection `name` of `folder`; an archive is unpacked for that."""
    if (folder / name).is_dir():
        return load(folder / name)
    with TemporaryDirectory() as unpacked:
        shutil.unpack_archive(folder / f"{name}{_ARCHIVE}", unpacked)
        return load(Path(unpacked) / name)


def load_all(folder: Path) -> list[Collection]:
    """Read every collection in `folder`, by name."""
    return [load_named(folder, name) for name in names_of(folder)]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
