"""The record of a run after which nothing was left to do: `checks/*.json` in the state folder.

Imports the standard library alone: it is asked before anything else is loaded.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any

from searchsocket.pipeline.unchanged.stamps import bytes_of, names_in
from searchsocket.pipeline.unchanged.watched import Watched

FOLDER = "checks"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Record:
    """Inputs and outputs of a run, used to skip an equal run."""

    project: str  # its folder: a copy of it, with its state, is another one
    scope: str
    run_id: str  # Dagster's
    environment: str  # see `environment.digest`
    files: tuple[str, ...]  # small ones that decide how a run goes, present or not
    files_digest: str  # of their bytes
    source: Watched
    result: Watched  # state, mirror and index
    cache: tuple[str, int, int]  # path, inode and the bytes that it had at least
    summary: Mapping[str, Any]  # what a run without changes prints as JSON
    folders: tuple[str, ...] = ()  # whose names decide what is read, where not all below them is
    names: str = ""  # the digest of those
    checked_at: str = ""  # when it was last found so, ISO 8601; "" = never since the run
    format: int = field(default=_FORMAT)

    def still(self, project: str, environment: str, now_ns: int) -> "Record | None":
        """The record as it is to be kept where nothing changed; None where something did.

        Raises:
            OSError: Something cannot be read.
        """
        if (project, environment) != (self.project, self.environment):
            return None
        if bytes_of(self.files) != self.files_digest or not _holds(*self.cache):
            return None
        if names_in(self.folders) != self.names:
            return None
        source = self.source.still(now_ns)
        result = self.result.still(now_ns) if source else None
        return replace(self, source=source, result=result) if source and result else None


def _holds(path: str, inode: int, size: int) -> bool:
    """Return True if the embedding cache is the same file and has not shrunk; other processes may have added to it."""
    info = os.stat(path)  # noqa: PTH116
    return info.st_ino == inode and info.st_size >= size


def record_path(state_dir: str, asked: str | None) -> str:
    """The path of the record; the scope is known only after the settings are read.

    Args:
        asked: The scope that the command named; None = as configured.
    """
    name = "configured" if asked is None else sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(state_dir, FOLDER, f"{name}.json")


def read_record(path: str) -> Record | None:
    """The record in a file; None where there is none, or none that this version wrote whole."""
    try:
        with open(path, "rb") as file:
            digest, _, data = file.read().partition(b"\n")
        if sha256(data).hexdigest().encode() != digest:
            return None
        values = json.loads(data)
        if values.pop("format") != _FORMAT:
            return None
        values |= {name: Watched(**_tuples(values[name])) for name in ("source", "result")}
        return Record(**_tuples(values))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def written(record: Record) -> bytes:
    """The bytes that `read_record` reads; the first line detects a torn or edited file."""
    data = json.dumps(asdict(record), ensure_ascii=True).encode()
    return sha256(data).hexdigest().encode() + b"\n" + data


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
