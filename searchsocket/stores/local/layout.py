"""Names and small files of the embedded index: scope folders, CURRENT and the manifest of a generation."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from searchsocket.errors import IndexCorrupt, IndexFormat, InvalidScope, NewerRelease, VectorBackendUnavailable
from searchsocket.stores.base.naming import GENERATION_NAME, check_scope_name
from searchsocket.system.errors import first_refused, permission_denied, system_error, system_errors
from searchsocket.system.files import is_temporary, sync, write_atomic
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation, Recall, SiteVersion, Spread, VersionFamily

FORMAT = 34  # of a generation's files
# Formats that can be read too. 32 and 33 split some texts into other words: signs, single Han characters, digits of
# other scripts, and letters joined by invisible characters. So a new generation never takes over their words.
OLDER_FORMATS = (32, 33)
CURRENT = "CURRENT"
VERIFIED = "VERIFIED"  # beside CURRENT: a generation, and a digest of the stamps of its files once it was verified
MANIFEST = "manifest.json"
PACKS = (
    "packs"  # folder of records, words and vectors: a file is written once and linked by every generation that needs it
)
BORN = "born.i64"  # of remote vectors: for each row the number of the generation that wrote it there
ROWS = "rows"  # folder of names and places of each row, see `numbering.py`
BODIES = "bodies.db"  # texts of pages, by URL
EDITED_BODIES = "edited_bodies.db"  # texts of pages that changed since; absent if no text did
FACTS = "facts.npz.zst"  # columns of the records that ranking needs, one row per record
_ALWAYS = frozenset({FACTS, BODIES})
_RECORDS, _WORDS, _VECTORS = ".db", ".words", ".f32"  # suffixes in PACKS; a vector is a row of float32
NEW_PACK = "new"  # temporary name: a finished pack is named by its digest
STAGING = ".staging"
BUILDING = ".building-"
REMOVED = ".removed-"
REFUSED = ".candidate"  # folder of the generation that a gate refused
PROJECT = "project.json"

_WAYS_OUT = (
    "; run `searchsocket index --force` to build the index again, "
    "or `searchsocket rollback` to use the previous generation"
)
_AGAIN = "; run `searchsocket index` for this scope to build it again, which pays for no text twice"


@dataclass(frozen=True, slots=True)
class Current:
    """Contents of CURRENT."""

    live: str
    previous: str = ""  # "" = nothing to roll back to


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a generation."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PackEntry:
    """One pack of a generation."""

    name: str
    records: int  # in the pack; the generation may use only some of them


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents and files of a generation."""

    generation: Generation
    max_doc: int  # highest `doc` number ever assigned in its line of generations
    files: Mapping[str, FileEntry]  # path inside the generation -> size and hash
    packs: tuple[PackEntry, ...]
    format: int = FORMAT  # a key with this name, and the checksum, are in the manifests of all releases

    @property
    def is_older(self) -> bool:
        """Return True if an older release wrote the generation."""
        return self.format < FORMAT


def records_file(pack: str) -> str:
    """The path inside a generation of a pack's records."""
    return f"{PACKS}/{pack}{_RECORDS}"


def words_file(pack: str) -> str:
    """The path inside a generation of a pack's words."""
    return f"{PACKS}/{pack}{_WORDS}"


def vectors_file(pack: str) -> str:
    """The path inside a generation of a pack's vectors."""
    return f"{PACKS}/{pack}{_VECTORS}"


def rows_file(number: int) -> str:
    """The path inside a generation of a block of its rows."""
    return f"{ROWS}/{number:06}.npy"


def rows_files(names: Iterable[str]) -> list[str]:
    """The names of blocks of rows among `names`, in their order."""
    return sorted(name for name in names if name.startswith(f"{ROWS}/"))


def scope_folder(root: Path, scope_name: str) -> Path:
    """The folder of one scope, always a direct child of `root`.

    Raises:
        InvalidScope: The name is not sanitised.
    """
    check_scope_name(scope_name)
    if scope_name == PROJECT:
        raise InvalidScope(f"scope name {scope_name!r} is not a valid folder name")
    return root / scope_name


