"""Record of the files that the last run, or an interrupted run since, wrote into a folder."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from searchsocket.content.llms.site import AgentSite
from searchsocket.content.pages import Page
from searchsocket.project.settings.model import Settings
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic


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
    texts, api = settings.llms, settings.api
    host = api.public_url.rstrip("/")  # the host of a static site may not serve the search
    return AgentSite(
        title=texts.title or (home.facts.title if home else "") or project_id,
        summary=texts.summary or (home.facts.description if home else ""),
        origin=origin,
        base=base,
        search=f"{host}{api.path}" if host or not origin else "",
        mcp=f"{host}{settings.mcp.http.path}" if settings.mcp.enable and (host or not origin) else "",
    )
