"""Write a static export: files named by a hash of their contents, then the entry with the newest generation."""

import base64
import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from searchsocket.curation.rules import NO_RULES, CurationRules
from searchsocket.errors import ConfigError
from searchsocket.extensions.export.head import inputs_of, write_head
from searchsocket.project.settings.model import RankingSettings
from searchsocket.setup.client_files import bundle_folder
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation

ENTRY = "searchsocket.json"
_NAME = re.compile(r"(?:head|words|vocabulary|text)-[a-z2-7]{8}\.bin|worker-[a-z2-7]{8}\.js|files-[a-z2-7]{8}\.json")
_HASH_CHARS = 8
_GZIP = b"\x1f\x8b"


_WORKER, _SCRIPTS = "static-worker.js", ("components.js", "page-search.js", "from-disk.js")
_SITES = "sites"


@dataclass(frozen=True, slots=True)
class SiteExport:
    """One site to export; if several are exported together, with its origin for results."""

    reader: IndexReader
    settings: RankingSettings
    curation: CurationRules = NO_RULES  # the browser ignores expired rules too
    project: str = ""  # safe in URLs
    title: str = ""
    address: str = ""  # scheme and host of its pages; "": those of the page that searches
    base: str = ""  # base path of its pages
    folder: Path | None = None  # of its pages; the search then works wherever this folder is served


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of the export of one site."""

    generation: str
    head: str  # name of the file that lists the others
    pages: int
    files: int
    bytes: int
    written: int  # new files
    removed: int


@dataclass(slots=True)
class _Folder:
    """A folder of an export, and the files of this generation."""

    path: Path
    before: JsonObject  # its part of the previous entry
    sizes: dict[str, int] = field(default_factory=dict)  # by name
    written: int = 0
    program_bytes: list[int] = field(default_factory=list)  # of the files whose names have no hash

    def write(self, kind: str, data: object) -> str:
        """Write bytes, or a value as JSON, compressed; return the file's name, which contains a hash."""
        raw = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        return self.write_bytes(kind, ".bin", gzip.compress(raw, 9, mtime=0))

    def write_bytes(self, kind: str, ending: str, packed: bytes) -> str:
        """Write bytes as they are; return the file's name, which contains a hash."""
        name = f"{kind}-{_hash(packed)}{ending}"
        path = self.path / name
        if name in self.sizes or path.is_file():
            if path.read_bytes() != packed:
                raise ConfigError(f"{path} does not match the hash in its name; delete it and export again")
        else:
            write_atomic(path, packed, durable=False)
            self.written += 1
        self.sizes[name] = len(packed)
        return name

    def write_site(self, site: SiteExport) -> dict[str, str]:
        """Write the index of a site; return the names of this head and of the previous one."""
        generation, settings, curation = site.reader.generation, site.settings, site.curation
        inputs = inputs_of(generation, settings, curation, site.base)
        head = str(self.before.get("head", ""))
        if self.before.get("inputs") != inputs or not self._has_files(head):
            head = write_head(site.reader.catalogue, generation, settings, curation, site.base, self.write)
        names = {
            "head": head,
            "previous": str(self.before.get("previous" if self.before.get("head") == head else "head", "")),
            "inputs": inputs,
            "base": site.base,
            "root": self._root_of(site),
        }
        return {name: value for name, value in names.items() if value or name in ("head", "previous")}

    def _has_files(self, head: str) -> bool:
        """Return True if all files that a head lists are here and whole, and count them."""
        if not head:
            return False
        sizes = {}
        for name in sorted(_files_of(self.path, head)):
            try:
                packed = (self.path / name).read_bytes()
            except OSError:
                return False
            if _hash(packed) not in name:
                return False
            sizes[name] = len(packed)
        self.sizes.update(sizes)
        return True

    def _root_of(self, site: SiteExport) -> str:
        """The relative address of the site's root from here; "" if this folder is not part of the site."""
        inner, outer = os.path.realpath(self.path), os.path.realpath(site.folder) if site.folder else ""
        is_part = outer and not site.address and Path(inner).is_relative_to(outer)
        return f"{os.path.relpath(outer, inner)}/".replace(os.sep, "/") if is_part else ""

    def write_program(self, files: Sequence[str]) -> dict[str, str]:
        """Write the worker, the scripts of pages, and the list of all files; return their names."""
        bundle = bundle_folder()
        worker = self.write_bytes("worker", ".js", (bundle / _WORKER).read_bytes())
        for path in _scripts():
            self.replace(path.relative_to(bundle).as_posix(), path.read_bytes())
        return {"worker": worker, "files": self.write_bytes("files", ".json", json.dumps([*files, worker]).encode())}

    def replace(self, name: str, data: bytes) -> bool:
        """Write a file whose name stays the same; return False if it has these contents already."""
        is_new = _replace(self.path / name, data)
        self.written += is_new
        self.program_bytes.append(len(data))
        return is_new

    def remove_stale(self, previous: str) -> int:
        """Delete the files that are not of this generation or the previous one; return their number."""
        names = (str(self.before.get(name, "")) for name in ("worker", "files"))
        current = {*self.sizes, *_files_of(self.path, previous), *names}
        stale = [path for path in self.path.iterdir() if _NAME.fullmatch(path.name) and path.name not in current]
        for path in stale:
            path.unlink(missing_ok=True)
        return len(stale)

    def result(self, generation: Generation, head: str, removed: int) -> Exported:
        sizes = [*self.sizes.values(), *self.program_bytes]
        return Exported(generation.name, head, generation.pages, len(sizes), sum(sizes), self.written, removed)


