"""Write the files for agents into a site's folder: never overwrite or delete a file of another origin.

A record lists the files that the last run, or an interrupted run since, wrote there.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from searchsocket.content.pages import Page
from searchsocket.extensions.llms.index import (
    VERSION,
    AgentSite,
    FullFile,
    ListedPage,
    entry_of,
    full_files,
    index_files,
    joined,
    markdown_name,
    render_markdown,
    utf8,
)
from searchsocket.extensions.llms.settings import LlmsSettings
from searchsocket.project.settings.model import Settings
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic

RECORDS = "llms"  # folder of the state, with a record for each folder that is written to


class OwnFiles:
    """Our files in one folder, and their record, which is stored elsewhere.

    Args:
        folder: The folder with the files.
        record: File that lists our files.
        scope: The scope of the files.
    """

    def __init__(self, folder: Path, record: Path, scope: str) -> None:
        self._folder = folder
        self._root = Path(os.path.realpath(folder))
        self._record = OwnRecord(record)
        self._scope = scope
        previous = self._record.read()
        self._is_new = previous.folder != str(self._root)
        self._manifest = FileRecords() if self._is_new else previous
        self._before = dict(self._manifest.files)
        self._now: dict[str, OwnFile] = {}
        self.written = 0
        self.removed = 0
        self.foreign: list[str] = []  # names that are taken by a file of another origin

    def facts(self, name: str, made_of: str) -> Mapping[str, Any] | None:
        """The recorded facts of a file that was made from the same input."""
        previous = self._before.get(name)
        return previous.facts if previous and previous.made_of == made_of else None

    def put(self, name: str, made_of: str, make: Callable[[], bytes], facts: Mapping[str, object]) -> None:
        """Write a file, unless it exists unchanged; `make` is called only if the input changed or the file differs.

        Raises:
            StateUnavailable, PermissionDenied: It cannot be written.
        """
        previous, path = self._before.get(name), self._folder / name
        if previous and previous.made_of == made_of and _stamp(path) == previous.stamp:
            self._now[name] = previous
            return
        data = make()
        if not _has_content(path, data):
            if self._leads_out(path) or (os.path.lexists(path) and not self._is_ours(path, name)):
                self.foreign.append(name)
                return
            self._begin(name, data)
            write_atomic(path, data, durable=False)
            self.written += 1
        self._now[name] = OwnFile(made_of, sha256(data).hexdigest(), _stamp(path), facts)

    def keep_stale(self) -> None:
        """Keep all files that were not put in this run."""
        self._now = {**self._before, **self._now}

    def remove_stale(self) -> None:
        """Delete files that were not put in this run and are unchanged, and folders that are then empty.

        Raises:
            StateUnavailable, PermissionDenied: It cannot be deleted.
        """
        for name in {**self._before, **self._manifest.begun}:
            path = self._folder / name
            if name in self._now or name in self.foreign or self._leads_out(path) or not self._is_ours(path, name):
                continue
            try:
                path.unlink()
                self.removed += 1
                for folder in path.parents:
                    if folder == self._folder or any(folder.iterdir()):
                        break
                    folder.rmdir()
            except FileNotFoundError:
                continue  # already deleted
            except OSError as error:
                raise system_error("cannot delete", path, error) from error

    @property
    def digest(self) -> str:
        """Equal digests mean equal files in the folder."""
        lines = (f"{name} {file.sha256}" for name, file in sorted(self._now.items()))
        return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def save(self) -> None:
        """Write the record."""
        self._record.save(str(self._root), self._scope, self._now)

    def _begin(self, name: str, data: bytes) -> None:
        if self._is_new:  # record the folder before its first file is written
            self._record.save(str(self._root), self._scope, {})
            self._is_new = False
        self._record.begin(name, sha256(data).hexdigest())

    def _is_ours(self, path: Path, name: str) -> bool:
        """Return True if the last run, or an interrupted one since, wrote the file and it is unchanged."""
        previous = self._before.get(name)
        own_hashes = self._manifest.begun.get(name, frozenset()) | ({previous.sha256} if previous else set())
        if not own_hashes or path.is_symlink():
            return False
        try:
            return sha256(path.read_bytes()).hexdigest() in own_hashes
        except OSError:
            return False

    def _leads_out(self, path: Path) -> bool:
        """Return True if the path leaves the folder through a link, or if a parent folder is a file."""
        parent = path.parent
        while not parent.exists():
            if parent.is_symlink():
                return True
            parent = parent.parent
        return not parent.is_dir() or not Path(os.path.realpath(parent)).is_relative_to(self._root)


def remove_others(records: Path, scope: str, folder: Path | None, root: Path) -> int:
    """Delete the unchanged files of a scope in folders of the project that it is no longer written to.

    A record may come with a checkout, so one that names a folder outside of the project deletes nothing.

    Args:
        records: The folder of all records.
        folder: The folder that the scope is written to now; None = not written.
        root: The project.

    Returns:
        The number of files deleted.

    Raises:
        StateUnavailable, PermissionDenied: Something cannot be deleted.
    """
    removed = 0
    for path in sorted(records.glob("*.json")):
        previous = OwnRecord(path).read()
        if (
            previous.folder
            and previous.scope == scope
            and (folder is None or previous.folder != os.path.realpath(folder))
            and Path(os.path.realpath(previous.folder)).is_relative_to(os.path.realpath(root))
        ):
            files = OwnFiles(Path(previous.folder), path, scope)
            files.remove_stale()
            OwnRecord(path).delete()  # last, so that the next run resumes an interrupted one
            removed += files.removed
    return removed


def _stamp(path: Path) -> str:
    """Size and time of a file, folder or link; "" if nothing has the name."""
    try:
        info = path.lstat()
    except OSError:
        return ""
    return f"{info.st_mode}:{info.st_size}:{info.st_mtime_ns}"


def _has_content(path: Path, data: bytes) -> bool:
    try:
        return not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _clashing_names(names: Iterable[str]) -> set[str]:
    """Names that another name needs as a folder (`a.md` beside `a.md/b.md`): such pages are served but not written."""
    previous = set(names)
    return {
        "/".join(parts[:cut])
        for parts in (name.split("/") for name in previous)
        for cut in range(1, len(parts))
        if "/".join(parts[:cut]) in previous
    }


def write_files(
    site: AgentSite,
    pages: Iterable[tuple[str, str]],
    read: Callable[[str], Page],
    files: OwnFiles,
    *,
    max_bytes: int,
) -> list[ListedPage]:
    """Write each page's Markdown, the lists and the full texts of one generation; unchanged files are not written.

    Args:
        pages: (URL, digest) of each page, by rising URL; equal digests mean equal pages.
        read: Returns the page of a URL.
        max_bytes: Limit for the pages in one full text.

    Returns:
        The pages that are listed.
    """
    made_with = f"{VERSION} {site!r}"
    listed = {url: digest for url, digest in pages if markdown_name(url)}
    clashing = _clashing_names(map(markdown_name, listed))
    entries, digests = [], {}
    for url, digest in listed.items():
        name = markdown_name(url)
        if name in clashing:
            continue
        made_of = _digest(made_with, digest)
        if facts := files.facts(name, made_of):
            entry, make = ListedPage(**facts), partial(_markdown, site, read, url)
        else:
            page = read(url)
            data = utf8(render_markdown(page, site))
            entry, make = entry_of(page, len(data)), partial(bytes, data)
        files.put(name, made_of, make, asdict(entry))
        entries.append(entry)
        digests[url] = made_of
    for name, text in index_files(site, entries):
        files.put(name, _digest(text), partial(utf8, text), {})
    for full in full_files(site, entries, max_bytes):
        made_of = _digest(full.head, *(digests[entry.url] for entry in full.pages))
        files.put(full.name, made_of, partial(_full_text, site, read, full), {})
    return entries


def _markdown(site: AgentSite, read: Callable[[str], Page], url: str) -> bytes:
    return utf8(render_markdown(read(url), site))


def _full_text(site: AgentSite, read: Callable[[str], Page], file: FullFile) -> bytes:
    return utf8(joined(file, [render_markdown(read(entry.url), site) for entry in file.pages]))


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file as this project wrote it."""

    made_of: str  # digest of its input: equal digests mean equal files
    sha256: str
    stamp: str  # size and time, so that an unchanged file need not be read
    facts: Mapping[str, object] = field(default_factory=dict)  # values that the next run needs without making the file


