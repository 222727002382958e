"""Pages that programs supply: JSON Lines in the project, or records from a Python package."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from searchsocket.content.pages import RawPage
from searchsocket.errors import ConfigError, ConfigMissing, SearchSocketError, SourceUnavailable
from searchsocket.extensions.records.record import read_record
from searchsocket.extensions.records.settings import RecordSettings
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.sources import SourceRequest, configured_site
from searchsocket.sources.base import Excluder, SourceOrigin, SourceReport
from searchsocket.sources.files import modified_inside, open_inside, too_large
from searchsocket.system.files import replacing
from searchsocket.system.locators import locator_of
from searchsocket.system.plugins import find_plugin
from searchsocket.web.urls.paths import canonical_path, page_path, sort_key
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase, resolve_address

MODE = "records"
GROUP = "searchsocket.sources"
SPOOL = "records.jsonl"

# Type of an entry point in the group: (project folder, scope name) -> records.
ReadRecords = Callable[[Path, str], Iterable[Mapping[str, object]]]


class RecordsSource:
    """Records in JSON Lines files below one folder."""

    kind = source_kind(MODE)

    def __init__(
        self,
        root: Path,
        globs: Sequence[str],
        *,
        origin: SourceOrigin | None = None,
        site: SiteBase = AT_ROOT,
        exclude: Sequence[str] = (),
        max_page_bytes: int = 20_000_000,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """
        Args:
            root: The folder that the globs are relative to.
            globs: E.g. `records/*.jsonl`.
            site: Where the site is served, for records with a whole address.
            exclude: Globs over URL paths.
            max_page_bytes: A longer line is a failed page.
            prepare: Writes the files before each listing; None = they exist.
        """
        self.origin = origin or SourceOrigin(self.kind.mode, str(root))
        self._root = os.path.realpath(root)
        self._globs = globs
        self._site = site
        self._excluded = Excluder(exclude)
        self._max_page_bytes = max_page_bytes
        self._prepare = prepare
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Yield every page, each URL once, by rising URL. If records share a URL, the first in file order is used.

        Raises:
            SourceUnavailable: The records cannot be written or listed.
        """
        self.report = report = SourceReport()
        if self._prepare:
            self._prepare()
        pages: dict[str, RawPage] = {}
        for page, label in self._list(report):
            if page.url in pages:
                report.skipped[label] = "another record has the same URL"
                report.warnings.append(f"{label}: another record has the URL {page.url}; the first one is used")
            else:
                pages[page.url] = page
        report.expected = len(pages)
        for url in sorted(pages, key=sort_key):
            yield pages[url]
        if not pages:
            report.warnings.append(f"no record below {self._root} in {', '.join(self._globs)}")
        report.complete = bool(pages) and not report.failed

    def read(self, page: RawPage) -> bytes:
        """Read the line of a record.

        Raises:
            SourceUnavailable: It was deleted or changed since it was listed.
        """
        name, _, offset = page.locator.rpartition("@")
        with open_inside(self._root, name) as file:
            file.seek(int(offset) if offset.isdecimal() and len(offset) < 16 else 0)
            line = file.readline(self._max_page_bytes + 1)
        if _stamp(line) != page.stamp:
            raise SourceUnavailable(f"the record at {page.locator!a} changed since it was listed; run again")
        return line

    def modified(self, locator: str) -> float | None:
        """Return the modification time of the record's file."""
        return modified_inside(self._root, locator.rpartition("@")[0])

    def files(self) -> tuple[str, ...]:
        """The files that the globs match, as paths relative to the folder, in order.

        Raises:
            ConfigError: A glob cannot be read.
        """
        root = Path(self._root)
        try:
            paths = {path for pattern in self._globs for path in root.glob(pattern) if path.is_file()}
            return tuple(sorted(path.relative_to(root).as_posix() for path in paths))
        except (ValueError, NotImplementedError) as error:
            raise ConfigError(f"source.records.files: {error}; use globs such as 'records/*.jsonl'") from error

    def _list(self, report: SourceReport) -> Iterator[tuple[RawPage, str]]:
        """Yield (page, FILE:LINE) of each record that can be a page."""
        for name in self.files():
            locator = locator_of(name)
            try:
                with open_inside(self._root, locator) as file:
                    for number, offset, line in _lines(file, self._max_page_bytes):
                        page = self._page(line, f"{locator}@{offset}", f"{locator}:{number}", report)
                        if page is not None:
                            yield page, f"{locator}:{number}"
            except (SourceUnavailable, OSError) as error:
                report.failed[locator] = str(error)

    def _page(self, line: bytes, locator: str, label: str, report: SourceReport) -> RawPage | None:
        if len(line) > self._max_page_bytes:
            report.failed[label] = too_large(len(line), self._max_page_bytes)
            return None
        try:
            record = read_record(line)
        except ValueError as error:
            report.failed[label] = str(error)
            return None
        served_url = resolve_address(record.url, "/", self._site)
        if served_url is None:
            report.failed[label] = f"url: {record.url[:200]!a} is not on this site; use a path, or set project.base_url"
            return None
        url = page_path(canonical_path(served_url))
        if self._excluded(url):
            report.skipped[label] = "excluded"
            return None
        address = self._site.path + served_url
        return RawPage(url, served_url, locator, _stamp(line), "record", "" if address == url else address)


def installed_records(name: str, root: Path, scope: str, folder: Path) -> Callable[[], None]:
    """Return a function that writes the records of an entry point to the file `SPOOL` in a folder.

    Raises:
        ConfigMissing: No installed package has an entry point of this name.
    """
    point = find_plugin(GROUP, name, "source.records.reader")

    def write() -> None:
        """
        Raises:
            SourceUnavailable: The package failed; the file of the last run is kept.
        """
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with replacing(folder / SPOOL, folder) as file:
                read: ReadRecords = point.load()
                for record in read(root, scope):
                    file.write(_as_line(record))
            return
        except SearchSocketError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  (another package's)
            problem = type(error).__name__
        # Outside the handler: a package's error message may contain a key, and chained causes are logged.
        raise SourceUnavailable(f"the source {name!r} ({point.value}) failed with {problem}")

    return write


def _as_line(record: Mapping[str, object]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _lines(file: BinaryIO, max_bytes: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield (number, offset, line) of each non-empty line; a line that is too long is cut one byte above the limit."""
    number, offset = 0, 0
    while line := file.readline(max_bytes + 1):
        number += 1
        if line.strip():
            yield number, offset, line
        offset += len(line)
        while line and not line.endswith(b"\n"):
            line = file.readline(1 << 20)
            offset += len(line)


def _stamp(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def open_records(request: SourceRequest) -> RecordsSource:
    """Open the records of a project.

    Raises:
        ConfigMissing: Neither files nor a reader are set, both are, or no package has the reader.
    """
    source = request.settings.source
    records = source.section(RecordSettings)
    if bool(records.files) == bool(records.reader):
        hint = 'set either source.records.files, e.g. ["records/*.jsonl"], or source.records.reader'
        raise ConfigMissing(f'source.mode is "records"; {hint}')
    root, globs, origin = request.root, records.files, SourceOrigin(MODE, ", ".join(records.files))
    prepare = None
    if records.reader:
        root, globs, origin = request.fetched(), (SPOOL,), SourceOrigin(MODE, generator=records.reader)
        prepare = installed_records(records.reader, request.root, request.scope, root)
    return RecordsSource(
        root,
        globs,
        origin=origin,
        site=configured_site(request.settings, MODE, request.scope),
        exclude=source.exclude,
        max_page_bytes=source.max_page_bytes,
        prepare=prepare,
    )
