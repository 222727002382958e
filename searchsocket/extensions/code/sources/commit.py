"""Source files of a commit, read without a checkout; the working tree is not touched."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.code.parsing.ignore import OWN_FILE, Ignored
from searchsocket.extensions.code.parsing.reading import USUAL_READING, SourceReading
from searchsocket.extensions.code.parsing.selection import GlobFilter
from searchsocket.extensions.code.sources.git_excludes import MAX_IGNORE_BYTES
from searchsocket.extensions.code.sources.walk import Listing, Tree, source_files
from searchsocket.project.settings.source_kinds import CODE_OF_COMMIT
from searchsocket.sources.base import SourceReport
from searchsocket.sources.commit_files import LINK, SUBMODULE, CommitFiles
from searchsocket.sources.git_objects import TreeEntry
from searchsocket.system.locators import locator_of, path_of


class CommitSource(CommitFiles):
    """The source files of one commit, all of which git tracks: only its files `.searchsocketignore` leave some out."""

    kind = CODE_OF_COMMIT

    def __init__(
        self,
        repo: Path,
        revision: str,
        filter_: GlobFilter,
        *,
        max_file_bytes: int,
        reading: SourceReading = USUAL_READING,
    ) -> None:
        """
        Args:
            repo: A folder of the repository: the project.
            revision: Branch, tag, scope name or commit id.
            filter_: See `selection.glob_filter`.
            max_file_bytes: Larger files are left out.
            reading: Reads notebooks, and code with a name that looks secret.
        """
        super().__init__(repo, revision, max_file_bytes)
        self._filter = filter_
        self._reading = reading

    def pages(self) -> Iterator[RawPage]:
        """Yield every source file of the commit, in the order of path parts.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or git cannot list it.
        """
        self.report = report = SourceReport()
        entries = {entry.path: entry for entry in self._repository.files(self.commit(), "")}
        folders = _folders(entries)
        count = 0
        tree = Tree(
            lambda folder: folders.get(folder, Listing()),
            lambda path: self._ignore_file(entries.get(path)),
            self._read_head,
            lambda _: True,
            ignore_files=(OWN_FILE,),
        )
        files = source_files(tree, self._repository.prefix(), self._filter, Ignored(), report)
        for path, entry in files:
            locator = locator_of(path)
            if entry.size > self._max_file_bytes:
                report.skipped[locator] = f"larger than code.max_file_bytes ({self._max_file_bytes:,})"
                continue
            count += 1
            yield RawPage(f"/{locator}", f"/{locator}", locator, entry.blob, "code")
        report.complete = count > 0 and not report.failed

    def read(self, page: RawPage) -> bytes:
        """Read the bytes of a file when it was listed, see `SourceReading`; raises as `CommitFiles.read`."""
        return self._reading(path_of(page.locator), super().read(page))

    def _ignore_file(self, entry: TreeEntry | None) -> bytes | None:
        if entry is None:
            return None
        if entry.mode in (LINK, SUBMODULE):
            raise SourceUnavailable(f"{entry.path!a} is not a file but a link or submodule; replace it by a file")
        return self._blobs.read(entry.blob, MAX_IGNORE_BYTES)

    def _read_head(self, path: str, entry: TreeEntry) -> bytes:
        return self._blobs.read(entry.blob, self._max_file_bytes) if entry.size <= self._max_file_bytes else b""


def _folders(entries: dict[str, TreeEntry]) -> dict[str, Listing[TreeEntry]]:
    """The entries of each folder, by its path."""
    below: defaultdict[str, set[str]] = defaultdict(set)
    files: defaultdict[str, dict[str, TreeEntry]] = defaultdict(dict)
    others: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, entry in entries.items():
        *parents, name = path.split("/")
        folder = ""
        for parent in parents:
            below[folder].add(parent)
            folder += f"{parent}/"
        if entry.mode in (LINK, SUBMODULE):
            others[folder][name] = "a link" if entry.mode == LINK else "a submodule"
        else:
            files[folder][name] = entry
    return {
        folder: Listing(sorted(below[folder]), files[folder], others[folder]) for folder in {*below, *files, *others}
    }