@dataclass(frozen=True, slots=True)
class FileRecords:
    """Recorded files of a folder."""

    folder: str = ""  # its real path
    scope: str = ""  # of the files
    files: Mapping[str, OwnFile] = field(default_factory=dict)
    begun: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # hashes of files that a run began to write and did not record


class OwnRecord:
    """The record of one folder, and the log of a running write: one line before each file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_suffix(".log")

    def read(self) -> FileRecords:
        """The recorded files; empty if the record is missing or damaged."""
        try:
            data = json.loads(self._path.read_bytes())
            files = {str(name): OwnFile(**values) for name, values in data["files"].items()}
            return FileRecords(str(data["folder"]), str(data.get("scope", "")), files, self._begun())
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return FileRecords()

    def begin(self, name: str, digest: str) -> None:
        """Note a file that is about to be written.

        Raises:
            StateUnavailable, PermissionDenied: The log cannot be written.
        """
        line = json.dumps([name, digest]).encode()
        try:
            with self._log.open("ab") as log:
                log.write(b"\n" + line)  # newline first: the last line may be incomplete
        except OSError as error:
            raise system_error("cannot write", self._log, error) from error

    def save(self, folder: str, scope: str, files: Mapping[str, OwnFile]) -> None:
        """Replace the record and delete the log."""
        listed = {name: asdict(file) for name, file in sorted(files.items())}
        data = json.dumps({"folder": folder, "scope": scope, "files": listed}).encode()
        write_atomic(self._path, data, durable=False)
        self._remove(self._log)

    def delete(self) -> None:
        """Delete the record and the log."""
        for path in (self._path, self._log):
            self._remove(path)

    def _begun(self) -> dict[str, frozenset[str]]:
        hashes: dict[str, frozenset[str]] = {}
        try:
            lines = self._log.read_bytes().split(b"\n")
        except OSError:
            return hashes
        for line in lines:
            try:
                name, digest = json.loads(line)
            except (ValueError, TypeError):
                continue  # incomplete line: its file was not begun
            hashes[str(name)] = hashes.get(str(name), frozenset()) | {str(digest)}
        return hashes

    def _remove(self, path: Path) -> None:
        try:
            path.unlink()
        except FileNotFoundError:
            return
        except OSError as error:
            raise system_error("cannot delete", path, error) from error


def agent_site(settings: Settings, project_id: str, base: str, home: Page | None, *, origin: str) -> AgentSite:
    """Make the `AgentSite` of a scope.

    Args:
        base: The URL path under which it is served.
        home: Its home page, if there is one.
        origin: Scheme and host of links, see `AgentSite`.
    """
    texts, api = settings.section(LlmsSettings), settings.api
    host = api.public_url.rstrip("/")  # the host of a static site may not serve the search
    return AgentSite(
        title=texts.title or (home.facts.title if home else "") or project_id,
        summary=texts.summary or (home.facts.description if home else ""),
        origin=origin,
        base=base,
        search=f"{host}{api.path}" if host or not origin else "",
        mcp=f"{host}{settings.mcp.http.path}" if settings.mcp.enable and (host or not origin) else "",
    )
