"""Write a static export: files named by their contents, then the entry that names the newest generation."""

import base64
import gzip
import hashlib
import json
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchsocket.curation.rules import NO_RULES, CurationRules
from searchsocket.errors import ConfigError
from searchsocket.export.head import write_head
from searchsocket.setup.client_files import bundle_folder
from searchsocket.stores.base import IndexReader
from searchsocket.system.files import write_atomic

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings

ENTRY = "searchsocket.json"
_NAME = re.compile(r"(?:head|words|vocabulary|text)-[a-z2-7]{8}\.bin|worker-[a-z2-7]{8}\.js|files-[a-z2-7]{8}\.json")
_HASH_CHARS = 8
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export."""

    generation: str
    head: str  # name of the file that lists the others
    pages: int
    files: int
    bytes: int
    written: int  # files that were not there before
    removed: int


_WORKER, _COMPONENT = "static-worker.js", "components.js"


@dataclass(slots=True)
class _Folder:
    """The folder of an export, and the files of this generation."""

    path: Path
    sizes: dict[str, int] = field(default_factory=dict)  # by name
    written: int = 0

    def write(self, kind: str, data: Any) -> str:
        """Write bytes, or a value as JSON, under the name that its contents give."""
        raw = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        return self.write_bytes(kind, ".bin", gzip.compress(raw, 9, mtime=0))

    def write_bytes(self, kind: str, ending: str, packed: bytes) -> str:
        """Write bytes as they are."""
        digest = base64.b32encode(hashlib.sha256(packed).digest()).decode().lower()
        name = f"{kind}-{digest[:_HASH_CHARS]}{ending}"
        path = self.path / name
        if name in self.sizes or path.is_file():
            if path.read_bytes() != packed:
                raise ConfigError(f"{path} has other contents than its name says; delete it and export again")
        else:
            write_atomic(path, packed, durable=False)
            self.written += 1
        self.sizes[name] = len(packed)
        return name


def export_generation(
    reader: IndexReader, settings: "RankingSettings", target: Path, curation: CurationRules = NO_RULES
) -> Exported:
    """Write a generation below `target`; files of the one before stay, so that open pages continue.

    Args:
        curation: Rules of the owner; expired ones are without effect in the browser too.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written.
        ConfigError: A file of that name has other contents.
    """
    folder, generation = _Folder(target), reader.generation
    before = _json(target / ENTRY)
    head = write_head(reader.catalogue, generation, settings, curation, folder.write)
    previous = str(before.get("previous" if before.get("head") == head else "head", ""))
    bundle = bundle_folder()
    worker = folder.write_bytes("worker", ".js", (bundle / _WORKER).read_bytes())
    for path in (bundle / _COMPONENT, *sorted(bundle.glob("labels/*.js"))):
        _replace(target / path.relative_to(bundle), path.read_bytes())
    files = folder.write_bytes("files", ".json", json.dumps(sorted(folder.sizes)).encode())
    entry = {"generation": generation.name, "head": head, "worker": worker, "files": files, "previous": previous}
    _replace(target / ENTRY, json.dumps(entry).encode())
    kept = {*folder.sizes, *_files_of(target, previous), *(str(before.get(name, "")) for name in ("worker", "files"))}
    stale = [path for path in target.iterdir() if _NAME.fullmatch(path.name) and path.name not in kept]
    for path in stale:
        path.unlink(missing_ok=True)
    size = sum(folder.sizes.values())
    return Exported(generation.name, head, generation.pages, len(folder.sizes), size, folder.written, len(stale))


def _replace(path: Path, data: bytes) -> None:
    """Write a file unless it has these contents: a run without changes must not look like a new build."""
    with suppress(OSError):  # it is not there, or writing it reports the reason
        if path.read_bytes() == data:
            return
    write_atomic(path, data, durable=path.name == ENTRY)


def _files_of(target: Path, head: str) -> set[str]:
    """Names of the files of an earlier generation."""
    listed = _json(target / head) if _NAME.fullmatch(head) else {}
    return {head, *_NAME.findall(json.dumps(listed))}


def _json(path: Path) -> dict[str, Any]:
    """Read a file of an earlier export; {} if there is none, or it is damaged."""
    try:
        data = path.read_bytes()
        value = json.loads(gzip.decompress(data) if data.startswith(_GZIP) else data)
    except (OSError, ValueError, EOFError, zlib.error):
        return {}
    return value if isinstance(value, dict) else {}