def export_generation(
    reader: IndexReader,
    settings: RankingSettings,
    target: Path,
    curation: CurationRules = NO_RULES,
    *,
    base: str = "",
    site_folder: Path | None = None,
) -> Exported:
    """Write a generation below `target`; the previous one stays, so that open pages keep working.

    Args:
        base: See `SiteExport`, like `site_folder`.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written.
        ConfigError: A file with the same name has other contents.
    """
    folder = _Folder(target, _json(target / ENTRY))
    names = folder.write_site(SiteExport(reader, settings, curation, base=base, folder=site_folder))
    program = folder.write_program(sorted(folder.sizes))
    entry = json.dumps({"generation": reader.generation.name, **names, **program}).encode()
    is_new = folder.replace(ENTRY, entry)
    removed = folder.remove_stale(names["previous"]) if is_new else 0
    return folder.result(reader.generation, names["head"], removed)


def export_sites(sites: Sequence[SiteExport], target: Path) -> list[Exported]:
    """Write generations of several sites for a joint search, each into its own folder below `target`.

    One entry lists them all, so that a page searches generations of the same export.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written.
        ConfigError: A file with the same name has other contents.
    """
    before = _json(target / ENTRY)
    top, files = _Folder(target, before), list[str]()
    folders: list[tuple[_Folder, dict[str, str]]] = []
    for site in sites:
        folder = _Folder(target / _SITES / site.project, _site_before(before, site.project))
        folders.append((folder, folder.write_site(site)))
        files += (f"{_SITES}/{site.project}/{name}" for name in sorted(folder.sizes))
    entries = [
        {
            "folder": f"{_SITES}/{site.project}",
            **names,
            "origin": {"project": site.project, "title": site.title, "site": site.address},
        }
        for site, (_, names) in zip(sites, folders, strict=True)
    ]
    is_new = _replace(target / ENTRY, json.dumps({"sites": entries, **top.write_program(files)}).encode())
    if is_new:
        top.remove_stale(str(before.get("head", "")))
    return [
        folder.result(site.reader.generation, names["head"], folder.remove_stale(names["previous"]) if is_new else 0)
        for site, (folder, names) in zip(sites, folders, strict=True)
    ]


def remove_export(target: Path) -> int:
    """Delete the files of an export, and folders that are then empty; return the number of files.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be deleted.
    """
    names = {ENTRY, *(path.relative_to(bundle_folder()).as_posix() for path in _scripts())}
    files = [
        path for path in target.rglob("*") if _NAME.fullmatch(path.name) or path.relative_to(target).as_posix() in names
    ]
    try:
        for path in files:
            path.unlink()
        for folder in sorted(
            {parent for path in files for parent in path.parents if parent.is_relative_to(target)}, reverse=True
        ):
            if not any(folder.iterdir()):
                folder.rmdir()
    except OSError as error:
        raise system_error("cannot delete", target, error) from error
    return len(files)


def _scripts() -> list[Path]:
    """The scripts of pages, which have the same name in each export."""
    bundle = bundle_folder()
    return [*(bundle / name for name in _SCRIPTS), *sorted(bundle.glob("labels/*.js"))]


def _site_before(entry: JsonObject, project: str) -> JsonObject:
    """Return a site's part of an earlier entry; {} if it has none."""
    sites = entry.get("sites")
    entries = [site for site in sites if isinstance(site, dict)] if isinstance(sites, list) else []
    return next((site for site in entries if site.get("folder") == f"{_SITES}/{project}"), {})


def _replace(path: Path, data: bytes) -> bool:
    """Write a file unless it has these contents, so that a run without changes does not look like a new build.

    Returns:
        True if the file was written.
    """
    with suppress(OSError):  # the file does not exist, or the write below reports the reason
        if path.read_bytes() == data:
            return False
    write_atomic(path, data, durable=path.name == ENTRY)
    return True


def _hash(packed: bytes) -> str:
    return base64.b32encode(hashlib.sha256(packed).digest()).decode().lower()[:_HASH_CHARS]


def _files_of(target: Path, head: str) -> set[str]:
    """Return the names of the files of an earlier generation."""
    contents = _json(target / head) if _NAME.fullmatch(head) else {}
    return {head, *_NAME.findall(json.dumps(contents))}


def _json(path: Path) -> JsonObject:
    """Read a file of an earlier export; {} if there is none, or it is damaged."""
    try:
        data = path.read_bytes()
        value = json.loads(gzip.decompress(data) if data.startswith(_GZIP) else data)
    except (OSError, ValueError, EOFError, zlib.error):
        return {}
    return value if isinstance(value, dict) else {}
