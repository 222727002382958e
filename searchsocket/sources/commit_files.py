"""The base of sources that read one commit."""

from pathlib import Path

from searchsocket.content.pages import RawPage
from searchsocket.project.settings.source_kinds import SourceKind
from searchsocket.sources.base import SourceOrigin, SourceReport
from searchsocket.sources.git_objects import BlobReader, Repository

LINK, SUBMODULE = "120000", "160000"  # modes of entries that are no files


class CommitFiles:
    """Files of one commit, read without a checkout; the stamp of a file is its blob id."""

    kind: SourceKind  # of the class

    def __init__(self, repo: Path, revision: str, max_file_bytes: int) -> None:
        """
        Args:
            repo: A folder of the repository: the project.
            revision: Branch, tag, scope name or commit id.
            max_file_bytes: Larger files are not read.
        """
        self.origin = SourceOrigin(self.kind.mode, revision=revision)
        self.report = SourceReport()
        self._repository = Repository(repo)
        self._blobs = BlobReader(self._repository)
        self._revision = revision
        self._max_file_bytes = max_file_bytes
        self._commit = ""

    def commit(self) -> str:
        """The commit that the revision named at the first call; later calls return the same, so a run sees one state.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or no repository.
        """
        self._commit = self._commit or self._repository.resolve(self._revision)
        return self._commit

    def read(self, page: RawPage) -> bytes:
        """The bytes of a file when it was listed, even if the branch has moved.

        Raises:
            SourceUnavailable: The blob is not in this clone, or too large.
        """
        return self._blobs.read(page.stamp, self._max_file_bytes)

    def modified(self, locator: str) -> float | None:
        """Return None: all files have the time of the commit."""
        return None

    def close(self) -> None:
        """Stop the child process that reads blobs; a later read starts a new one."""
        self._blobs.close()