def read_current(folder: Path) -> Current | None:
    """The live and previous generation of a scope; None if nothing was published.

    Raises:
        IndexCorrupt: The file is damaged.
    """
    path = folder / CURRENT
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise corrupt(path, "is not text") from error
    except OSError as error:
        raise system_error("cannot read", path, error, VectorBackendUnavailable) from error
    if not 1 <= len(lines) <= 2 or not all(GENERATION_NAME.fullmatch(line) for line in lines):
        raise corrupt(path, "does not name a generation")
    return Current(*lines)


def write_current(folder: Path, current: Current) -> None:
    """Switch to a generation: the one step by which publishing and rollback become visible."""
    lines = [current.live, current.previous] if current.previous else [current.live]
    write_atomic(folder / CURRENT, ("\n".join(lines) + "\n").encode("ascii"))


def overwrite_current(folder: Path, current: Current) -> None:
    """Switch to a generation on a disk that has no room for another file.

    All names have the same length, so a crash between the two steps leaves the new name twice, which is valid.
    """
    with writing(folder), open(folder / CURRENT, "r+b") as file:
        file.write(f"{current.live}\n".encode("ascii"))
        file.truncate()
        os.fsync(file.fileno())


def unpublish(folder: Path) -> None:
    """Delete CURRENT, so that no generation is live; a crash after it leaves only leftovers."""
    (folder / CURRENT).unlink(missing_ok=True)
    sync(folder)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of one generation.

    Raises:
        FileNotFoundError: It does not exist: the generation is damaged, or a newer run has just removed it.
        IndexCorrupt: It is damaged.
    """
    path = folder / MANIFEST
    try:
        data: JsonObject = json.loads(path.read_bytes())
        if data["format"] < FORMAT and data["format"] not in OLDER_FORMATS:
            known = f"format {data['format']}, this one reads {OLDER_FORMATS[0]} to {FORMAT}"
            raise IndexFormat(f"an older release wrote {path} ({known}){_AGAIN}")
        if data.pop("sha256") != _digest(data):
            raise corrupt(path, "was changed after it was published")
        if data["format"] > FORMAT:
            raise NewerRelease.of(str(path), f"format {data['format']}, this one reads {FORMAT}")
        return _manifest_of(data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise corrupt(path, "is damaged") from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise system_error("cannot read", path, error, VectorBackendUnavailable) from error


def _manifest_of(data: JsonObject) -> Manifest:
    files = {name: FileEntry(int(entry["bytes"]), str(entry["sha256"])) for name, entry in data["files"].items()}
    facts = data["generation"]
    spread = facts["spread"] and Spread(*map(float, facts["spread"]))
    versions = tuple(
        VersionFamily(**{**each, "versions": tuple(SiteVersion(**one) for one in each["versions"])})
        for each in facts.get("versions", ())
    )
    recall = facts.get("recall") and Recall(**facts["recall"])
    generation = Generation(**{**facts, "spread": spread, "versions": versions, "recall": recall})
    packs = tuple(PackEntry(**pack) for pack in data["packs"])
    sizes = (data["max_doc"], *(pack.records for pack in packs))
    numbers = (generation.records, generation.dimensions, generation.pages, *sizes)
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise ValueError("not a count")
    if missing := {path_of(pack.name) for pack in packs for path_of in (records_file, words_file)} - files.keys():
        raise ValueError(f"no {sorted(missing)[0]}")
    return Manifest(generation, data["max_doc"], files, packs, data["format"])


def manifest_bytes(manifest: Manifest) -> bytes:
    """The manifest as JSON that people can read."""
    data = asdict(manifest)
    data["sha256"] = _digest(data)
    return (json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _digest(data: JsonObject) -> str:
    """A checksum of a manifest, so that a wrong byte is not read as another number, model or project."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def data_files(folder: Path, vectors: Collection[str]) -> list[str]:
    """Every file of a generation that its manifest lists, sorted; `vectors` are the names of its vector files."""
    parts = (f"{part}/{entry.name}" for part in (PACKS, ROWS) for entry in os.scandir(folder / part))
    edited = [EDITED_BODIES] if (folder / EDITED_BODIES).exists() else []
    return sorted([*_ALWAYS, *edited, *vectors, *parts])


Stamps = frozenset[tuple[str, int, int, int]]  # name, size, and times of writing and changing of each file


def file_stamps(generation: Path) -> Stamps:
    """Name, size and times of every file: any change or repair of a generation changes one of them."""
    stamps = []
    for folder, _, names in os.walk(generation):
        for name in names:
            path = os.path.join(folder, name)
            try:
                stat = os.stat(path)
            except OSError:
                continue
            stamps.append((path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))
    return frozenset(stamps)


def check_sizes(folder: Path, manifest: Manifest, vectors: Collection[str]) -> None:
    """Compare the size of every file with the manifest: a cheap check for missing and truncated files.

    Raises:
        FileNotFoundError: A file is missing.
        IndexCorrupt: A file has another size.
    """
    if BORN in vectors and any(name.endswith(_VECTORS) for name in manifest.files):
        raise corrupt(folder / MANIFEST, "lists vectors, but vector.provider is a remote store")
    if missing := {*_ALWAYS, *vectors} - manifest.files.keys():
        raise corrupt(folder / MANIFEST, f"does not list {sorted(missing)[0]}")
    for name, entry in manifest.files.items():
        size = (folder / name).stat().st_size
        if size != entry.bytes:
            raise corrupt(folder / name, f"has {size} bytes instead of {entry.bytes}")


def check_hashes(folder: Path, manifest: Manifest) -> None:
    """Compare the contents of every big file with the manifest; small files are checked when they are read.

    Raises:
        FileNotFoundError: A file is missing.
        IndexCorrupt: A file was changed after it was published.
    """
    for name, entry in manifest.files.items():
        if name == FACTS or name.startswith(f"{ROWS}/"):
            continue
        with open(folder / name, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                raise corrupt(folder / name, "was changed after it was published")


def corrupt(path: Path, what: str) -> IndexCorrupt:
    """The error for a damaged file: it names the file and both ways to fix it."""
    return IndexCorrupt(f"{path} {what}{_WAYS_OUT}")


_DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, LookupError, OverflowError)


def damage_of(error: IndexCorrupt) -> str:
    """The file and its damage, without the ways to fix it."""
    return str(error).removesuffix(_WAYS_OUT).removesuffix(_AGAIN)


class NamingDamage:
    """Turns errors of SQLite and decoders about damaged bytes into an error that names the file.

    A context manager without state: one per file serves all threads.

    Raises:
        IndexCorrupt: The block read damaged data.
        PermissionDenied: This user may not read a file, which those libraries report like damage.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            return
        if isinstance(error, _DAMAGE):
            if refused := _unreadable(self._path):
                raise permission_denied(refused) from error
            raise corrupt(self._path, f"is damaged ({error})") from error


def _unreadable(path: Path) -> Path | None:
    """The unreadable path: the file itself, or any file of the generation in a folder."""
    files = sorted(path.parent.rglob("*")) if os.path.isdir(path) else [path]
    return next((refused for each in (path, *files) if (refused := first_refused(each, os.R_OK))), None)


def remove_leftovers(folder: Path, keep: Current | None) -> None:
    """Remove leftovers of dead writers, and generations that are neither live nor previous; staging stays."""
    if not folder.is_dir():
        return
    names = {keep.live, keep.previous} if keep else set()
    for entry in sorted(folder.iterdir()):
        is_old = bool(GENERATION_NAME.fullmatch(entry.name)) and entry.name not in names
        if is_old:
            gone = folder / f"{REMOVED}{entry.name}"
            shutil.rmtree(gone, ignore_errors=True)
            # One rename removes a generation: neither a reader nor a crash leaves half of one.
            os.replace(entry, gone)
            entry = gone
        if is_temporary(entry):
            entry.unlink(missing_ok=True)
        elif is_old or entry.name.startswith((BUILDING, REMOVED)):
            shutil.rmtree(entry, ignore_errors=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of the file system into an error that names the path.

    Raises:
        StateUnavailable: The disk is full, read-only or cannot be written for another reason.
    """
    with system_errors("cannot write the index in", path):
        yield
