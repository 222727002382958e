"""Decide from the record of the last run, `checks/*.json` in the state folder, if another run would find any work.

Imports only the standard library, and takes no lock: in doubt, a run decides.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256

from searchsocket.pipeline.unchanged.snapshot import Paths, Snapshot, digest, file_clock_ns, state_dir_of
from searchsocket.system.json_text import JsonObject

FOLDER = "checks"
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Inputs and outputs of a run, used to skip an equal run."""

    project: str  # real path of its folder, so that a copy of the folder is another project
    scope: str
    run_id: str  # Dagster's
    environment: str  # see `environment.digest`
    snapshots: tuple[Snapshot, ...]  # of inputs and results
    cache: tuple[str, int, int]  # path, inode and minimum size in bytes
    summary: JsonObject  # what a run without changes prints as JSON
    checked_at: str = ""  # when the record was last confirmed, ISO 8601; "" = never since the run
    format: int = field(default=_FORMAT)

    def renewed(self, project: str, environment: str, now_ns: int) -> "RunRecord | None":
        """Return the record as of now if nothing changed; None if something did.

        Raises:
            OSError: A file cannot be read.
        """
        if (project, environment) != (self.project, self.environment) or not _is_same_cache(*self.cache):
            return None
        snapshots = []
        for snapshot in self.snapshots:
            renewed = snapshot.renewed(now_ns)
            if renewed is None:
                return None
            snapshots.append(renewed)
        return replace(self, snapshots=tuple(snapshots))


def _is_same_cache(path: str, inode: int, size: int) -> bool:
    """Return True if the embedding cache is the same file and has not shrunk; other processes may have added to it."""
    info = os.stat(path)
    return info.st_ino == inode and info.st_size >= size


def record_path(state_dir: str, scope_name: str | None) -> str:
    """The path of the record; the scope is known only after the settings are read.

    Args:
        scope_name: The scope that the command named; None = as configured.
    """
    name = "configured" if scope_name is None else sha256(scope_name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(state_dir, FOLDER, f"{name}.json")


def read_record(path: str) -> RunRecord | None:
    """Read a record; None if there is none, or none that this version wrote completely."""
    try:
        with open(path, "rb") as file:
            checksum, _, data = file.read().partition(b"\n")
        if sha256(data).hexdigest().encode() != checksum:
            return None
        values = json.loads(data)
        if values.pop("format") != _FORMAT:
            return None
        snapshots = tuple(Snapshot(Paths(**_tuples(item.pop("paths"))), **item) for item in values.pop("snapshots"))
        return RunRecord(snapshots=snapshots, **_tuples(values))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def record_bytes(record: RunRecord) -> bytes:
    """Encode a record for `read_record`; the first line detects a torn or edited file."""
    data = json.dumps(asdict(record), ensure_ascii=True).encode()
    return sha256(data).hexdigest().encode() + b"\n" + data


def _tuples(values: JsonObject) -> JsonObject:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def unchanged_since(
    root: str, scope_name: str | None, environ: Mapping[str, str], *, now_ns: int, checked_at: str, corpus: str = ""
) -> RunRecord | None:
    """The last run of the scope if its inputs and outputs are unchanged; None = a new run is needed.

    The record is updated with the time of this check.

    Args:
        root: The project.
        scope_name: The scope that the command named; None = as configured.
        now_ns: The clock.
        checked_at: The time of the check for people, ISO 8601.
        corpus: Folder of the corpus in the state folder; "" = that of the site.
    """
    root = os.path.realpath(root)
    state_dir = os.path.join(state_dir_of(root, environ), corpus)
    path = record_path(state_dir, scope_name)
    record = read_record(path)
    if record is None:
        return None
    try:
        renewed = record.renewed(root, digest(environ), file_clock_ns(os.path.join(state_dir, FOLDER), now_ns))
        if renewed is None:
            return None
        renewed = replace(renewed, checked_at=checked_at)
        _write(path, record_bytes(renewed))
    except OSError:
        return None  # the run will report a missing permission
    return renewed


def last_checked(state_dir: str, scope: str, generation: str) -> str:
    """The last time when a check confirmed the run that made a live generation; "" = never."""
    records = (record for _, record in _records(state_dir) if record and record.scope == scope)
    return max((record.checked_at for record in records if record.summary["generation"] == generation), default="")


def drop_records(state_dir: str, scope: str) -> None:
    """Delete the records of a scope before a new run; only success writes a new record.

    Raises:
        OSError: A record cannot be deleted.
    """
    for path, record in _records(state_dir):
        if record is None or record.scope == scope:
            with suppress(FileNotFoundError):
                os.unlink(path)


def _records(state_dir: str) -> list[tuple[str, RunRecord | None]]:
    folder = os.path.join(state_dir, FOLDER)
    try:
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []
    return [(path, read_record(path)) for path in paths]


def _write(path: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise
